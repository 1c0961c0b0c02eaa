"""The command line: `python -m benchmarks.standby --help`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from subprocess import TimeoutExpired
from typing import Any

from confluent_kafka import KafkaException

from benchmarks.cluster.site import Site, sites
from benchmarks.standby.measure import TASKS, Outcome, Setting, run
from benchmarks.standby.report import print_report

REPEATED: dict[str, dict[str, Any]] = {"standby": {"num.standby.replicas": 1}, "without": {}}
ONCE: dict[str, dict[str, Any]] = {"spark-alone": {"millstream.steer.tasks": False}}
WAYS = REPEATED | ONCE


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    found: list[tuple[str, Outcome]] = []
    ways = options.way or (*REPEATED, *ONCE)
    failed = _runs(ways, 1, options, found)
    again = [way for way in ways if options.way or way in REPEATED]
    failed += _runs(again, options.runs - 1, options, found)
    if found:
        print_report(found)
    return 1 if failed else 0


def _runs(
    ways: Sequence[str],
    runs: int,
    options: argparse.Namespace,
    found: list[tuple[str, Outcome]],
) -> int:
    """Run each way so many times; return how often it failed, and go on after that."""
    failed = 0
    for way, site in sites(ways, runs, TASKS) if runs > 0 else ():
        began = time.monotonic()
        try:
            outcome = run(_setting(site, way, options))
        except (RuntimeError, TimeoutExpired, KafkaException) as error:
            failed += 1
            print(f"{way} failed: {error}", file=sys.stderr, flush=True)
            continue
        found.append((way, outcome))
        line = {"way": way, "took_s": round(time.monotonic() - began)} | asdict(outcome)
        print(json.dumps(line), file=sys.stderr, flush=True)
    return failed


def _setting(site: Site, way: str, options: argparse.Namespace) -> Setting:
    return Setting(
        **asdict(site),
        entries=WAYS[way],
        keys=options.keys,
        burst=options.burst,
        rate=options.rate,
        batches=options.batches,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.standby",
        description="Kill the executor of a task with a large store on local-cluster[3,1,1024] "
        "while input runs: with a standby copy, without, and as Spark does alone.",
    )
    parser.add_argument(
        "--way", action="append", choices=WAYS, help="all unless given, spark-alone once"
    )
    parser.add_argument("--runs", type=int, default=1, help="runs of each")
    parser.add_argument("--keys", type=int, default=1_000_000, help="keys of the large store")
    parser.add_argument("--burst", type=int, default=300_000, help="records of the burst")
    parser.add_argument("--rate", type=int, default=300, help="records a second")
    parser.add_argument("--batches", type=int, default=8, help="to watch before and after")
    return parser


if __name__ == "__main__":
    sys.exit(main())
