"""Processors that join a stream with the current rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.chunk_processor import ChunkProcessor, JointRun
from millstream.core.columns import has_none
from millstream.topology.operators.getters import Getter, StoreView
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.operator import AnyRecord, Operator, runs
from millstream.topology.operators.past_join_run import PastJoinRun
from millstream.topology.operators.returned import Returned
from millstream.topology.operators.table import TableSource
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.time_buffer import TimeBuffer
from millstream.topology.operators.time_buffer_run import TimeBufferRun

_INCOMPLETE = "null join key or value"


class LookupJoin(Operator):
    """Joins each record with one row; only the stream's records make results.

    A record without value is dropped, and one without row key too, unless it is a left join.
    """

    def __init__(self, joiner: Joiner, *, left: bool) -> None:
        self._join = joiner.of_key()
        self._left = left
        self._getter: Getter
        self._returned = Returned()

    def row_key(self, key: Any, value: Any) -> Any:
        """Return the key of the row for a record."""
        return key

    def process(self, record: AnyRecord) -> None:
        row_key = self.row_key(record._key, record._value)
        if record._value is None or (row_key is None and not self._left):
            self.context.drop(_INCOMPLETE)
        else:
            self.join(record, row_key)

    def join(self, record: AnyRecord, row_key: Any) -> None:
        """Forward the join of a record, which is not dropped, with its row."""
        row = None
        if row_key is not None:
            getter = self._getter
            if getter.versioned:
                cell = getter.get_as_of(row_key, record._timestamp)
            else:
                cell = getter.get(row_key)
            row = None if cell is None else cell[0]
        if row is not None or self._left:
            joined = self._join(record._key, record._value, row)
            self._returned.look(joined)
            self.forward(record.withValue(joined))

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self._returned.first_ones(chunk, self.context.each)
        for run, row_keys in self._row_keys(chunk):
            kept, keys = self._complete(run, row_keys)
            rows = self._rows(kept, keys) if kept else []
            if rows is None:
                self.context.each(kept)
            elif kept:
                self._join_rows(kept, rows)

    def _row_keys(self, chunk: Chunk) -> Iterable[tuple[Chunk, list[Any]]]:
        """Yield the records of a chunk, with the keys of their rows."""
        yield chunk, chunk.keys

    def _complete(self, run: Chunk, row_keys: list[Any]) -> tuple[Chunk, list[Any]]:
        """Drop the records without value, and those without row key unless it is a left join."""
        if not has_none(run.values) and (self._left or not has_none(row_keys)):
            return run, row_keys
        columns = zip(run.values, row_keys, strict=True)
        keep = [value is not None and (self._left or key is not None) for value, key in columns]
        return self.kept(run, keep, _INCOMPLETE), list(compress(row_keys, keep))

    def _rows(self, run: Chunk, row_keys: list[Any]) -> list[Any] | None:
        """Return the value of each record's row; None if they have to be looked up one by one."""
        getter, looked_up = self._getter, row_keys
        some = has_none(row_keys)
        if some:
            looked_up = [key for key in row_keys if key is not None]
        try:
            if getter.versioned:
                times = run.timestamps
                if some:
                    times = [t for t, k in zip(times, row_keys, strict=True) if k is not None]
                get = getter.get_as_of
                # Not by map(): a StopIteration of a mapper of the table would end it.
                cells: Any = [get(key, time) for key, time in zip(looked_up, times, strict=True)]
            else:
                cells = getter.get_many(looked_up)
        except Exception:  # noqa: BLE001 - record by record shows which row it was
            return None
        if cells is None:
            return None
        rows = [None if cell is None else cell[0] for cell in cells]
        if some:
            found = iter(rows)
            rows = [None if key is None else next(found) for key in row_keys]
        return rows

    def _join_rows(self, run: Chunk, rows: list[Any]) -> None:
        """Forward the joins of records with their rows."""
        if not self._left and has_none(rows):
            there = [row is not None for row in rows]
            run, rows = run.select(there), list(compress(rows, there))
        for joined, values in runs(self.context, run, self._join, run.keys, run.values, rows):
            self._returned.forward_run(joined.replace(values=values), values, self.context)

    def close(self) -> None:
        self._getter.close()


