"""Mutations of valid samples: flipped bits, cut ends, repeated parts, huge numbers, odd JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

NUMBERS: tuple[int, ...] = (
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    1 << 15,
    (1 << 31) - 1,
    -(1 << 31),
    1 << 31,
    (1 << 32) - 1,
)
NUMBERS += ((1 << 63) - 1, -(1 << 63), 1 << 24, 1 << 28, 1 << 30)
LAYOUTS = tuple(order + kind for order in "<>" for kind in "bhiq")
DEEP = 20_000
ODD_TEXTS = ("", "x", "-1", "2147483648", "\0", "\ud800", "../../x", "9" * 30, "{", "%", "\n")
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1 << 31,
    1 << 63,
    1 << 70,
    -(1 << 70),
    0.5,
    1e308,
    float("nan"),
    [],
    {},
    [[]],
    {"": None},
    *ODD_TEXTS,
)
_MOST = 1 << 20


def mutated(samples: Sequence[bytes], random: Random) -> bytes:
    """Return a sample with one to six mutations."""
    data = random.choice(samples)
    if data[:1] in (b"{", b"[") and random.random() < 0.6:
        data = _odd_json(data, random)
        if random.random() < 0.8:
            return data
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        data = random.choice(_MUTATIONS)(data, samples, random)[:_MOST]
    return data


def _flip(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    if not data:
        return b"\0"
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def _set(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))]) + data[at + 1 :]


def _cut(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _behead(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    return data[random.randrange(len(data) + 1) :]


def _remove(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    start, stop = _part(data, random)
    return data[:start] + data[stop:]


def _repeat(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    start, stop = _part(data, random)
    times = random.choice((1, 1, 2, 100, 2000))
    return data[:stop] + data[start:stop] * times + data[stop:]


def _number(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    layout = random.choice(LAYOUTS)
    size = struct.calcsize(layout)
    near = (len(data), len(data) - 1, len(data) + 1, random.randrange(1 << 20))
    number = random.choice(NUMBERS + near)
    number = (number + (1 << size * 8 - 1)) % (1 << size * 8) - (1 << size * 8 - 1)
    at = random.randrange(max(1, len(data) - size + 1))
    return data[:at] + struct.pack(layout, number) + data[at + size :]


def _insert(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.randbytes(random.choice((1, 2, 4, 8, 40))) + data[at:]


def _splice(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(samples)
    cut = random.randrange(len(data) + 1)
    return data[:cut] + other[random.randrange(len(other) + 1) :]


def _continue(data: bytes, samples: Sequence[bytes], random: Random) -> bytes:
    """Add bytes that all say that a number goes on."""
    at = random.randrange(len(data) + 1)
    return data[:at] + b"\x80" * random.choice((3, 5, 10, 30_000)) + data[at:]


def _part(data: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 2, 4, 8, 16, 64, 1000)))


_MUTATIONS: tuple[Callable[[bytes, Sequence[bytes], Random], bytes], ...] = (
    _flip,
    _flip,
    _set,
    _cut,
    _behead,
    _remove,
    _repeat,
    _number,
    _number,
    _insert,
    _splice,
    _continue,
)


def _odd_json(data: bytes, random: Random) -> bytes:
    if random.random() < 0.03:
        return random.choice((b"[", b'{"a":')) * DEEP
    try:
        body = json.loads(data)
    except ValueError:
        return data
    for _ in range(random.choice((1, 1, 2, 4))):
        body = _changed(body, random)
    text = json.dumps(body)
    if random.random() < 0.05:
        text = text.replace(" 1", " " + "9" * 5000).replace("null", "Infinity")
    return text.encode("utf-8", "surrogatepass")


def _changed(body: Any, random: Random) -> Any:
    """Return a JSON value with one place changed."""
    if not isinstance(body, (dict, list)) or not body or random.random() < 0.15:
        return random.choice(ODD_VALUES)
    if isinstance(body, list):
        at = random.randrange(len(body))
        choice = random.random()
        if choice < 0.15:
            return body[:at] + body[at + 1 :]
        if choice < 0.3:
            return [*body, body[at]]
        return [*body[:at], _changed(body[at], random), *body[at + 1 :]]
    name = random.choice(list(body))
    choice = random.random()
    if choice < 0.15:
        return {key: value for key, value in body.items() if key != name}
    if choice < 0.3:
        odd = random.choice(ODD_TEXTS)
        return {odd if key == name else key: value for key, value in body.items()}
    if choice < 0.35:
        return body | {random.choice(ODD_TEXTS): random.choice(ODD_VALUES)}
    return body | {name: _changed(body[name], random)}
