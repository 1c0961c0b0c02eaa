"""The command line: `python -m benchmarks.standby --help`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.cluster.site import Site, sites
from benchmarks.cluster.table import print_table
from benchmarks.standby.measure import TASKS, Outcome, Setting, run

WAYS: dict[str, dict[str, Any]] = {
    "standby": {"num.standby.replicas": 1},
    "without": {},
    "spark-alone": {"millstream.steer.tasks": False},
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    found: list[tuple[str, Outcome]] = []
    for way, site in sites(options.way or tuple(WAYS), options.runs, TASKS):
        outcome = run(_setting(site, way, options))
        found.append((way, outcome))
        print(json.dumps({"way": way} | asdict(outcome)), file=sys.stderr, flush=True)
    _report(found)
    return 0


def _setting(site: Site, way: str, options: argparse.Namespace) -> Setting:
    return Setting(
        **asdict(site),
        entries=WAYS[way],
        keys=options.keys,
        burst=options.burst,
        rate=options.rate,
        batches=options.batches,
    )


def _report(found: Sequence[tuple[str, Outcome]]) -> None:
    headings = ("way", *asdict(found[0][1]))
    print_table(headings, [(way, *map(_shown, asdict(each).values())) for way, each in found])


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(f"{each:.1f}" for each in value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.standby",
        description="Kill the executor of a task with a large store on local-cluster[3,1,1024] "
        "while input runs: with a standby copy, without, and as Spark does alone.",
    )
    parser.add_argument("--way", action="append", choices=WAYS, help="all unless given")
    parser.add_argument("--runs", type=int, default=1, help="runs of each")
    parser.add_argument("--keys", type=int, default=1_000_000, help="keys of the large store")
    parser.add_argument("--burst", type=int, default=300_000, help="records of the burst")
    parser.add_argument("--rate", type=int, default=300, help="records a second")
    parser.add_argument("--batches", type=int, default=10, help="to watch before and after")
    return parser


if __name__ == "__main__":
    sys.exit(main())
