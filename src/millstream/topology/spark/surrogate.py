"""Group keys that put each task on the shuffle partition of its own number.

Spark places a group by ``pmod(murmur3(key, 42), partitions)``: consecutive integers collide. The
key of partition p is therefore searched for, the smallest integer that lands on p.
"""

from __future__ import annotations

_MASK = 0xFFFFFFFF
_SEED = 42


def surrogate_keys(partitions: int) -> tuple[int, ...]:
    """Return one group key for each of ``partitions`` shuffle partitions, in order."""
    found: dict[int, int] = {}
    candidate = 0
    while len(found) < partitions:
        found.setdefault(shuffle_partition(candidate, partitions), candidate)
        candidate += 1
    return tuple(found[partition] for partition in range(partitions))


def shuffle_partition(key: int, partitions: int) -> int:
    """Return where Spark's hash partitioning puts a row grouped by an ``int`` column."""
    return murmur3_int(key) % partitions


def murmur3_int(value: int) -> int:
    """Return Spark's Murmur3 hash of a 32-bit integer, as a signed integer."""
    k = (value * 0xCC9E2D51) & _MASK
    k = (_rotate(k, 15) * 0x1B873593) & _MASK
    h = (_rotate(_SEED ^ k, 13) * 5 + 0xE6546B64) & _MASK
    h ^= 4  # the length in bytes
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & _MASK
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & _MASK
    h ^= h >> 16
    return h - (1 << 32) if h & 0x80000000 else h


def _rotate(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & _MASK