class JoinTable(LookupJoin):
    """Joins with the row of the record's own key."""

    def __init__(self, joiner: Joiner, *, left: bool, settings: TableSettings) -> None:
        super().__init__(joiner, left=left)
        (self._view,) = settings.reads

    def init(self, context: Any) -> None:
        super().init(context)
        self._getter = self._view.open(context)
        self.by_records = not (self._getter.by_columns or self._getter.versioned)


class JoinPastTable(JoinTable):
    """Joins with the row of the record's time, after a grace period for the table to catch up."""

    def __init__(self, joiner: Joiner, *, left: bool, buffer: str, settings: TableSettings) -> None:
        super().__init__(joiner, left=left, settings=settings)
        self._buffer_name = buffer
        self.saves_times_of = buffer
        """The store whose times ``save`` returns."""

    def init(self, context: Any) -> None:
        super().init(context)
        self.by_records = True
        self._buffer: TimeBuffer = context.getStateStore(self._buffer_name)
        self.joins_runs = not self._buffer.logs

    def joint_run(self, parts: Sequence[tuple[ChunkProcessor, Chunk]]) -> JointRun | None:
        chunk = next(chunk for processor, chunk in parts if processor is self)
        tables = [part for part in parts if part[0] is not self]
        if len(tables) > 1 or has_none(chunk.keys) or not self.context.forwards_alike(()):
            return None
        table = None
        try:
            for source, rows in tables:
                if not isinstance(source, TableSource) or source.store not in self._view.stores:
                    return None
                if (table := source.versioned_updates(rows)) is None:
                    return None
            waiting = TimeBufferRun(self._buffer, chunk)
        except Exception:  # noqa: BLE001 - record by record shows which record it was
            return None
        run = PastJoinRun(
            self.context, chunk, waiting, self._joined, self._returned, reason=_INCOMPLETE
        )
        return run.process if table is None else run.beside(table, first=parts[0][0] is not self)

    def _joined(self, key: Any, value: Any, timestamp: int) -> tuple[Any] | None:
        cell = self._getter.get_as_of(key, timestamp)
        row = None if cell is None else cell[0]
        return (self._join(key, value, row),) if row is not None or self._left else None

    def save(self) -> bytes:
        """Return what decides when a record is released after a restart."""
        return self._buffer.save()

    def combine(self, saved: Sequence[bytes]) -> bytes:
        return TimeBuffer.combined(saved)

    def restore(self, data: bytes) -> None:
        self._buffer.restore(data)

    def join(self, record: AnyRecord, row_key: Any) -> None:
        """Buffer the record, then join the released ones; join a late one at once."""
        context = self.context.record_context
        assert context is not None
        if not self._buffer.add(record, context):
            super().join(record, row_key)
            return
        for released, its_context in self._buffer.release():
            with self.context.as_record(its_context):
                super().join(released, released._key)


class JoinGlobalTable(LookupJoin):
    """Joins with the row whose key a function makes of key and value; the joiner gets the key."""

    reads_globals = True

    def __init__(
        self, joiner: Joiner, selector: Callable[[Any, Any], Any], *, left: bool, store: str
    ) -> None:
        super().__init__(joiner, left=left)
        self._selector = selector
        self._selected = Returned()
        self._store = store

    def init(self, context: Any) -> None:
        super().init(context)
        self._getter = StoreView(self._store).open(context)
        self.by_records = not self._getter.by_columns

    def row_key(self, key: Any, value: Any) -> Any:
        return self._selected.noted(self._selector(key, value))

    def process_chunk(self, chunk: Chunk) -> None:
        super().process_chunk(self._selected.first_ones(chunk, self.context.each))

    def _row_keys(self, chunk: Chunk) -> Iterable[tuple[Chunk, list[Any]]]:
        for run, keys in runs(self.context, chunk, self._selector, chunk.keys, chunk.values):
            self._selected.are_many(keys, self.context)
            yield run, keys
