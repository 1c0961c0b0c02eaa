"""The command line: `python -m benchmarks.placement --help`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.cluster.site import Site, sites
from benchmarks.placement.experiment import TASKS, Outcome, Setting, run
from benchmarks.placement.report import print_report

WAYS = ("steered", "spark-alone")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    found: list[tuple[str, Outcome]] = []
    for way, site in sites(options.way or WAYS, options.runs, TASKS):
        outcome = run(_setting(site, way, options))
        found.append((way, outcome))
        print(f"{way}: done", file=sys.stderr)
    if options.json:
        for way, outcome in found:
            print(json.dumps({"way": way} | _plain(outcome)))
    else:
        print_report(found)
    return 0


def _setting(site: Site, way: str, options: argparse.Namespace) -> Setting:
    return Setting(
        **asdict(site),
        steer=way == "steered",
        keys=options.keys,
        rate=options.rate,
        wait=options.wait,
        batches=options.batches,
    )


def _plain(outcome: Outcome) -> dict[str, Any]:
    shown = {"moves": outcome.moved(), "needless": outcome.needless()}
    return asdict(outcome) | shown | {"balance": outcome.balance()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.placement",
        description="Kill an executor of local-cluster[3,1,1024] while input runs, and watch where "
        "its tasks go: steered, and as Spark does alone.",
    )
    parser.add_argument("--way", action="append", choices=WAYS, help="both unless given")
    parser.add_argument("--runs", type=int, default=1, help="runs of each")
    parser.add_argument("--keys", type=int, default=60_000, help="keys in the stores")
    parser.add_argument("--rate", type=int, default=500, help="records a second")
    parser.add_argument("--wait", default="3s", help="spark.locality.wait.process")
    parser.add_argument("--batches", type=int, default=6, help="to watch before and after")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each run")
    return parser


if __name__ == "__main__":
    sys.exit(main())
