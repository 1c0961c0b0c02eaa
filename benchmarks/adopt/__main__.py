"""The command line: `python -m benchmarks.adopt --help`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Sequence

from benchmarks.adopt.measure import measure
from benchmarks.adopt.topics import prepare
from millstream.core.config import StreamsConfig
from millstream.testing.broker import EmbeddedBroker

PARTS = ("plan", "read", "write", "adopt", "first batch")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    found = []
    for _ in range(options.runs):
        with (
            EmbeddedBroker() as broker,
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory,
        ):
            entries = {
                "application.id": "adopted",
                "bootstrap.servers": broker.bootstrap_servers,
                "state.dir": directory,
                "spark.master": f"local[{options.cores}]",
            }
            config = StreamsConfig(entries)
            prepare(broker, config, options.keys, options.updates, options.partitions)
            found.append(measure(entries, options.updates))
    for parts in found:
        if options.json:
            print(json.dumps(parts))
            continue
        for part in PARTS:
            print(f"{part:12}{parts[part]:8.1f} s{options.keys / parts[part]:14,.0f} keys/s")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.adopt",
        description="Measure `millstream adopt` of a store of counts: reading the changelog and "
        "writing the seed are parts of adopting; the first batch takes up the seed.",
    )
    parser.add_argument("--keys", type=int, default=1_000_000, help="keys of the store (1,000,000)")
    parser.add_argument("--updates", type=int, default=1, help="changelog records of each key (1)")
    parser.add_argument("--partitions", type=int, default=4, help="of the input topic (4)")
    parser.add_argument("--cores", type=int, default=2, help="of Spark (2)")
    parser.add_argument("--runs", type=int, default=1, help="runs, each with a broker (1)")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each run")
    return parser


if __name__ == "__main__":
    sys.exit(main())
