"""The command line: `python -m benchmarks.latency --help`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.latency.measure import Case, Outcome, run
from benchmarks.latency.report import name, parts_table, table
from benchmarks.latency.shapes import SHAPES
from benchmarks.latency.tasks import tasks_table
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.workloads import GUARANTEES

SIDES = ("millstream", "kafka_streams", "floor")
INTERVALS_MS = (100, 1_000)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    outcomes: list[Outcome] = []
    failed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        for number, case in enumerate(cases(options)):
            what = f"{name(case)}, {case.shape}, {case.guarantee}, {case.rate:,}/s"
            try:
                outcomes.append(run(case, Path(temporary, str(number))))
            except BenchmarkError as error:
                failed += 1
                print(f"{what}: {error}", file=sys.stderr, flush=True)
                continue
            found = outcomes[-1]
            p50, p99 = found.percentile(0.5), found.percentile(0.99)
            print(f"{what}: p50 {p50:,.0f} ms, p99 {p99:,.0f} ms", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps([_plain(each) for each in outcomes]))
    else:
        stages = [tasks_table(name(each.case), each.stages) for each in outcomes if each.stages]
        print(table(outcomes), parts_table(outcomes), *stages, sep="\n\n")
    return 1 if failed else 0


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Yield what is to be run: the sides of a case one after the other."""
    for shape in options.shape or SHAPES:
        for rate in options.rate or (1_000, 10_000):
            for guarantee in options.guarantee or GUARANTEES:
                for side in options.side or SIDES:
                    # The floor knows no guarantee: once is enough.
                    if side == "floor" and guarantee != (options.guarantee or GUARANTEES)[0]:
                        continue
                    theirs = side == "kafka_streams"
                    for interval_ms in INTERVALS_MS if theirs else (0,):
                        yield Case(
                            side=side,
                            shape=shape,
                            guarantee=guarantee,
                            rate=rate,
                            keys=options.keys,
                            warm_up_s=options.warm_up,
                            seconds=options.seconds,
                            interval_ms=interval_ms,
                            entries={} if theirs else dict(e.split("=", 1) for e in options.set),
                            tasks=options.tasks and not theirs,
                        )


def _plain(outcome: Outcome) -> dict[str, object]:
    return {
        **dataclasses.asdict(outcome.case),
        "p50": outcome.percentile(0.5),
        "p99": outcome.percentile(0.99),
        "results": len(outcome.ages),
        "first_output_s": outcome.first_output_s,
        "parts": dict(outcome.parts),
        "load": outcome.load,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.latency",
        description="Measure the time from a record's creation to its result, as a consumer of "
        "committed records sees it; beside it Kafka Streams, and an empty line on Spark.",
    )
    parser.add_argument("--side", choices=SIDES, action="append", help="all by default")
    parser.add_argument("--shape", choices=tuple(SHAPES), action="append", help="all by default")
    parser.add_argument("--guarantee", choices=GUARANTEES, action="append", help="both by default")
    parser.add_argument(
        "--rate", type=int, action="append", help="records a second; 1000 and 10000 by default"
    )
    parser.add_argument("--keys", type=int, default=50_000, help="%(default)s by default")
    parser.add_argument("--warm-up", type=float, default=20, help="seconds; %(default)s")
    parser.add_argument("--seconds", type=float, default=40, help="measured; %(default)s")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="of the sides on Spark"
    )
    parser.add_argument(
        "--tasks", action="store_true", help="also show the parts of tasks, by Spark's event log"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
