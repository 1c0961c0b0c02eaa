"""The command line: `python -m benchmarks.queries --help`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.queries.measure import Setting, run
from benchmarks.queries.report import print_report, summary
from millstream.testing.broker import EmbeddedBroker


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    with (
        EmbeddedBroker() as broker,
        # Spark goes on deleting its own files for a moment after the end.
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory,
    ):
        setting = Setting(
            bootstrap_servers=broker.bootstrap_servers,
            directory=Path(directory),
            master=options.master,
            partitions=options.partitions,
            keys=options.keys,
            rate=options.rate,
            store=options.store,
            guarantee=options.guarantee,
            batches=options.batches,
            rounds=options.rounds,
            pause_ms=options.pause_ms,
        )
        found = run(setting)
    if options.json:
        print(json.dumps(summary(found) | {"load": found.load, "setting": str(asdict(setting))}))
    else:
        print_report(found)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.queries",
        description="Fill a store, then alternate: batches without questions, batches with them. "
        "A store counts as asked for up to a minute after the last question, so that each change "
        "back takes a minute.",
    )
    parser.add_argument("--keys", type=int, default=1_000_000, help="of the store (1,000,000)")
    parser.add_argument("--rate", type=int, default=1_000, help="records a second (1,000)")
    parser.add_argument("--partitions", type=int, default=2, help="of the input topic (2)")
    parser.add_argument("--master", default="local[2]", help="of Spark (local[2])")
    parser.add_argument(
        "--store", choices=("rocksdb", "memory"), default="rocksdb", help="kind of store (rocksdb)"
    )
    parser.add_argument(
        "--guarantee", choices=("exactly_once_v2", "at_least_once"), default="exactly_once_v2"
    )
    parser.add_argument("--batches", type=int, default=40, help="of each part of a round (40)")
    parser.add_argument("--rounds", type=int, default=1, help="without and with questions (1)")
    parser.add_argument("--pause-ms", type=int, default=20, help="between two questions (20)")
    parser.add_argument("--json", action="store_true", help="print a line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
