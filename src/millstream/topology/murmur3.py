"""The hash by which a foreign-key join tells whether an answer is still about the current row."""

from __future__ import annotations

import struct

SEED = 104729
_MASK = 0xFFFFFFFFFFFFFFFF
_C1 = 0x87C37B91114253D5
_C2 = 0x4CF5AD432745937F
_BLOCK = 16


def murmur3_128(data: bytes) -> bytes:
    """Return Kafka's 128-bit hash of bytes: two longs, big endian.

    Example:
        >>> murmur3_128(b"").hex() == murmur3_128(b"a").hex()
        False

    Source: Kafka's ``Murmur3.hash128``.
    """
    first = second = SEED
    whole = len(data) // _BLOCK
    for low, high in struct.iter_unpack("<2Q", data[: whole * _BLOCK]):
        first ^= _mixed(low, _C1, 31, _C2)
        first = (_rotated(first, 27) + second) * 5 + 0x52DCE729 & _MASK
        second ^= _mixed(high, _C2, 33, _C1)
        second = (_rotated(second, 31) + first) * 5 + 0x38495AB5 & _MASK
    tail = data[whole * _BLOCK :]
    second ^= _mixed(int.from_bytes(tail[8:], "little"), _C2, 33, _C1)
    first ^= _mixed(int.from_bytes(tail[:8], "little"), _C1, 31, _C2)
    first ^= len(data)
    second ^= len(data)
    first = first + second & _MASK
    second = second + first & _MASK
    first, second = _finished(first), _finished(second)
    first = first + second & _MASK
    second = second + first & _MASK
    return struct.pack(">2Q", first, second)


def _mixed(word: int, before: int, bits: int, after: int) -> int:
    return _rotated(word * before & _MASK, bits) * after & _MASK


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 64 - bits) & _MASK


def _finished(word: int) -> int:
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & _MASK
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return word ^ word >> 33
