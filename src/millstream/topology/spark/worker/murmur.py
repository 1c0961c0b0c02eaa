"""Kafka's default partitioner over a whole column of keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

_M = np.uint32(0x5BD1E995)
_SEED = np.uint32(0x9747B28C)


def partitions_of(keys: pa.Array, count: int) -> Any:
    """Return Kafka's partition of each key, as an integer array; null keys get 0.

    Args:
        keys: A binary column.
        count: Partition count of the topic.
    """
    if count == 1 or not len(keys):
        return np.zeros(len(keys), np.int64)
    partitions = (murmur2_column(keys) & np.uint32(0x7FFFFFFF)).astype(np.int64) % count
    if keys.null_count:
        partitions[keys.is_null().to_numpy(zero_copy_only=False)] = 0
    return partitions


def murmur2_column(keys: pa.Array) -> Any:
    """Return Kafka's murmur2 of each entry of a binary column, as unsigned 32-bit integers."""
    offsets, data = _layout(keys)
    starts, lengths = offsets[:-1], np.diff(offsets)
    hashes = _SEED ^ lengths.astype(np.uint32)
    words = lengths >> 2
    longest = int(words.max())
    shortest = int(words.min())
    with np.errstate(over="ignore"):
        for word in range(longest):
            if word < shortest:
                hashes = _mix(hashes, _word(data, starts + 4 * word))
            else:
                rows = np.nonzero(words > word)[0]
                hashes[rows] = _mix(hashes[rows], _word(data, starts[rows] + 4 * word))
        return _finish(_mix_tail(hashes, data, starts + 4 * words, lengths & 3))


def _layout(keys: pa.Array) -> tuple[Any, Any]:
    _, offset_buffer, data_buffer = keys.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32)[keys.offset : keys.offset + len(keys) + 1]
    data = np.frombuffer(data_buffer or b"", np.uint8)
    # A word is read as four bytes from its start, and a tail never more than that.
    return offsets.astype(np.int64), np.concatenate([data, np.zeros(4, np.uint8)])


def _word(data: Any, at: Any) -> Any:
    low = data[at].astype(np.uint32) | (data[at + 1].astype(np.uint32) << np.uint32(8))
    high = data[at + 2].astype(np.uint32) | (data[at + 3].astype(np.uint32) << np.uint32(8))
    return low | (high << np.uint32(16))


def _mix(hashes: Any, words: Any) -> Any:
    words = words * _M
    words ^= words >> np.uint32(24)
    words *= _M
    return (hashes * _M) ^ words


def _mix_tail(hashes: Any, data: Any, at: Any, rest: Any) -> Any:
    tails = _word(data, at) & ((np.uint32(1) << (rest * 8).astype(np.uint32)) - np.uint32(1))
    return np.where(rest > 0, (hashes ^ tails) * _M, hashes)


def _finish(hashes: Any) -> Any:
    hashes = (hashes ^ (hashes >> np.uint32(13))) * _M
    return hashes ^ (hashes >> np.uint32(15))
