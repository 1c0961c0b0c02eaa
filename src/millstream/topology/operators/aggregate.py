"""Processor of ``count``, ``reduce`` and ``aggregate`` by key."""

from __future__ import annotations

from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.records import Change, make_record
from millstream.topology.operators.folding import (
    Combine,
    Initial,
    Updates,
    fold,
    identities,
    last_updates,
)
from millstream.topology.operators.kept import KeptTable
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.table_settings import TableSettings

_NULL = "null key or value"


class Aggregate(Operator):
    """Keeps one aggregate per key and forwards each new one, or lets the store's cache do it.

    The aggregate's time is the largest of its records. A record without key or value is dropped.
    """

    def __init__(self, initial: Initial, combine: Combine, *, settings: TableSettings) -> None:
        self._initial = initial
        self._combine = combine
        self._settings = settings

    def init(self, context: Any) -> None:
        """Open the store."""
        super().init(context)
        self._kept = KeptTable(context, self._settings)
        self._access = self._kept.access
        # In a versioned store each version counts, not the last of a run.
        self.by_records = self._kept.versioned or not self._access.folds
        self._at_once = self._kept.at_once

    def process(self, record: AnyRecord) -> None:
        """Add the record to its key's aggregate."""
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
        is_latest = self._kept.write(key_bytes, key, new, timestamp)
        if is_latest is not None:
            change = Change(new, old if self._settings.sends_old else None, is_latest)
            self.forward(make_record(key, change, timestamp, record._headers))

    def process_chunk(self, chunk: Chunk) -> None:
        """Add the records to their keys' aggregates."""
        columns = zip(chunk.keys, chunk.values, strict=True)
        keep = [key is not None and value is not None for key, value in columns]
        chunk = self.kept(chunk, keep, _NULL)
        if not chunk:
            return
        access = self._access
        try:
            slots, key_bytes = identities(chunk.keys, access.serialize_keys)
        except Exception:  # noqa: BLE001 - which key it was will show record by record
            self._one_by_one(chunk)
            return
        if not access.has_room(key_bytes, chunk):
            self._through_cache(chunk, [key_bytes[slot] for slot in slots])
            return
        cells = access.read_many(key_bytes)
        start = 0
        while start < len(chunk):
            rows = zip(
                chunk.keys[start:], chunk.values[start:], chunk.timestamps[start:], strict=True
            )
            updates = fold(slots[start:], rows, cells, self._initial, self._combine, access)
            stop = start + len(updates.news)
            self._store(chunk.slice(start, stop), slots[start:stop], key_bytes, updates)
            if updates.error is not None:
                self.context.fail(chunk, stop, updates.error)
                stop += 1
            start = stop

    def _store(
        self, run: Chunk, slots: list[int], key_bytes: list[bytes], updates: Updates
    ) -> None:
        """Write what a run has come to, then forward its updates."""
        if not run:
            return
        every = self._access.logs and not self._access.cached
        indices = range(len(run)) if every else last_updates(slots)
        self._access.write_many(
            [key_bytes[slots[index]] for index in indices],
            [run.keys[index] for index in indices],
            [updates.news[index] for index in indices],
            [updates.timestamps[index] for index in indices],
            run,
            indices,
        )
        if self._at_once:
            self.context.forward_chunk(
                updated(run, run.keys, updates, sends_old=self._settings.sends_old)
            )

    def _through_cache(self, chunk: Chunk, key_bytes: list[bytes]) -> None:
        """Add the records one after the other: the cache may have to flush in between."""
        in_hand, read, write, initial, combine = (
            self._access.set_current_record,
            self._access.read,
            self._access.write_at,
            self._initial,
            self._combine,
        )
        columns = list(zip(key_bytes, chunk.keys, chunk.values, chunk.timestamps, strict=True))
        index = 0
        while index < len(chunk):
            try:
                for index in range(index, len(chunk)):  # noqa: B020 - goes on where it failed
                    slot, key, value, time = columns[index]
                    in_hand(chunk, index)
                    cell = read(slot)
                    if cell is None:
                        old = initial()
                    else:
                        old, stored = cell
                        time = max(time, stored)
                    write(slot, key, combine(key, value, old), time, chunk, index)
                return
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self.context.fail(chunk, index, error)
                index += 1

    def _one_by_one(self, chunk: Chunk) -> None:
        for index in range(len(chunk)):
            try:
                self._update(chunk.slice(index, index + 1))
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self.context.fail(chunk, index, error)

    def _update(self, single: Chunk) -> None:
        """Add one record, as ``process`` does, where it is not the record in hand."""
        key_bytes = self._access.serialize_key(single.keys[0])
        self._access.set_current_record(single, 0)
        cells = [self._access.read(key_bytes)]
        rows = zip(single.keys, single.values, single.timestamps, strict=True)
        updates = fold([0], rows, cells, self._initial, self._combine, self._access)
        if updates.error is not None:
            raise updates.error
        self._access.write_at(
            key_bytes, single.keys[0], updates.news[0], updates.timestamps[0], single, 0
        )
        if self._at_once:
            self.context.forward_chunk(
                updated(single, single.keys, updates, sends_old=self._settings.sends_old)
            )


def updated(run: Chunk, keys: list[Any], updates: Updates, *, sends_old: bool) -> Chunk:
    """Return a run of records as updates of a table."""
    return Chunk(
        run.topic,
        run.partition,
        run.offsets,
        updates.timestamps,
        keys,
        updates.news,
        run.headers,
        updates.olds if sends_old else [None] * len(run),
    )
