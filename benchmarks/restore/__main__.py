"""The command line: `python -m benchmarks.restore --help`."""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from benchmarks.restore.life import SOURCE
from millstream.testing.broker import EmbeddedBroker

FEW = 200
"""Records of a restart."""
_APPLICATION = "restored"
_HEAD = (
    "| keys | store | working copies | start() s | entries restored | first batch s "
    "| of it Spark's load, all tasks s | until it is committed s | worker MB |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    print(_HEAD, flush=True)
    for keys in options.keys or [1_000_000]:
        for kind in options.store or ["rocksdb", "memory"]:
            _measure(keys, kind, options)
    return 0


def _measure(keys: int, kind: str, options: argparse.Namespace) -> None:
    with (
        EmbeddedBroker() as broker,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory,
    ):
        servers, place = broker.bootstrap_servers, Path(directory)
        sent = _fill(servers, keys, options.partitions, options.bytes)
        config = _config(servers, place, options)
        _live(config, kind, sent)
        for lost in [False, True] * options.runs:
            sent += _send(servers, keys, options.bytes, sent)
            if lost:
                shutil.rmtree(place / _APPLICATION / "slots", ignore_errors=True)
                shutil.rmtree(place / _APPLICATION / "shared", ignore_errors=True)
            print(_row(keys, kind, lost, _live(config, kind, sent)), flush=True)


def _config(servers: str, place: Path, options: argparse.Namespace) -> dict[str, Any]:
    given = dict(each.split("=", 1) for each in options.set)
    return {
        "application.id": _APPLICATION,
        "bootstrap.servers": servers,
        "state.dir": str(place),
        "millstream.checkpoint.location": str(place / "checkpoint"),
        "processing.guarantee": "exactly_once_v2",
        "spark.master": options.master,
        "spark.sql.streaming.numRecentProgressUpdates": "10000",
        **given,
    }


def _live(config: dict[str, Any], kind: str, until: int) -> dict[str, Any]:
    command = (sys.executable, "-m", "benchmarks.restore.life", json.dumps(config), kind)
    done = subprocess.run([*command, str(until)], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _row(keys: int, kind: str, lost: bool, seen: dict[str, Any]) -> str:
    first = seen["batches"][0]
    cells = (
        f"{keys:,}",
        kind,
        "lost" if lost else "there",
        f"{seen['start_s']:.1f}",
        f"{seen['restored']:,}",
        f"{first['ms'] / 1000:.1f}",
        f"{first['load_ms'] / 1000:.1f}",
        f"{seen['until_s']:.1f}",
        f"{seen['worker_mb']:.0f}",
    )
    return "| " + " | ".join(cells) + " |"


def _fill(servers: str, keys: int, partitions: int, size: int) -> int:
    admin = AdminClient({"bootstrap.servers": servers})
    for created in admin.create_topics([NewTopic(SOURCE, partitions, 1)]).values():
        created.result(30)
    _produce(servers, range(keys), size, 1)
    return keys


def _send(servers: str, keys: int, size: int, seed: int) -> int:
    _produce(servers, random.Random(seed).choices(range(keys), k=FEW), size, seed)
    return FEW


def _produce(servers: str, numbers: Sequence[int], size: int, seed: int) -> None:
    producer = Producer({"bootstrap.servers": servers, "partitioner": "murmur2_random"})
    values = random.Random(seed)
    for number in numbers:
        # Half of a value can be compressed, as in most values that people have.
        value = values.randbytes(size // 4).hex().encode().ljust(size, b" ")
        while True:
            try:
                producer.produce(SOURCE, value, b"key-%09d" % number)
                break
            except BufferError:
                producer.poll(1)
    producer.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.restore",
        description="Restart an application with much state, with and without its working copies.",
    )
    parser.add_argument("--keys", type=int, action="append", help="1,000,000; may be repeated")
    parser.add_argument("--store", choices=("rocksdb", "memory"), action="append", help="both")
    parser.add_argument("--bytes", type=int, default=100, help="of a value (100)")
    parser.add_argument("--partitions", type=int, default=2, help="of the topic, so tasks (2)")
    parser.add_argument("--runs", type=int, default=1, help="of each (1)")
    parser.add_argument("--master", default="local[2]", help="of Spark (local[2])")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="of the application"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
