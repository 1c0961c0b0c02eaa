"""Processor of ``count``, ``reduce`` and ``aggregate`` by key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.chunk_processor import ChunkProcessor, JointRun
from millstream.topology.operators.folding import Combine, Initial, count_combine, identities
from millstream.topology.operators.joint_rows import JointPart, JointRows
from millstream.topology.operators.lost_aggregates import look_at_lost
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.returned import Returned, only_constants
from millstream.topology.operators.rows import RowAggregation, Rows
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.table_store import TableStore

_NULL = "null key or value"


class Aggregate(Operator):
    """Updates one aggregate per key, and forwards each new one unless the store has a cache.

    The aggregate's time is the largest of its records. A record without key or value is dropped.
    """

    def __init__(self, initial: Initial, combine: Combine, *, settings: TableSettings) -> None:
        self._initial = initial
        self._combine = combine
        self._settings = settings

    def init(self, context: Any) -> None:
        super().init(context)
        self._store = TableStore(context, self._settings)
        self._access = self._store.access
        # In a versioned store each version counts, not the last of a run.
        self.by_records = self._store.versioned or not self._access.folds
        self.joins_runs = not self.by_records
        constant = self.by_records or only_constants(self._access.plain)
        self._returned = Returned(trusted=constant)
        caches = self._access.cached and not self._store.at_once
        if caches and not self.by_records and self._combine is count_combine:
            self.add_counts = self._add_counts
        self._rows = RowAggregation(
            context,
            self._access,
            self._initial,
            self._combine,
            self._returned,
            sends_old=self._settings.sends_old,
        )

    def process(self, record: AnyRecord) -> None:
        key, value, timestamp = record._key, record._value, record._timestamp
        if key is None or value is None:
            self.context.drop(_NULL)
            return
        key_bytes = self._access.serialize_key(key)
        cell = self._access.read(key_bytes)
        if cell is None:
            old = self._initial()
        else:
            old = cell[0]
            timestamp = max(timestamp, cell[1])
        new = self._combine(key, value, old)
        self._returned.look(new)
        if new is None and cell is None:
            look_at_lost(self._combine, old)
        self._store.update(key_bytes, record, new, old, timestamp)

    def process_chunk(self, chunk: Chunk) -> None:
        columns = zip(chunk.keys, chunk.values, strict=True)
        keep = [key is not None and value is not None for key, value in columns]
        chunk = self._returned.first_ones(self.kept(chunk, keep, _NULL), self.context.each)
        if not chunk:
            return
        try:
            slots, key_bytes = identities(chunk.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - record by record shows which key it was
            self.context.each(chunk)
            return
        table_keys = chunk.keys if self._store.at_once else None
        if not self._rows.add(Rows(chunk, slots, key_bytes, range(len(chunk)), table_keys)):
            self.context.each(chunk)

    def pending_bytes(self, chunk: Chunk) -> int | None:
        if self.add_counts is None:
            return None
        try:
            _, key_bytes = identities(chunk.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - record by record shows which key it was
            return None
        # Keys that differ as bytes of the topic may be equal when they are written again.
        if len(key_bytes) < len(chunk) or not self._access.has_room(key_bytes, chunk):
            return None
        needed: int | None = self._access.most_bytes(key_bytes, chunk)
        return needed

    def _add_counts(self, chunk: Chunk, latest: Sequence[int]) -> None:
        """Add the numbers of records of distinct keys to their counts."""
        access, numbers = self._access, chunk.values
        key_bytes = access.serialize_keys(chunk.keys)
        cells = access.read_many(key_bytes)
        pairs = zip(cells, numbers, latest, strict=True)
        new = [(n, t) if c is None else (c[0] + n, max(c[1], t)) for c, n, t in pairs]
        access.write_many(
            key_bytes,
            chunk.keys,
            [count for count, _ in new],
            [timestamp for _, timestamp in new],
            chunk,
            range(len(chunk)),
        )

    def joint_run(self, parts: Sequence[tuple[ChunkProcessor, Chunk]]) -> JointRun | None:
        if self._access.logs and not self._access.cached:
            return None  # the changelog has every update, in their order
        joint = []
        for processor, chunk in parts:
            if not isinstance(processor, Aggregate) or processor._access is not self._access:
                return None
            if not processor._returned.trusts:
                return None
            joint.append(JointPart(processor.context, chunk, processor._combine))
        sends_old = None
        if self._store.at_once:
            if not self.context.forwards_alike(part.context for part in joint):
                return None
            sends_old = self._settings.sends_old
        rows = JointRows.of(self._access, self._initial, joint, _NULL, sends_old=sends_old)
        return None if rows is None else rows.process
