"""Format of rows that cross Spark: addresses, and the bytes of a chunk of records.

A row has its destination (the stage, and by its group key the task), its origin (the receiver
restores the order from it, which Spark does not promise) and one chunk as Arrow IPC bytes. Rows
never outlive a batch, so the format may change between versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from millstream.core.errors import ProcessorStateException
from millstream.topology.spark.arrow_headers import HEADERS

ROW_SCHEMA = (
    "key int, stage int, kind int, topic string, partition int, seq bigint, clock bigint, "
    "blob binary"
)
"""key: group key of the task; stage: index on the line, or SINK; topic and partition: of the source
(or the sender's task number); seq: first offset, or number of the chunk; clock: the batch's wall
clock in epoch milliseconds."""

SEED_SCHEMA = "stage int, key int, seq bigint, blob binary"
"""Rows of a seed, which outlives batches: segments in any order, and each task's first manifest."""

SINK = -1
RECORDS, OFFSETS, TICK, GLOBAL, READ, HANDED_OVER = 0, 1, 2, 3, 4, 5
"""Kinds of rows: a chunk; consumed offsets (in seq the next one to read, in blob the first one
read); a wall-clock tick; a chunk for global stores; the end of a range of offsets (in seq, and in
blob its beginning) if no record is there, from ``ChunkReader.java``; a chunk that is in memory (in
blob its place), from ``handed_over.py``."""

ARROW_ROW = pa.schema(
    [
        ("key", pa.int32()),
        ("stage", pa.int32()),
        ("kind", pa.int32()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("seq", pa.int64()),
        ("clock", pa.int64()),
        ("blob", pa.binary()),
    ]
)

_ARRAY_LIMIT = 1 << 31
_LARGE_BYTES = 1 << 20
_COLUMNS = {
    "offsets": pa.int64(),
    "timestamps": pa.int64(),
    "keys": pa.binary(),
    "values": pa.binary(),
    "headers": HEADERS,
    "partitions": pa.int32(),
}
_FIELDS = {name: pa.field(name, kind) for name, kind in _COLUMNS.items()}
_NEEDED = {"keys", "values", "timestamps"}
_NUMBERS = ("timestamps", "offsets")
_DAMAGED = (pa.ArrowException, OSError, ValueError, StopIteration)


def encode_chunk(**columns: Any) -> bytes:
    """Return the bytes of a chunk; columns that are None are left out.

    Args:
        **columns: Arrow arrays of one length: keys, values, timestamps, and optionally
            offsets, headers and (target) partitions.
    """
    return chunk_buffer(**columns).to_pybytes()  # type: ignore[no-any-return]


def chunk_buffer(**columns: Any) -> pa.Buffer:
    """Return the bytes of a chunk, as ``encode_chunk`` does, in Arrow's memory."""
    present = {name: column for name, column in columns.items() if column is not None}
    batch = pa.RecordBatch.from_arrays(list(present.values()), schema=chunk_schema(present))
    if batch.nbytes < _LARGE_BYTES:
        out = pa.BufferOutputStream()
        _write(out, batch)
        return out.getvalue()
    # A stream that grows copies all it has, several times.
    counted = pa.MockOutputStream()
    _write(counted, batch)
    buffer = pa.allocate_buffer(counted.size())
    _write(pa.FixedSizeBufferWriter(buffer), batch)
    return buffer


def chunk_schema(columns: Iterable[str]) -> pa.Schema:
    """Return Arrow's schema of a chunk with these columns."""
    return pa.schema([_FIELDS[name] for name in columns])


def _write(out: Any, batch: pa.RecordBatch) -> None:
    with pa.ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)


def decode_chunk(blob: bytes | pa.Buffer) -> dict[str, pa.Array]:
    """Return the columns of a chunk.

    Raises:
        ProcessorStateException: The bytes are damaged.
    """
    try:
        batch = pa.ipc.open_stream(blob).read_next_batch()
        batch.validate(full=True)
        names = batch.schema.names
    except _DAMAGED as error:
        raise _damaged(blob, f"{type(error).__name__}: {error}") from error
    columns = dict(zip(names, batch.columns, strict=True))
    if len(names) != len(columns) or not names or not columns.keys() >= _NEEDED:
        raise _damaged(blob, f"It has the columns {names}")
    for name, column in columns.items():
        if column.type != _COLUMNS.get(name):
            raise _damaged(blob, f'Column "{name}" is of type {column.type}')
    if any(columns[name].null_count for name in _NUMBERS if name in columns):
        raise _damaged(blob, "A time or a number is null")
    return columns


def binary_column(values: Sequence[bytes | None]) -> pa.Array:
    """Return a binary array; without nulls, several times as fast as Arrow's own conversion.

    Raises:
        OverflowError: The values have 2 GiB or more in total.
    """
    try:
        data = b"".join(values)  # type: ignore[arg-type]
    except TypeError:
        data = b"".join(value for value in values if value is not None)
        if len(data) < _ARRAY_LIMIT:
            return pa.array(values, pa.binary())
    if len(data) >= _ARRAY_LIMIT:
        raise OverflowError(f"a binary array cannot hold {len(data)} bytes")
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=offsets[1:])  # type: ignore[arg-type]
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(values), buffers)


def to_list(column: pa.Array) -> list[Any]:
    """Return a column as Python objects."""
    if column.null_count and not pa.types.is_binary(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    return column.to_numpy(zero_copy_only=False).tolist()  # type: ignore[no-any-return]


def _damaged(blob: bytes | pa.Buffer, detail: str) -> ProcessorStateException:
    return ProcessorStateException(
        "cannot read a chunk of records that was sent between two of Spark's tasks",
        detail=f"It has {len(blob)} bytes. {detail.splitlines()[0]}.",
        hint="Look for defects of memory, disks and network; a new start repeats the batch.",
    )
