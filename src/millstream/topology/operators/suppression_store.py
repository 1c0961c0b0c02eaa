"""State store of ``suppress``: a buffer of bytes with serdes and a changelog."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from millstream.core.buffered_log import FORMAT, from_log, logged
from millstream.core.buffers import BufferedChange, BufferSettings, SuppressionBuffer
from millstream.core.columns import until_error
from millstream.core.durations import LONG_MAX
from millstream.core.engine.checked_buffer import checked_buffer
from millstream.core.headers import Headers
from millstream.core.java_collections import bucket_order, bytes_hash, table_size
from millstream.core.metrics import Sensor, StoreMetrics
from millstream.core.metrics.store_metrics import SUPPRESSION
from millstream.core.record_context import RecordContext
from millstream.core.serdes.base import deserialize_column, serialize_column
from millstream.core.state import StateStore, StateStoreContext
from millstream.plugins.registry import buffer_class
from millstream.topology.operators.operator_store import SerdeCalls

Encoded = tuple[bytes, bytes | None, bytes | None]
"""Key, new value, old value."""

Evicted = tuple[Any, Any, Any, RecordContext]
"""The same as objects, and the context of the record that made the update."""

EvictedColumns = tuple[list[Any], list[Any], list[Any], list[RecordContext]]
"""The same of many updates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferKind:
    """A buffer plugin and its limits."""

    name: str = "memory"
    max_records: int = LONG_MAX
    max_bytes: int = LONG_MAX
    byte_store: str = "rocksdb"


