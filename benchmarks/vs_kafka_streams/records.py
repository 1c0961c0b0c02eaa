"""Records of the input topics."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from benchmarks.vs_kafka_streams.workloads import FIRST_TIMESTAMP_MS, KEYS, Workload
from millstream import AvroSerde

LARGE_BYTES = 10_000
AVRO_SCHEMA = """
{"type": "record", "name": "Purchase", "fields": [
    {"name": "user", "type": "string"},
    {"name": "number", "type": "long"},
    {"name": "amount", "type": "double"},
    {"name": "tags", "type": {"type": "array", "items": "string"}},
    {"name": "note", "type": ["null", "string"], "default": null}
]}
"""

Headers = list[tuple[str, str | bytes | None]]


class InputRecord(NamedTuple):
    """One record of an input topic; topics are numbered as the program gets them."""

    topic: int
    key: bytes
    value: bytes
    timestamp: int
    headers: Headers


def record(workload: Workload, number: int, rng: random.Random) -> InputRecord:
    """Make the record of this number; keys are drawn at random."""
    on_right = workload.right_every > 0 and number % workload.right_every == 0
    chosen = number if workload.new_keys else rng.randrange(KEYS)
    key = b"k%d" % chosen
    if workload.foreign_keys:
        foreign = chosen % workload.foreign_keys
        if on_right:
            foreign = rng.randrange(workload.foreign_keys)
            key = b"f%d" % foreign
        value = b"f%d|%d" % (foreign, number)
    else:
        value = _VALUES[workload.value](key, number, rng)
    headers: Headers = [(f"header-{i}", b"%d-%d" % (i, number)) for i in range(workload.headers)]
    return InputRecord(int(on_right), key, value, FIRST_TIMESTAMP_MS + number, headers)


def row(number: int) -> InputRecord:
    """Make a row of the table that is there before all else."""
    return InputRecord(1, b"k%d" % number, b"row %d" % number, FIRST_TIMESTAMP_MS, [])


def _text(key: bytes, number: int, _rng: random.Random) -> bytes:
    return b'{"user":"%s","n":%d,"amount":%d}' % (key, number, number % 1000)


def _large(key: bytes, number: int, rng: random.Random) -> bytes:
    noise = _noise()
    start = rng.randrange(len(noise) - LARGE_BYTES)
    return _text(key, number, rng)[:-1] + b',"text":"%s"}' % noise[start : start + LARGE_BYTES]


def _avro(key: bytes, number: int, _rng: random.Random) -> bytes:
    purchase: dict[str, Any] = {
        "user": key.decode(),
        "number": number,
        "amount": number % 1000 / 4,
        "tags": ["red", "green", "blue"][: number % 4],
        "note": f"note {number % 100}" if number % 2 else None,
    }
    encoded = _purchases().serializer().serialize("", purchase)
    assert encoded is not None
    return encoded


@cache
def _noise() -> bytes:
    letters = b"abcdefghijklmnopqrstuvwxyz0123456789"
    return bytes(random.Random(0).choices(letters, k=10 * LARGE_BYTES))


@cache
def _purchases() -> AvroSerde[dict[str, Any]]:
    return AvroSerde(AVRO_SCHEMA)


_VALUES: Mapping[str, Callable[[bytes, int, random.Random], bytes]] = {
    "text": _text,
    "large": _large,
    "avro": _avro,
}
