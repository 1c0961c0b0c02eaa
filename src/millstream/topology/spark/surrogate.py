"""Group keys that put each task on the shuffle partition of its own number.

Spark places a group by ``pmod(murmur3(key, 42), partitions)``: consecutive integers collide. The
key of partition p is therefore the smallest integer that lands on p.
"""

from __future__ import annotations

import struct

import mmh3

_SEED = 42
_INT = struct.Struct("<i")


def surrogate_keys(partitions: int) -> tuple[int, ...]:
    """Return one group key for each of ``partitions`` shuffle partitions, in order."""
    found: dict[int, int] = {}
    candidate = 0
    while len(found) < partitions:
        found.setdefault(shuffle_partition(candidate, partitions), candidate)
        candidate += 1
    return tuple(found[partition] for partition in range(partitions))


def shuffle_partition(key: int, partitions: int) -> int:
    """Return the shuffle partition of a row that Spark groups by an ``int`` column."""
    return murmur3_int(key) % partitions


def murmur3_int(value: int) -> int:
    """Return Spark's Murmur3 hash of a 32-bit integer, as a signed integer."""
    return mmh3.hash(_INT.pack(value), _SEED)