class SuppressionStore(StateStore):
    """Buffered updates of a ``suppress``; only that operator reads them.

    The changelog has Kafka's format, version 3, written at each commit for the keys that changed.

    Source: ``internals.InMemoryTimeOrderedKeyValueChangeBuffer``.
    """

    def __init__(
        self, name: str, kind: BufferKind, *, logged: bool, key_serde: Any, value_serde: Any
    ) -> None:
        self._name = name
        self._kind = kind
        self._logged = logged
        self._serdes = (key_serde, value_serde)
        self._dirty: dict[bytes, None] = {}
        self._table = table_size(0)
        self._buffer: SuppressionBuffer
        self._leaving: tuple[bytes, BufferedChange] | None = None
        self._open = False
        self.metrics_scope = SUPPRESSION
        self.operations_measured = ()
        self.overtime: Sensor | None = None
        """Records by how much updates are overdue when they are forwarded."""
        self._metrics: StoreMetrics | None = None
        self.watched = False
        """Processors below read the buffer, so that each update is forwarded by itself."""

    def name(self) -> str:
        return self._name

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        context = self._context = stateStoreContext
        self._topic = f"{context.applicationId()}-{self._name}-changelog"
        calls = SerdeCalls(context, *self._serdes)
        self._write_key, self._read_key = calls.write_key, calls.read_key
        (self._write_value,), (self._read_value,) = calls.value_writers, calls.value_readers
        self._key_halves, (self._value_halves,) = calls.key_halves, calls.value_halves
        self.wants_headers, self._headers = calls.want_headers, calls.headers
        opened, kind = buffer_class(self._kind.name), self._kind
        settings = BufferSettings(
            store=self._name,
            max_records=kind.max_records,
            max_bytes=kind.max_bytes,
            byte_store=kind.byte_store,
            working_copy=context.working_copy,
            configs=context.appConfigs(),
        )
        self._buffer = checked_buffer(opened.open(settings), opened)
        # A buffer that does not recover has nothing but these changes, in a topic or without one.
        noted = self._logged or not opened.traits.recovers
        self._noted = noted and context.logs_changes(self._name)
        self._note = context.log_change if self._logged else context.keep_change
        if not opened.traits.recovers:
            context.register(root, self._restore)
        self._open = True

    def flush(self) -> None:
        """Log the keys that have changed since the last time, or keep them without a topic."""
        self._buffer.flush()
        if not self._dirty:
            return
        # The table of Java's set stays as large as it has ever been.
        self._table = table_size(len(self._dirty), self._table)
        for key in bucket_order(self._dirty, bytes_hash, self._table):
            change = self._buffer.get(key)
            # In Kafka the producer stamps them, with the time of the wall clock.
            no_time: Any = None
            if change is None:
                self._note(self._name, key, None, no_time, None)
            else:
                headers = Headers().add(*FORMAT)
                self._note(self._name, key, logged(change), no_time, headers)
        self._dirty = {}

    def reload(self) -> None:
        self._buffer.reload()

    def close(self) -> None:
        if self._open:
            self._open = False
            self._buffer.close()

    def persistent(self) -> bool:
        """Return False: only the changelog outlives the task."""
        return False

    def measured_by(self, metrics: StoreMetrics) -> None:
        """Take the metrics of the buffer's size and count."""
        self._metrics = metrics
        if metrics.debug:
            self.record_size()

    def record_size(self) -> None:
        """Record the buffer's size and count."""
        if self._metrics is not None:
            for sensors, amount in zip(
                self._metrics.buffer(), (self.size(), self.count()), strict=True
            ):
                for sensor in sensors:
                    sensor.record(amount)

    def isOpen(self) -> bool:
        return self._open

    def encode(self, key: Any, new: Any, old: Any) -> Encoded:
        """Return an update as bytes."""
        topic, write, headers = self._topic, self._write_value, self._headers()
        return (
            self._write_key(topic, headers, key) or b"",
            None if new is None else write(topic, headers, new),
            None if old is None else write(topic, headers, old),
        )

    def encode_column(self, keys: list[Any], news: list[Any], olds: list[Any]) -> list[Encoded]:
        """Return many updates as bytes."""
        if self.wants_headers:
            # Not by map(): a StopIteration of a serializer would end it.
            return [self.encode(*each) for each in zip(keys, news, olds, strict=True)]
        topic, value = self._topic, partial(serialize_column, self._value_halves[0], self._topic)
        found = serialize_column(self._key_halves[0], topic, keys)
        keys_bytes = [key for key in found if key is not None]
        if len(keys_bytes) < len(keys):
            return list(map(self.encode, keys, news, olds))  # which says what is wrong
        columns = keys_bytes, present(value, news), present(value, olds)
        return list(zip(*columns, strict=True))

    def put(self, time: int, update: Encoded, context: RecordContext) -> None:
        """Buffer a key's update, in place of the one before if there is one."""
        key, new, old = update
        self._buffer.add(time, key, old, new, context)
        if self._noted:
            self._dirty[key] = None

    def evict(self, until: int) -> Generator[Evicted, None, None]:
        """Take out the updates with ``time <= until`` in order; the caller may stop early."""
        overtime = None if until == LONG_MAX else self.overtime
        try:
            for key, change in self._buffer.evict(until):
                if overtime is not None:
                    overtime.record(until - change.time)
                if self._noted:
                    self._dirty[key] = None
                self._leaving = key, change
                yield *self._decoded_one(key, change), change.context
        finally:
            self._leaving = None

    def evict_columns(self, until: int, most: int) -> Generator[EvictedColumns, None, None]:
        """Do what ``evict`` does, with at most so many updates at a time."""
        overtime = None if until == LONG_MAX else self.overtime
        evicted = self._buffer.evict(until)
        try:
            while some := list(islice(evicted, most)):
                for key, change in some:
                    if overtime is not None:
                        overtime.record(until - change.time)
                    if self._noted:
                        self._dirty[key] = None
                try:
                    columns = self._decoded(some)
                except Exception:  # noqa: BLE001 - one by one finds the update
                    _close(evicted)
                    yield from self._until_error(some)
                    return
                yield columns
        finally:
            _close(evicted)

    def _until_error(
        self, some: list[tuple[bytes, BufferedChange]]
    ) -> Generator[EvictedColumns, None, None]:
        """Yield the updates before one that cannot be read, and raise; the rest stays."""
        rows, error = until_error(self._decoded_one, *zip(*some, strict=True))
        for key, change in some[len(rows) + 1 :]:
            self._buffer.restore(key, change)
        if rows:
            keys, news, olds = map(list, zip(*rows, strict=True))
            yield keys, news, olds, [change.context for _, change in some[: len(rows)]]
        if error is not None:
            raise error

    def _decoded(self, some: list[tuple[bytes, BufferedChange]]) -> EvictedColumns:
        topic, read_value = self._topic, self._value_halves[1]
        contexts = [change.context for _, change in some]
        if self.wants_headers:
            rows = [self._decoded_one(key, change) for key, change in some]
            keys, news, olds = map(list, zip(*rows, strict=True))
            return keys, news, olds, contexts
        value = partial(deserialize_column, read_value, topic)
        return (
            deserialize_column(self._key_halves[1], topic, [key for key, _ in some]),
            present(value, [change.new for _, change in some]),
            present(value, [change.old for _, change in some]),
            contexts,
        )

    def _decoded_one(self, key: bytes, change: BufferedChange) -> tuple[Any, Any, Any]:
        topic, headers, read = self._topic, self._headers(), self._read_value
        old = None if change.old is None else read(topic, headers, change.old)
        new = None if change.new is None else read(topic, headers, change.new)
        return self._read_key(topic, headers, key), new, old

    def first_time(self) -> int:
        """Return the smallest time of an update; ``LONG_MAX`` if the buffer is empty."""
        return self._buffer.first_time()

    def count(self) -> int:
        """Return how many keys are buffered."""
        return self._buffer.count()

    def size(self) -> int:
        """Return how many bytes the updates count for."""
        return self._buffer.size()

    def prior(self, key: Any) -> tuple[bool, Any]:
        """Return whether a key's update is buffered, and the value that the nodes below have seen.

        The update that is being forwarded counts as buffered, as in Kafka Streams.
        """
        data = self._write_key(self._topic, self._headers(), key) or b""
        leaving = self._leaving
        if leaving is not None and leaving[0] == data:
            change: BufferedChange | None = leaving[1]
        else:
            change = self._buffer.get(data)
        if change is None:
            return False, None
        if change.prior is None:
            return True, None
        return True, self._read_value(self._topic, self._headers(), change.prior)

    def _restore(self, key: bytes, value: bytes | None) -> None:
        self._buffer.restore(key, None if value is None else from_log(value))


def present(call: Callable[[list[Any]], list[Any]], column: list[Any]) -> list[Any]:
    """Call a serde for what is there of a column; it is not asked about None."""
    some = [item for item in column if item is not None]
    if len(some) == len(column):
        return call(column)
    made = iter(call(some) if some else ())
    return [None if item is None else next(made) for item in column]


def _close(evicted: Any) -> None:
    """Close the iterator of a buffer, if it can be closed."""
    close = getattr(evicted, "close", None)
    if close is not None:
        close()
