"""Entries of stores, read from the segments of a checkpoint by Spark's workers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from millstream.core.processor import TaskId
from millstream.core.store import Range
from millstream.topology.spark.failures import reported
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segment_files import SegmentFiles
from millstream.topology.spark.state.segments import Segment, damaged, decode_segment

ENTRY_SCHEMA = "store string, partition int, key binary, value binary"
_ARROW = pa.schema(
    [
        ("store", pa.string()),
        ("partition", pa.int32()),
        ("key", pa.binary()),
        ("value", pa.binary()),
    ]
)
_BATCH_BYTES = 4 << 20

Live = tuple[str, list[bytes], list[bytes]]
"""A store's name, and keys and values of some of its entries."""


class Dropped:
    """Ranges of keys that later segments have deleted, joined where they meet."""

    def __init__(self) -> None:
        self._lowers: list[bytes] = []
        self._uppers: list[bytes] = []

    def add(self, bounds: Range) -> None:
        """Add ``(lower, upper)``, upper exclusive."""
        lower, upper = bounds
        if lower >= upper:
            return
        start = bisect_right(self._lowers, lower)
        if start and self._uppers[start - 1] >= lower:
            start -= 1
            lower = self._lowers[start]
        end = bisect_right(self._lowers, upper)
        if end > start:
            upper = max(upper, self._uppers[end - 1])
        self._lowers[start:end] = [lower]
        self._uppers[start:end] = [upper]

    def __contains__(self, key: bytes) -> bool:
        at = bisect_right(self._lowers, key)
        return bool(at) and key < self._uppers[at - 1]

    def __bool__(self) -> bool:
        return bool(self._lowers)


class NewestFirst:
    """The live entries of one task, from its segments in falling order: the newest value wins."""

    def __init__(self) -> None:
        self._seen: dict[str, set[bytes]] = {}
        self._dropped: dict[str, Dropped] = {}

    def take(self, segment: Segment) -> Iterator[Live]:
        """Yield what of a segment is still valid; later segments have been taken before."""
        for section in reversed(segment.sections):
            seen = self._seen.setdefault(section.store, set())
            dropped = self._dropped.setdefault(section.store, Dropped())
            keys, values = [], []
            for key, value in zip(section.keys, section.values, strict=True):
                if key in seen or (dropped and key in dropped):
                    continue
                seen.add(key)
                if value is not None:
                    keys.append(key)
                    values.append(value)
            # A write deletes its ranges before it sets its entries.
            for bounds in section.dropped:
                dropped.add(bounds)
            if keys:
                yield section.store, keys, values


def live_entries(
    rows: Iterable[tuple[int, int, bytes]],
    manifests: Mapping[int, Manifest],
    files: Callable[[int], SegmentFiles] = lambda _: SegmentFiles(None),
) -> Iterator[tuple[int, Live]]:
    """Yield the partition and some live entries, from rows of (partition, seq, segment).

    Args:
        rows: By partition, and in each by falling seq.
        manifests: Partition -> manifest.
        files: Returns the files of a partition's segments.

    Raises:
        ProcessorStateException: A segment is missing or damaged.
    """
    current, expected, entries = -1, 0, NewestFirst()
    for partition, seq, blob in rows:
        manifest = manifests.get(partition)
        if manifest is None or not manifest.first <= seq < manifest.position.seq:
            continue
        if partition != current:
            _check_whole(current, expected, manifests)
            current, expected, entries = partition, manifest.position.seq - 1, NewestFirst()
        if seq != expected:
            raise damaged(f"segment {expected} of task {partition}", "It is missing.")
        expected -= 1
        segment = files(partition).resolved(seq, bytes(blob))
        for live in entries.take(decode_segment(segment, f"segment {seq}")):
            yield partition, live
    _check_whole(current, expected, manifests)


def _check_whole(partition: int, expected: int, manifests: Mapping[int, Manifest]) -> None:
    if partition >= 0 and expected >= manifests[partition].first:
        raise damaged(f"segment {expected} of task {partition}", "It is missing.")


def entry_mapper(manifests: Mapping[int, Manifest], root: str, subtopology: int) -> Any:
    """Return a function for ``mapInArrow``: rows (partition_id, seq, blob) to entries.

    Args:
        manifests: Partition -> manifest.
        root: Directory of the files of segments; empty for none.
        subtopology: The sub-topology whose tasks they are.
    """

    def files(partition: int) -> SegmentFiles:
        return SegmentFiles.of(root, TaskId(subtopology, partition))

    def entries(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            row
            for batch in batches
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        )
        waiting: list[tuple[int, Live]] = []
        size = 0
        with reported():
            for partition, live in live_entries(rows, manifests, files):
                waiting.append((partition, live))
                size += sum(map(len, live[2])) + sum(map(len, live[1]))
                if size > _BATCH_BYTES:
                    yield as_batch(waiting)
                    waiting, size = [], 0
            if waiting:
                yield as_batch(waiting)

    return entries


def as_batch(found: list[tuple[int, Live]]) -> pa.RecordBatch:
    """Return entries of partitions as a batch of ``ENTRY_SCHEMA``."""
    stores: list[str] = []
    partitions: list[int] = []
    keys: list[bytes] = []
    values: list[bytes] = []
    for partition, (store, some_keys, some_values) in found:
        stores += [store] * len(some_keys)
        partitions += [partition] * len(some_keys)
        keys += some_keys
        values += some_values
    columns = [stores, partitions, keys, values]
    arrays = [pa.array(each, field.type) for each, field in zip(columns, _ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_ARROW)
