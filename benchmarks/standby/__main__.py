"""The command line: `python -m benchmarks.standby --help`."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from rich.console import Console
from rich.table import Table

from benchmarks.standby.measure import TASKS, Outcome, Setting, run
from millstream.testing.broker import EmbeddedBroker

WAYS: dict[str, dict[str, Any]] = {
    "standby": {"num.standby.replicas": 1},
    "without": {},
    "spark-alone": {"millstream.steer.tasks": False},
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    found: list[tuple[str, Outcome]] = []
    with EmbeddedBroker() as broker:
        for number in range(options.runs):
            for way in options.way or WAYS:
                outcome = _run(broker.bootstrap_servers, f"{way}-{number}", way, options)
                found.append((way, outcome))
                print(json.dumps({"way": way} | asdict(outcome)), file=sys.stderr, flush=True)
    _report(found)
    return 0


def _run(servers: str, name: str, way: str, options: argparse.Namespace) -> Outcome:
    topics = [NewTopic(f"{name}-{each}", TASKS, 1) for each in ("in", "out")]
    admin = AdminClient({"bootstrap.servers": servers})
    for created in admin.create_topics(topics).values():
        created.result(30)
    # Spark goes on deleting its own files for a moment after the end.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        return run(
            Setting(
                bootstrap_servers=servers,
                directory=Path(directory),
                application_id=name,
                source=f"{name}-in",
                target=f"{name}-out",
                config=WAYS[way],
                keys=options.keys,
                burst=options.burst,
                rate=options.rate,
                batches=options.batches,
            )
        )


def _report(found: Sequence[tuple[str, Outcome]]) -> None:
    table = Table("way", box=None, pad_edge=False)
    for heading in asdict(found[0][1]):
        table.add_column(heading)
    for way, outcome in found:
        table.add_row(way, *map(_shown, asdict(outcome).values()))
    console = Console()
    (console if console.is_terminal else Console(width=200)).print(table)


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
