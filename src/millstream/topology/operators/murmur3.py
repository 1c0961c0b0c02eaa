"""Hash of a left row in a foreign-key join, by which outdated responses are found."""

from __future__ import annotations

import struct

import mmh3

SEED = 104729
_LITTLE, _BIG = struct.Struct("<2Q"), struct.Struct(">2Q")


def murmur3_128(data: bytes) -> bytes:
    """Return Kafka's 128-bit hash of bytes: two longs, big endian.

    Example:
        >>> murmur3_128(b"").hex()
        '9d2764a018e329428c3cf3b035938518'

    Source: Kafka's ``Murmur3.hash128``.
    """
    return _BIG.pack(*_LITTLE.unpack(mmh3.mmh3_x64_128_digest(data, SEED)))
