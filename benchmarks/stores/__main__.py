"""The command line: `python -m benchmarks.stores --help`."""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
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
PARTS = ("bytes", "kafka", "catch-up", "spark")

Measured = dict[str, dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.disable(logging.WARNING)
    stores = options.store or STORES
    parts = options.part or list(PARTS)
    if options.here:
        print(json.dumps(_measured(parts[0], stores[0], options)))
        return 0
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for part in parts:
        for store in stores:
            for keys, measured in _rows(part, store, options):
                row = found.setdefault((store, keys), {"store": store, "keys": keys})
                for name, value in measured.items():
                    row.setdefault(name, {}).update(value)
    print_report(list(found.values()), as_json=options.json)
    return 0


def _rows(part: str, store: str, options: argparse.Namespace) -> Iterator[tuple[int, Measured]]:
    sizes = options.keys or (KEYS if part in ("bytes", "kafka") else CATCH_UP_KEYS)
    # On Spark the sizes take turns in one process; otherwise each has one to itself.
    for together in [sizes] if part == "spark" else [[keys] for keys in sizes]:
        measured = _in_a_process(part, store, together, options)
        yield from zip(together, measured, strict=True)


def _in_a_process(
    part: str, store: str, sizes: Sequence[int], options: argparse.Namespace
) -> list[Measured]:
    """Measure in a new process, in whose memory nothing else is."""
    command = [sys.executable, "-m", "benchmarks.stores", "--here", "--part", part]
    command += ["--store", store, *(f"--keys={keys}" for keys in sizes)]
    command += ["--rounds", str(options.rounds), "--batches", str(options.batches)]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    found: list[Measured] = json.loads(said.splitlines()[-1])
    return found


def _measured(part: str, store: str, options: argparse.Namespace) -> list[Measured]:
    sizes, batches = options.keys, options.batches
    if part == "spark":
        # The jars of Spark and a broker are needed for this part alone.
        from benchmarks.stores.spark_batches import spark_batch_rows

        return [{"spark": row} for row in spark_batch_rows(store, sizes, max(1, batches // 5))]
    (keys,) = sizes
    if part == "catch-up":
        return [{"catch_up": catch_up_row(store, keys, batches)}]
    if part == "kafka":
        return [{"operations": kafka_store_rows(store, keys, options.rounds)}]
    return [byte_store_rows(store, keys, options.rounds)]


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
        help="entries; 10,000 and 1,000,000 otherwise, and 100,000 for catch-up and spark",
    )
    parser.add_argument("--rounds", type=_positive, default=5)
    parser.add_argument(
        "--batches",
        type=_positive,
        default=200,
        help="of the catch-up part; on Spark a fifth of them",
    )
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
