"""Avro's binary encoding of numbers, as the generated encoders and decoders use it."""

from __future__ import annotations

import threading
from functools import lru_cache

TABLE = 8192
"""Numbers from -TABLE to TABLE - 1, of one or two bytes, are looked up."""
MOST_EMPTY_ITEMS = 1 << 20
"""Items without bytes, such as nulls, that the collections of one datum may claim to have."""


class Malformed(Exception):
    """Bytes are not what a schema says."""


class Unready(Exception):
    """A value is not a plain datum: ``to_datum`` has to convert it, or to refuse it."""


class _Counted(threading.local):
    data: bytes | None = None
    items = 0


_counted = _Counted()


def count_empty(data: bytes, items: int) -> None:
    """Count items without bytes: a few bytes may announce any number of them.

    Raises:
        Malformed: The collections of this datum have too many.
    """
    if _counted.data is not data:
        _counted.data, _counted.items = data, 0
    _counted.items += items
    if _counted.items > MOST_EMPTY_ITEMS:
        raise Malformed(f"{_counted.items} items are announced that have no bytes")


@lru_cache(maxsize=1)
def small_numbers() -> list[bytes]:
    """Return the bytes of small numbers; negative ones stand at negative places."""
    ordered = [*range(TABLE), *range(-TABLE, 0)]
    return [long_bytes(number) for number in ordered]


def long_bytes(number: int) -> bytes:
    """Return the bytes of an int or a long: zigzag, seven bits a byte, the lowest first."""
    if not -(1 << 63) <= number < 1 << 63:
        raise Unready
    left = (number << 1) ^ (number >> 63)
    if left < 1 << 21:
        if left < 1 << 7:
            return bytes((left,))
        if left < 1 << 14:
            return bytes((left & 127 | 128, left >> 7))
        return bytes((left & 127 | 128, left >> 7 & 127 | 128, left >> 14))
    found = bytearray((left & 127 | 128, left >> 7 & 127 | 128, left >> 14 & 127 | 128))
    left >>= 21
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    found.append(left)
    return bytes(found)


def int_bytes(number: int) -> bytes:
    """Return the bytes of a number that must have 32 bits."""
    if not -(1 << 31) <= number < 1 << 31:
        raise Unready
    return long_bytes(number)


def long_rest(data: bytes, at: int, first: int) -> tuple[int, int]:
    """Return the unsigned number that begins with the byte ``first``, and the next place."""
    byte = data[at]
    value = first & 127 | (byte & 127) << 7
    if byte < 128:
        return value, at + 1
    byte = data[at + 1]
    value |= (byte & 127) << 14
    if byte < 128:
        return value, at + 2
    at += 2
    shift = 21
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
        if shift > 63:
            raise Malformed("a number has more than 64 bits")
    if value >> 64:
        raise Malformed("a number has more than 64 bits")
    return value, at


def int_rest(data: bytes, at: int, first: int) -> tuple[int, int]:
    """Do the same for a number that must have 32 bits."""
    value, at = long_rest(data, at, first)
    if value >> 32:
        raise Malformed("an int has more than 32 bits")
    return value, at


def truth(byte: int) -> bool:
    """Return the boolean of a byte."""
    if byte > 1:
        raise Malformed(f"a boolean is {byte}, not 0 or 1")
    return byte == 1
