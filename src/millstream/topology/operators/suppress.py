"""Processor of ``suppress``: it buffers updates until they are due, or the buffer is full."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.columns import has_none, until_error
from millstream.core.durations import LONG_MAX
from millstream.core.engine.failure import FATAL, FailedProcessing
from millstream.core.errors import StreamsException
from millstream.core.processor import PunctuationType
from millstream.core.record_context import RecordContext
from millstream.core.records import Change, make_record
from millstream.topology.operators.getters import Cell, Getter, ViewAbove
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.suppression_measures import measure_suppression
from millstream.topology.operators.suppression_store import Encoded, Evicted, SuppressionStore
from millstream.topology.operators.table_settings import TableSettings

_LONG = struct.Struct(">q")
_TIMES = struct.Struct(">qq")
_UNKNOWN_TIME = -1
_TICK_MS = 1
"""Each time the host reads its clock."""
_CHUNK = 4096
"""How many updates go out at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """When updates go out."""

    store: str
    wait_ms: int
    final: bool = False
    """Each window's last update, and no deletions; else updates as old as ``wait_ms``."""
    max_records: int = LONG_MAX
    max_bytes: int = LONG_MAX
    emits_early: bool = False
    """A full buffer forwards its first updates; else it is an error."""
    wall_clock: bool = False
    """While stream time does not advance, wall-clock time is used instead."""


