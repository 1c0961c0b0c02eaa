"""Options of the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

CORES = 2
"""Of the local master."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    found = argparse.ArgumentParser(
        prog="python -m benchmarks.sizing",
        description="Measure the constants of the capacity model, check it with one and with two "
        "executors, and compute a cluster that is not there.",
    )
    found.add_argument(
        "--part",
        action="append",
        choices=("state", "batches", "check", "none"),
        help="all of them otherwise; none: only tables of what is in --results",
    )
    found.add_argument(
        "--results", type=Path, help="file that keeps what was measured; what it has is not run"
    )
    found.add_argument("--json", action="store_true", help="print one line of JSON")
    found.add_argument("--here", help=argparse.SUPPRESS)
    state = found.add_argument_group("state")
    state.add_argument("--keys", type=int, action="append", help="100,000 and 1,000,000")
    state.add_argument("--store", action="append", help="rocksdb, lmdb and memory")
    state.add_argument("--bytes", type=int, default=100, help="of a value (100)")
    batches = found.add_argument_group("batches")
    batches.add_argument("--partitions", type=int, action="append", help="2, 8, 32 and 64")
    batches.add_argument("--rate", type=int, default=500, help="records a second (500)")
    batches.add_argument("--warm-up", type=float, default=20, help="seconds (20)")
    batches.add_argument("--seconds", type=float, default=40, help="measured (40)")
    check = found.add_argument_group("check")
    check.add_argument("--records", type=int, default=600_000, help="of the backlog (600,000)")
    check.add_argument("--batch", type=int, default=100_000, help="most of a batch (100,000)")
    plan = found.add_argument_group("plan")
    plan.add_argument(
        "--plan",
        action="append",
        metavar="NAME=NUMBER",
        help="of a cluster: executors, cores, partitions, rate, keys, and others of `plan.py`",
    )
    return found
