"""The command line: `python -m benchmarks.report --help`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka import KafkaException

from benchmarks.report.figures import read_rounds
from benchmarks.report.runs import Plan, run
from benchmarks.report.table import put_into, tables
from benchmarks.vs_kafka_streams.workloads import GUARANTEES, RECORDS, WORKLOADS
from millstream.core.errors import MillstreamError


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with ExitStack() as stack:
            file = options.rounds_in
            if file is None:
                folder = stack.enter_context(TemporaryDirectory(prefix="millstream-report-"))
                file = Path(folder, "rounds.jsonl")
            failed = run(_plan(options), file)
            text = tables(read_rounds(file))
            print(text)
            if options.into is not None:
                put_into(options.into, text)
    except (MillstreamError, KafkaException) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    for workload, reason in failed:
        print(f"report: {workload}: {reason}", file=sys.stderr)
    return 1 if failed else 0


def _plan(options: argparse.Namespace) -> Plan:
    return Plan(
        workloads=tuple(options.only or WORKLOADS),
        guarantees=tuple(options.guarantee or GUARANTEES[::-1]),
        rounds=options.rounds,
        records=options.records,
        cache_bytes=options.cache,
        timeout_s=options.timeout,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report",
        description="Compare every workload with Kafka Streams; print one table in markdown.",
    )
    parser.add_argument("--only", action="append", choices=WORKLOADS, help="may be repeated")
    parser.add_argument("--guarantee", action="append", choices=GUARANTEES, help="may be repeated")
    parser.add_argument("--rounds", type=_positive, default=2, help="of each workload (default 2)")
    parser.add_argument(
        "--records",
        type=_positive,
        default=RECORDS,
        help=f"counted records of a round (default {RECORDS:,}); a quarter of it warms up",
    )
    parser.add_argument(
        "--cache",
        type=int,
        default=10 * 1024 * 1024,
        metavar="BYTES",
        help="statestore.cache.max.bytes of both sides (default 10 MiB; 0 is off)",
    )
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one drain")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="a page that gets the table")
    parser.add_argument(
        "--rounds-in", type=Path, metavar="FILE", help="keeps the rounds; a new run goes on with it"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