class SuppressTable(Operator):
    """Forwards the last update of each key, with its own time and headers, once it is due.

    Time is the stream time of these updates: without any, nothing is forwarded. By wall clock, the
    time since its last advance is added.

    Source: ``suppress.KTableSuppressProcessorSupplier`` (KIP-328).
    """

    def __init__(self, rule: Suppression, *, settings: TableSettings) -> None:
        del settings
        self._rule = rule
        self._stream_time = -1
        self._moved_ms = 0
        """The wall-clock time of the last advance of stream time."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._store: SuppressionStore = context.getStateStore(self._rule.store)
        measure_suppression(self, context, self._store)
        self._limited = min(self._rule.max_records, self._rule.max_bytes) < LONG_MAX
        self._next = self._store.first_time()
        if self._rule.wall_clock:
            context.schedule(_TICK_MS, PunctuationType.WALL_CLOCK_TIME, self._tick)

    def save(self) -> bytes:
        """Return the stream time of the updates, and when it last advanced if the rule needs it."""
        if self._rule.wall_clock:
            return _TIMES.pack(self._stream_time, self._moved_ms)
        return _LONG.pack(self._stream_time)

    def combine(self, saved: Sequence[bytes]) -> bytes:
        """Return the largest of several tasks' times."""
        # A former program may have had another rule, here as in restore.
        times = _TIMES if all(len(each) == _TIMES.size for each in saved) else _LONG
        return times.pack(*map(max, zip(*(times.unpack_from(each) for each in saved), strict=True)))

    def restore(self, data: bytes) -> None:
        (self._stream_time,) = _LONG.unpack_from(data)
        # A former program may have had a rule without it.
        if self._rule.wall_clock and len(data) == _TIMES.size:
            _, self._moved_ms = _TIMES.unpack(data)

    def process(self, record: AnyRecord) -> None:
        """Buffer the update, then forward what is due.

        Raises:
            StreamsException: The buffer is full and must not emit early.
        """
        given = self.context.record_context
        assert given is not None
        # Without the bytes of the source record, as in a run: they would be kept until the release.
        place = given._topic, given._partition, given._offset
        context = RecordContext(*place, given._timestamp, given._headers)
        before = self._stream_time
        self._stream_time = max(before, record._timestamp)
        self._note_move(before)
        change = record._value
        update = self._store.encode(record._key, change.new, change.old)
        if self._buffer(record._key, update, context):
            self._forward_due()

    def process_chunk(self, chunk: Chunk) -> None:
        """Buffer the updates one after the other, and forward what each makes due."""
        olds = [None] * len(chunk) if chunk.olds is None else chunk.olds
        columns = chunk.keys, chunk.values, olds
        error: Exception | None = None
        try:
            updates = self._store.encode_column(*columns)
        except Exception:  # noqa: BLE001 - one by one finds the update
            updates, error = until_error(self._store.encode, *columns)
        before = self._stream_time
        for index in range(len(chunk)):
            context = _context(chunk, index)
            if error is None:
                self._stream_time = max(self._stream_time, context._timestamp)
                if not self._buffer(chunk.keys[index], updates[index], context):
                    continue
            self.context.record_begins(chunk, index)
            with self.context.as_record(context):
                try:
                    if error is None:
                        self._forward_due()
                    else:
                        self.process(chunk.record(index))
                except (FailedProcessing, *FATAL):
                    raise
                except Exception as failure:  # noqa: BLE001 - a node below may raise anything
                    self.context.fail(chunk, index, failure)
            self.context.record_done(chunk, index)
        self._note_move(before)

    def _buffer(self, key: Any, update: Encoded, context: RecordContext) -> bool:
        """Buffer an update; return whether an update may be due."""
        rule = self._rule
        time = key.window().end() if rule.final else context._timestamp
        self._store.put(time, update, context)
        self._next = min(self._next, time)
        return self._limited or self._next <= self._stream_time - rule.wait_ms

    def _note_move(self, before: int) -> None:
        """Note the wall-clock time of an advance of stream time, if the rule needs it."""
        if self._rule.wall_clock and self._stream_time > before:
            self._moved_ms = self.context.currentSystemTimeMs()

    def _forward_due(self) -> None:
        """Forward what is due, then make room if the buffer is over its limits."""
        self._forward_until(self._stream_time - self._rule.wait_ms)
        if self._limited and self._is_over():
            self._forward_early()

    def _tick(self, now_ms: int) -> None:
        """Forward what is due by wall-clock time since stream time last advanced."""
        # A clock that was set back begins to wait anew.
        self._moved_ms = min(self._moved_ms, now_ms)
        passed_ms = now_ms - self._moved_ms
        self._forward_until(self._stream_time + passed_ms - self._rule.wait_ms)

    def _forward_until(self, due: int) -> None:
        if self._next > due:
            return
        store = self._store
        try:
            # Processors below that read stream time or the buffer must see each update by itself.
            if store.watched or (self.context.in_run and not self.context.columns_below):
                with closing(store.evict(due)) as evicted:
                    self._forward_each(evicted)
            else:
                with closing(store.evict_columns(due, _CHUNK)) as columns:
                    for each in columns:
                        self._forward_columns(*each)
        finally:
            self._next = store.first_time()

    def _forward_early(self) -> None:
        """Forward updates of a full buffer until it is within its limits."""
        store, rule = self._store, self._rule
        if not rule.emits_early:
            raise StreamsException(
                f"{self.context.node_name} buffer exceeded its max capacity. "
                f"Currently [{store.count()}/{rule.max_records}] records and "
                f"[{store.size()}/{rule.max_bytes}] bytes.",
                hint="Raise the limits, or use emitEarlyWhenFull() or spillToDiskWhenFull().",
            )
        try:
            with closing(store.evict(LONG_MAX)) as evicted:
                for update in evicted:
                    self._forward_each([update])
                    if not self._is_over():
                        return
        finally:
            self._next = store.first_time()

    def _is_over(self) -> bool:
        store, rule = self._store, self._rule
        return store.count() > rule.max_records or store.size() > rule.max_bytes

    def _forward_each(self, evicted: Iterable[Evicted]) -> None:
        for key, new, old, context in evicted:
            if new is None and self._rule.final:
                continue
            with self.context.as_record(context):
                change = Change(new, old)
                self.forward(make_record(key, change, context._timestamp, context._headers))

    def _forward_columns(
        self, keys: list[Any], news: list[Any], olds: list[Any], contexts: list[RecordContext]
    ) -> None:
        """Forward runs of updates that came from one partition each."""
        headers = [context._headers for context in contexts]
        start = 0
        for (topic, partition), source in groupby(contexts, key=_source):
            stop = start + sum(1 for _ in source)
            own = contexts[start:stop]
            chunk = Chunk(
                topic,
                partition,
                [context._offset for context in own],
                [context._timestamp for context in own],
                keys[start:stop],
                news[start:stop],
                headers[start:stop] if any(headers[start:stop]) else None,
                olds[start:stop],
                waited=True,
            )
            if self._rule.final and has_none(chunk.values):
                chunk = chunk.select([new is not None for new in chunk.values])
            self.context.forward_chunk(chunk)
            start = stop


def _context(chunk: Chunk, index: int) -> RecordContext:
    headers = None if chunk.headers is None else chunk.headers[index]
    offset, timestamp = chunk.offsets[index], chunk.timestamps[index]
    return RecordContext(chunk.topic, chunk.partition, offset, timestamp, headers)


def _source(context: RecordContext) -> tuple[str | None, int]:
    return context._topic, context._partition


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedView(ViewAbove):
    """The table below a ``suppress``: without the buffered updates."""

    store: str

    @property
    def stores(self) -> tuple[str, ...]:
        """The buffer, and the stores above; their order shows in ``describe()``."""
        return (self.store, *self.above.stores)

    def open(self, context: Any) -> Getter:
        """Return a getter that reads the buffer first."""
        return _SuppressedGetter(self.above.open(context), context.getStateStore(self.store))


class _SuppressedGetter(Getter):
    def __init__(self, above: Getter, store: SuppressionStore) -> None:
        self._above = above
        self._store = store
        store.watched = True

    def get(self, key: Any) -> Cell:
        buffered, prior = self._store.prior(key)
        if not buffered:
            return self._above.get(key)
        return None if prior is None else (prior, _UNKNOWN_TIME)

    def close(self) -> None:
        self._above.close()
