"""Reading of the sorted files that users' files are made into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from millstream.topology.spark.backfill.slices import Place
from millstream.topology.spark.worker.pack import SOURCE_COLUMNS

_CHUNK = 16_384


class SortedFile:
    """The records of one partition, addressed by their numbers.

    Args:
        path: A Parquet file, on a file system that Arrow knows.
    """

    def __init__(self, path: str) -> None:
        self._file = pq.ParquetFile(_opened(path))
        groups = range(self._file.metadata.num_row_groups)
        self._sizes = [self._file.metadata.row_group(n).num_rows for n in groups]

    def at_time(self, time_ms: int) -> int:
        """Return the number of the first record whose turn is at or after a time."""
        found = 0
        for number, size in enumerate(self._sizes):
            low, high = self._turns(number)
            if low >= time_ms:
                break
            if high >= time_ms:
                turns = self._file.read_row_group(number, ["turn"]).column(0).to_numpy()
                return found + int(np.searchsorted(turns, time_ms, "left"))
            found += size
        return found

    def records(self, place: Place, start: int, stop: int) -> Iterator[pa.RecordBatch]:
        """Yield records in the columns of Spark's Kafka source.

        Args:
            place: The topic and partition that the file stands for.
            start: Number of the first record.
            stop: Number after the last record.
        """
        first = 0
        for number, size in enumerate(self._sizes):
            if first < stop and first + size > start:
                rows = self._file.read_row_group(number)
                begin = max(0, start - first)
                part = rows.slice(begin, min(size, stop - first) - begin)
                at = first + begin
                for batch in part.combine_chunks().to_batches(_CHUNK):
                    yield _as_source(place, batch, at)
                    at += batch.num_rows
            first += size

    def _turns(self, group: int) -> tuple[int, int]:
        column: Any = self._file.metadata.row_group(group).column(0).statistics
        return int(column.min), int(column.max)


def _as_source(place: Place, batch: pa.RecordBatch, at: int) -> pa.RecordBatch:
    count = batch.num_rows
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    offsets = columns["offset"]
    if offsets.null_count:
        offsets = pa.array(range(at, at + count), pa.int64())
    columns |= {
        "topic": pa.repeat(pa.scalar(place[0], pa.string()), count),
        "partition": pa.repeat(pa.scalar(place[1], pa.int32()), count),
        "offset": offsets,
    }
    names = list(SOURCE_COLUMNS)
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names=names)


def _opened(path: str) -> Any:
    if path.startswith("file:"):
        return path.removeprefix("file://").removeprefix("file:")
    if "://" not in path:
        return path
    from pyarrow import fs

    system, inner = fs.FileSystem.from_uri(path.replace("s3a://", "s3://", 1))
    return system.open_input_file(inner)
