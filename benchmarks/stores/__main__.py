"""The command line: `python -m benchmarks.stores --help`."""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.stores.byte_stores import byte_store_rows
from benchmarks.stores.catch_up import catch_up_row
from benchmarks.stores.kafka_stores import kafka_store_rows
from benchmarks.stores.report import print_report
from millstream.core.errors import PluginError
from millstream.plugins.registry import store_class

STORES = ["memory", "rocksdb", "lmdb"]
KEYS = [10_000, 1_000_000]
CATCH_UP_KEYS = [10_000, 100_000, 1_000_000]
PARTS = ("bytes", "kafka", "catch-up")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    stores = options.store or STORES
    parts = options.part or list(PARTS)
    if options.here:
        print(json.dumps(_measured(parts[0], stores[0], options.keys[0], options)))
        return 0
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for part in parts:
        default = CATCH_UP_KEYS if part == "catch-up" else KEYS
        for store in stores:
            for keys in options.keys or default:
                row = found.setdefault((store, keys), {"store": store, "keys": keys})
                for name, value in _in_a_process(part, store, keys, options).items():
                    row.setdefault(name, {}).update(value)
    print_report(list(found.values()), as_json=options.json)
    return 0


def _in_a_process(
    part: str, store: str, keys: int, options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Measure in a new process, in whose memory nothing else is."""
    command = [sys.executable, "-m", "benchmarks.stores", "--here", "--part", part]
    command += ["--store", store, "--keys", str(keys)]
    command += ["--rounds", str(options.rounds), "--batches", str(options.batches)]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    found: dict[str, dict[str, Any]] = json.loads(said)
    return found


def _measured(
    part: str, store: str, keys: int, options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "bytes": lambda: byte_store_rows(store, keys, options.rounds),
        "kafka": lambda: {"operations": kafka_store_rows(store, keys, options.rounds)},
        "catch-up": lambda: {"catch_up": catch_up_row(store, keys, options.batches)},
    }
    return measures[part]()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.stores",
        description="Measure stores alone, each beside what it is made of.",
    )
    parser.add_argument(
        "--store",
        action="append",
        type=_store,
        help="may be given several times; the three of this package otherwise",
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="all of them otherwise")
    parser.add_argument(
        "--keys",
        action="append",
        type=_positive,
        help="entries; 10,000 and 1,000,000 otherwise, and 100,000 for catch-up",
    )
    parser.add_argument("--rounds", type=_positive, default=5)
    parser.add_argument("--batches", type=_positive, default=200, help="of the catch-up part")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser


def _store(name: str) -> str:
    try:
        store_class(name)
    except PluginError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return name


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
