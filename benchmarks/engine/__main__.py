"""The command line: `python -m benchmarks.engine --help`."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from benchmarks.engine.measure import Timing, driver_ms, floor_timing, workload_timing
from benchmarks.engine.report import print_summary, summary
from benchmarks.engine.workloads import WORKLOADS

DRIVER = "driver"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    names = options.workload or [*WORKLOADS, DRIVER]
    # What is dropped by rule is logged record by record; here it would be the log that is measured.
    logging.disable(logging.WARNING)
    # The driver goes first: what a workload leaves behind in memory would slow it down.
    small_tests_ms = driver_ms(options.driver_times) if DRIVER in names else None
    chosen = [name for name in dict.fromkeys(names) if name != DRIVER]
    timings: dict[str, list[Timing]] = {name: [] for name in chosen}
    floors: dict[str, list[Timing]] = {WORKLOADS[name].floor: [] for name in chosen}
    for _ in range(options.rounds):
        for floor, taken in floors.items():
            taken.append(floor_timing(floor, options.records, options.batch))
        for name, taken in timings.items():
            taken.append(workload_timing(WORKLOADS[name], options.records, options.batch))
    found = summary(options.records, options.batch, timings, floors, small_tests_ms)
    print_summary(found, as_json=options.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine",
        description="Measure the engine alone, in this process.",
    )
    parser.add_argument(
        "--workload",
        choices=[*WORKLOADS, DRIVER],
        action="append",
        help="may be given several times; all of them otherwise",
    )
    parser.add_argument(
        "--records", type=_positive, default=200_000, help="counted records (default 200,000)"
    )
    parser.add_argument(
        "--batch", type=_positive, default=50_000, help="records between commits (default 50,000)"
    )
    parser.add_argument("--rounds", type=_positive, default=3)
    parser.add_argument(
        "--driver-times", type=_positive, default=300, help="small tests (default 300)"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
