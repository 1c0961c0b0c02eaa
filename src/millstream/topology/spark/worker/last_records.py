"""Last record of each key of a topic partition in a batch, found by columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from millstream.core.chunk import LastOfEachKey, RawChunk
from millstream.core.metrics.measured import Measured
from millstream.topology.spark.wire import to_list
from millstream.topology.spark.worker.sizes import consumed

Columns = Mapping[str, pa.Array]

_COLUMNS = ("offsets", "timestamps", "keys", "values")
_WORTHWHILE = 4
"""Minimum number of records per key for the shortcut."""
_LIMIT = 1 << 31
"""Largest array, in bytes."""


def last_of_each_key(topic: str, partition: int, chunks: Sequence[Columns]) -> LastOfEachKey | None:
    """Return the last records of a run.

    None if too many would remain, or if there are headers or null keys.

    Args:
        topic: Topic of the records.
        partition: Partition of the records.
        chunks: The run, in order; none is empty.
    """
    if any("headers" in each or each["keys"].null_count for each in chunks):
        return None
    if sum(each["keys"].nbytes for each in chunks) >= _LIMIT:
        return None
    codes, at = _last_positions([each["keys"] for each in chunks])
    count = len(codes)
    if len(at) * _WORTHWHILE > count:
        return None
    times = np.concatenate([each["timestamps"].to_numpy() for each in chunks])
    in_order = bool(np.all(times[1:] >= times[:-1]))
    last = codes[at]
    latest = times[at] if in_order else _latest(codes, times)[last]
    offsets, timestamps, keys, values = _taken(chunks, at)
    return LastOfEachKey(
        last=RawChunk(
            topic, partition, offsets, timestamps, keys, values, None, _measured(topic, chunks)
        ),
        count=count,
        least_ms=int(times.min()),
        latest_ms=int(times.max()),
        in_order=in_order,
        longest=max(_longest(each["values"]) for each in chunks),
        has_nulls=any(each["values"].null_count for each in chunks),
        counts=np.bincount(codes)[last].tolist(),
        latest=latest.tolist(),
    )


def _last_positions(columns: Sequence[pa.Array]) -> tuple[Any, Any]:
    """Return a number for each record, equal for equal keys, and the last position of each key."""
    # One dictionary for all chunks: codes of different dictionaries are not comparable.
    encoded = pa.chunked_array(columns).combine_chunks().dictionary_encode()
    last = np.empty(len(encoded.dictionary), np.int64)
    codes = encoded.indices.to_numpy()
    # numpy keeps the last of several positions for one code.
    last[codes] = np.arange(len(encoded))
    last.sort()
    return codes, last


def _latest(codes: Any, times: Any) -> Any:
    """Return the largest time of each code."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.maximum.reduceat(times[order], starts)


def _taken(chunks: Sequence[Columns], positions: Any) -> tuple[list[Any], ...]:
    """Return offsets, timestamps, keys and values at some positions of the run."""
    bounds = np.cumsum([0, *(len(each["keys"]) for each in chunks)])
    cuts = np.searchsorted(positions, bounds)
    found: tuple[list[Any], ...] = ([], [], [], [])
    for each, start, begin, end in zip(chunks, bounds, cuts, cuts[1:], strict=False):
        rows = pa.array(positions[begin:end] - start)
        for column, name in zip(found, _COLUMNS, strict=True):
            column += to_list(each[name].take(rows))
    return found


def _longest(column: pa.Array) -> int:
    # By name: pyarrow creates these functions at import, so type checkers do not know them.
    lengths = pc.call_function("binary_length", [column])
    return pc.call_function("max", [lengths]).as_py() or 0


def _measured(topic: str, chunks: Sequence[Columns]) -> Measured:
    whole = Measured()
    for each in chunks:
        found = consumed(topic, each)
        if found is not None:
            whole.add(found)
    return whole
