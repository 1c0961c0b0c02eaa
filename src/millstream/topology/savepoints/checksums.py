"""Checksums of entries, by which a reader knows that it has all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import mmh3

from millstream.topology.savepoints.manifest import Contents

_MASK = (1 << 64) - 1
_SEEDS = (1 << 32) - 1


def entry_checksum(key: bytes, value: bytes) -> int:
    """Return the checksum of one entry, from 0 to 2**64 - 1.

    It is the first half of MurmurHash3 (x64, 128 bits) of key and value joined, and its seed is the
    length of the key: what moves from the key to the value changes it.

    >>> entry_checksum(b"a", b"bc") == entry_checksum(b"ab", b"c")
    False
    """
    return mmh3.mmh3_x64_128_uintdigest(key + value, len(key) & _SEEDS) & _MASK


def contents_of(keys: Sequence[bytes], values: Sequence[bytes]) -> Contents:
    """Return count, size and checksum of entries, given by columns."""
    return Contents(
        count=len(keys),
        size=sum(map(len, keys)) + sum(map(len, values)),
        checksum=sum(map(entry_checksum, keys, values)) & _MASK,
    )


def joined(parts: Iterable[Contents]) -> Contents:
    """Return the contents of several parts together, which have no entry in common."""
    count = size = checksum = 0
    for part in parts:
        count, size = count + part.count, size + part.size
        checksum = (checksum + part.checksum) & _MASK
    return Contents(count=count, size=size, checksum=checksum)
