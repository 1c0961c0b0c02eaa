"""Processors of tables that come from a topic, or record by record from another table."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.chunk_processor import ChunkProcessor, JointRun
from millstream.core.columns import has_none
from millstream.core.engine.failure import FATAL
from millstream.core.function_kinds import PREDICATE, check_result
from millstream.core.records import Change, make_record
from millstream.topology.operators.folding import identities, write_updates
from millstream.topology.operators.operator import AnyRecord, Operator, runs
from millstream.topology.operators.returned import Returned
from millstream.topology.operators.table_join import JoinSide
from millstream.topology.operators.table_join_run import TableJoinRun, TableUpdates
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.table_store import TableStore
from millstream.topology.operators.versioned_updates import NO_KEY, VersionedUpdates

log = logging.getLogger(__name__)

_WORTH_FOLDING = 8
"""How many records it takes before going by columns is faster."""


class TableSource(Operator):
    """Reads records as updates of a table."""

    caches_updates = True

    def __init__(self, *, settings: TableSettings) -> None:
        self._settings = settings

    def init(self, context: Any) -> None:
        super().init(context)
        self._access: Any = None
        self._folds = False
        if self._settings.store is not None:
            self._store = TableStore(context, self._settings)
            self._access, self._at_once = self._store.access, self._store.at_once
            self.by_records = self._store.versioned
            self._folds = self._access.folds and not self._access.logs

    @property
    def store(self) -> str | None:
        """The name of its store."""
        return self._settings.store

    @property
    def joins_runs(self) -> bool:  # type: ignore[override]
        if self.by_records or not self._folds:
            return self._folds
        below = self.context.processor_below
        return self._at_once and isinstance(below, JoinSide) and not below.by_records

    def joint_run(self, parts: Sequence[tuple[ChunkProcessor, Chunk]]) -> JointRun | None:
        tables = [(each, chunk) for each, chunk in parts if isinstance(each, TableSource)]
        if len(tables) < len(parts):
            other = next(each for each, _ in parts if not isinstance(each, TableSource))
            return other.joint_run(parts)
        try:
            joined = [table.joined_updates(chunk) for table, chunk in tables]
            run = TableJoinRun.of(joined)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - record by record shows which record it was
            return None
        return None if run is None else run.process

    def joined_updates(self, chunk: Chunk) -> TableUpdates | None:
        """Return a run of updates as what a join of two tables takes; None for other tables."""
        if self.by_records or self._access.keeps_headers or has_none(chunk.keys):
            return None
        side, sends_old = self.context.processor_below, self._settings.sends_old
        return TableUpdates(chunk, self._access, self._warn_if_late, side, sends_old)

    def versioned_updates(self, chunk: Chunk) -> VersionedUpdates | None:
        """Return what writes a run to a versioned store; None if updates are also forwarded.

        Raises:
            Exception: A key cannot be serialized.
        """
        if self.context.linked:
            return None
        return VersionedUpdates(self.context, self._access, chunk, self._warn_if_late)

    def process(self, record: AnyRecord) -> None:
        """Store the update, if there is a store, and forward it."""
        key, value, timestamp = record._key, record._value, record._timestamp
        if key is None:
            self.context.drop(NO_KEY)
            return
        if self._access is None:
            change = Change(value, None, is_latest=True)
            self.forward(make_record(key, change, timestamp, record._headers))
            return
        key_bytes = self._access.serialize_key(key)
        before, old = self._before(key_bytes)
        if before is not None:
            self._warn_if_late(timestamp, before)
        self._store.update(key_bytes, record, value, old, timestamp)

    def _before(self, key_bytes: bytes) -> tuple[int | None, Any]:
        """Return time and value of a row; no value if none is to be sent."""
        if not (self._at_once and self._settings.sends_old):
            return self._access.read_time(key_bytes), None
        cell = self._access.read(key_bytes)
        return (None, None) if cell is None else (cell[1], cell[0])

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self.kept(chunk, [key is not None for key in chunk.keys], NO_KEY)
        if not chunk:
            return
        if self._access is None:
            self._pass_on(chunk, [None] * len(chunk))
            return
        run = self._run(chunk) if len(chunk) >= _WORTH_FOLDING else None
        olds = None if run is None else self._folded(chunk, *run)
        if olds is None:
            self._write_each(chunk)
        else:
            self._pass_on(chunk, olds)

    def _pass_on(self, chunk: Chunk, olds: list[Any]) -> None:
        """Forward a run of updates, unless a cache does."""
        if self._access is None or self._at_once:
            known = olds if self._settings.sends_old else None
            self.context.forward_chunk(table_chunk(chunk, chunk.values, known))

    def pending_bytes(self, chunk: Chunk) -> int | None:
        if self._access is None or self._at_once or self.by_records or has_none(chunk.keys):
            return None
        run = self._run(chunk)
        return None if run is None else run[2]

    def _run(self, chunk: Chunk) -> tuple[list[int], list[bytes], int] | None:
        """Return the number of each record's key, the keys' bytes, and what a cache needs for them.

        None: the updates have to be written one after the other.
        """
        access = self._access
        if not access.folds:
            return None
        try:
            slots, key_bytes = identities(chunk.keys, access.serialize_keys)
        except Exception:  # noqa: BLE001 - which key it was will show record by record
            return None
        if not access.cached:
            return slots, key_bytes, 0
        needed = access.most_bytes(key_bytes, chunk)
        return None if needed is None or needed > access.room() else (slots, key_bytes, needed)

    def _folded(
        self, chunk: Chunk, slots: list[int], key_bytes: list[bytes], _needed: int
    ) -> list[Any] | None:
        """Write the last update of each key and return the values from before every update.

        None: nothing is written, since a value cannot be written, or a row not be read.
        """
        access = self._access
        if not access.takes(chunk.values):
            return None
        try:
            cells = access.read_many(key_bytes)
            wanted = self._at_once and self._settings.sends_old
            olds = self._olds(chunk, slots, cells) if wanted else []
            write_updates(access, chunk, slots, key_bytes, chunk.values, chunk.timestamps)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - which row it was will show record by record
            return None
        self._warn_of_late(chunk, slots, cells)
        return olds

    def _olds(self, chunk: Chunk, slots: list[int], cells: list[Any]) -> list[Any]:
        """Return the value before each update, cells being those before all of them."""
        plain, to_cell, olds = self._access.plain, self._access.to_cell, []
        values = [None if cell is None else cell[0] for cell in cells]
        for slot, value in zip(slots, chunk.values, strict=True):
            olds.append(values[slot])
            if value is None or type(value) is plain:
                values[slot] = value
            else:
                cell = to_cell(value, 0)
                values[slot] = None if cell is None else cell[0]
        return olds

    def _warn_of_late(self, chunk: Chunk, slots: list[int], cells: list[Any]) -> None:
        """Warn of each update that is older than the one before it, cells being the first ones."""
        times = list(chunk.timestamps)
        stored = [None if cell is None else cell[1] for cell in cells]
        latest = max((time for time in stored if time is not None), default=times[0])
        if latest <= times[0] and times == sorted(times):
            return
        for slot, timestamp, value in zip(slots, times, chunk.values, strict=True):
            before = stored[slot]
            if before is not None:
                self._warn_if_late(timestamp, before)
            stored[slot] = None if value is None else timestamp

    def _write_each(self, chunk: Chunk) -> None:
        """Write the updates one after the other, and forward them."""
        while True:
            olds: list[Any] = []
            try:
                self._write_until_error(chunk, olds)
            except Exception as error:  # noqa: BLE001 - a serializer may raise anything
                done = len(olds)
                self._pass_on(chunk.slice(0, done), olds)
                self.context.fail(chunk, done, error)
                chunk = chunk.slice(done + 1, len(chunk))
            else:
                self._pass_on(chunk, olds)
                done = len(olds)
                if done and not self._at_once:
                    self.context.record_done(chunk, done - 1)
                if done == len(chunk):
                    return
                chunk = chunk.slice(done, len(chunk))

    def _write_until_error(self, chunk: Chunk, olds: list[Any]) -> None:
        """Write updates, and add the value from before each, None if it is not to be sent.

        It ends early where punctuations may be due.
        """
        access = self._access
        columns = zip(chunk.keys, chunk.values, chunk.timestamps, strict=True)
        for index, (key, value, timestamp) in enumerate(columns):
            key_bytes = access.serialize_key(key)
            access.set_current_record(chunk, index)
            before, old = self._before(key_bytes)
            if before is not None:
                self._warn_if_late(timestamp, before)
            access.write_at(key_bytes, key, value, timestamp, chunk, index)
            olds.append(old)
            if self.context.scheduled_in_run and not self._at_once:
                return

    def _warn_if_late(self, timestamp: int, stored: int) -> None:
        if timestamp < stored:
            log.warning(
                "out-of-order table update store=%s operator=%s old_timestamp=%d new_timestamp=%d",
                self._settings.store,
                self.context.node_name,
                stored,
                timestamp,
            )


class DerivedTable(Operator):
    """A table computed from another one, update by update.

    One with a store goes record by record: each update may be refused, or depend on the row before.
    """

    def __init__(self, *, settings: TableSettings) -> None:
        self._settings = settings
        self._returned = Returned(trusted=True)
        self._skips_absent = False

    def init(self, context: Any) -> None:
        super().init(context)
        self._store: TableStore | None = None
        if self._settings.store is not None:
            self._store = TableStore(context, self._settings)
            self.by_records = True

    def compute(self, key: Any, value: Any) -> Any:
        """Return this table's value for the upstream table's, None if it has none."""
        raise NotImplementedError

    def process(self, record: AnyRecord) -> None:
        """Compute the update, store it if there is a store, and forward it."""
        key, change = record._key, record._value
        store, sends_old = self._store, self._settings.sends_old
        new = self.compute(key, change.new)
        self._returned.look(new)
        old, key_bytes = None, b""
        if store is None:
            old = self.compute(key, change.old) if sends_old else None
        else:
            key_bytes = store.access.serialize_key(key)
            cell = store.access.read(key_bytes) if sends_old else None
            old = None if cell is None else cell[0]
        if self._skips_absent and new is None and old is None and sends_old:
            return
        if store is None:
            self.forward(record.withValue(Change(new, old, change.is_latest)))
        else:
            store.update(key_bytes, record, new, old, record._timestamp)

    def process_chunk(self, chunk: Chunk) -> None:
        chunk, forward = self._returned.first_ones(chunk, self.context.each), self._forward_run
        if not self._settings.sends_old:
            for run, news in runs(self.context, chunk, self.compute, chunk.keys, chunk.values):
                forward(table_chunk(run, news, None))
            return
        columns = chunk.keys, chunk.values, chunk.olds or [None] * len(chunk)
        for run, found in runs(self.context, chunk, self._compute_both, *columns):
            out = table_chunk(run, [new for new, _ in found], [old for _, old in found])
            if self._skips_absent:
                out = out.select([new is not None or old is not None for new, old in found])
            forward(out)

    def _forward_run(self, chunk: Chunk) -> None:
        self._returned.forward_run(chunk, chunk.values, self.context)

    def _compute_both(self, key: Any, new: Any, old: Any) -> tuple[Any, Any]:
        return self.compute(key, new), self.compute(key, old)


class FilterTable(DerivedTable):
    """A table of the rows that a predicate accepts, or of the others."""

    def __init__(
        self, predicate: Callable[..., Any], *, negate: bool, settings: TableSettings
    ) -> None:
        super().__init__(settings=settings)
        self._predicate = predicate
        self._negate = negate
        # A row that passes neither before nor now is no update; an old version may be one.
        self._skips_absent = not settings.versioned_input

    def compute(self, key: Any, value: Any) -> Any:
        if value is None:
            return None
        verdict = self._predicate(key, value)
        if verdict is not True and verdict is not False:
            check_result(verdict, PREDICATE)
        return value if bool(verdict) is not self._negate else None


class MapTableValues(DerivedTable):
    """Computes every row's value from the upstream value."""

    def __init__(
        self, mapper: Callable[..., Any], *, with_key: bool, settings: TableSettings
    ) -> None:
        super().__init__(settings=settings)
        self._returned = Returned()
        self._mapper = mapper
        self._with_key = with_key

    def compute(self, key: Any, value: Any) -> Any:
        """Return the mapped value; a deleted row stays deleted."""
        if value is None:
            return None
        return self._mapper(key, value) if self._with_key else self._mapper(value)


class ToStream(Operator):
    """Reads a table's updates as records: the new values."""

    def process(self, record: AnyRecord) -> None:
        self.forward(record.withValue(record._value.new))

    def process_chunk(self, chunk: Chunk) -> None:
        records = chunk.replace()
        records.olds = None
        self.context.forward_chunk(records)


def table_chunk(chunk: Chunk, news: list[Any], olds: list[Any] | None) -> Chunk:
    """Return a run of records as updates of a table; no olds: they are not known."""
    updates = chunk.replace(values=news)
    updates.olds = [None] * len(chunk) if olds is None else olds
    return updates
