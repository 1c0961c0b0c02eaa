"""Source node: bytes become objects, and every record gets its event time."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk, RawChunk
from millstream.core.durations import LONG_MAX, event_millis
from millstream.core.engine.failure import error_context, told
from millstream.core.engine.nodes_below import shares_headers
from millstream.core.engine.queues import Decoded, RecordQueue
from millstream.core.errors import (
    SchemaRegistryException,
    StreamsException,
)
from millstream.core.function_kinds import method_or_self
from millstream.core.handlers import (
    DeserializationExceptionHandler,
    LogAndContinueExceptionHandler,
    checked_answer,
)
from millstream.core.headers import Headers
from millstream.core.kafka import ConsumerRecord, TimestampType
from millstream.core.partitioning import instance_of
from millstream.core.plan import SourceNode
from millstream.core.record_context import RecordContext
from millstream.core.records import Record
from millstream.core.serdes import Deserializer, accepts_any_bytes, deserializer_call
from millstream.core.serdes.base import (
    deserialize_column,
    heeds_headers,
    needs_headers,
    own_column,
)
from millstream.core.timestamps import (
    ExtractRecordMetadataTimestamp,
    LogAndSkipOnInvalidTimestamp,
    WallclockTimestampExtractor,
)
from millstream.core.user_code import code_of
from millstream.core.wording import hint_of_main, said

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

log = logging.getLogger(__name__)

UNREADABLE = "its deserializer refused it"


class SourceRuntime:
    """A source and its place in the task."""

    def __init__(
        self,
        task: Task,
        node: SourceNode,
        key_deserializer: Deserializer[Any],
        value_deserializer: Deserializer[Any],
        extractor: Any,
        *,
        chunked: bool,
    ) -> None:
        self.name = node.name
        self.node = node
        self.children: list[Any] = []
        self.chunked = chunked
        """Whether runs of records may be processed as chunks."""
        self._task = task
        self._key_deserializer = key_deserializer
        self._value_deserializer = value_deserializer
        self._key_call = deserializer_call(key_deserializer)
        self._value_call = deserializer_call(value_deserializer)
        self._by_columns = not (needs_headers(key_deserializer, value_deserializer))
        self._heeds_headers = heeds_headers(key_deserializer, value_deserializer)
        extractor = instance_of(extractor, "extract")
        self._extract = method_or_self(extractor, "extract")
        # The stock ones return the record's own time unless it is negative.
        own = getattr(type(extractor), "extract", None)
        self._extractor_tells = isinstance(extractor, LogAndSkipOnInvalidTimestamp)
        """Whether the extractor has logged the records that it has dropped."""
        self._keeps_valid = own is ExtractRecordMetadataTimestamp.extract
        by_clock = own is WallclockTimestampExtractor.extract
        self._takes_clock = by_clock and task.host.clock_is_time_of_day
        """Whether records get the batch's time: a repeated batch must give them the same one."""
        self.decodes_all = (
            self._keeps_valid
            and accepts_any_bytes(key_deserializer)
            and accepts_any_bytes(value_deserializer)
        )
        """Whether no record that has a time is ever refused, or given another time."""

    def process(self, record: Record[Any, Any]) -> None:
        """Pass one record to the children."""
        context = self._task.record_context
        if self._shares and context is not None:
            context._headers = record.headers()
        for child in self.children:
            child.process(record)

    def process_chunk(self, chunk: Chunk) -> None:
        """Pass a run of records to the children."""
        if len(self.children) == 1:
            self.children[0].process_chunk(chunk)
        else:
            self._task.each(chunk, self.process)

    @cached_property
    def _shares(self) -> bool:
        return shares_headers(self.children)

    def decode(self, queue: RecordQueue, raw: RawChunk) -> Decoded:
        """Turn bytes into records with event times.

        Raises:
            StreamsException: A record cannot be deserialized, or has no valid event time, and the
                handler or the extractor says to fail.
        """
        plain = raw.headers is None or not self._heeds_headers
        if self._keeps_valid and self._by_columns and plain:
            decoded = self.decoded(raw)
            if decoded is not None:
                queue.partition_time = max(queue.partition_time, max(raw.timestamps))
                return decoded
        return self._one_by_one(queue, raw)

    def decoded(self, raw: RawChunk) -> Decoded | None:
        """Decode records by columns, with their own times; None if one needs a closer look."""
        if min(raw.timestamps) < 0:
            return None
        try:
            keys = deserialize_column(self._key_deserializer, raw.topic, raw.keys)
            values = deserialize_column(self._value_deserializer, raw.topic, raw.values)
        except Exception:  # noqa: BLE001 - one by one finds the record and asks the handler
            return None
        chunk = Chunk(
            raw.topic, raw.partition, raw.offsets, raw.timestamps, keys, values, raw.headers
        )
        return Decoded(chunk, raw, None)

    def _one_by_one(self, queue: RecordQueue, raw: RawChunk) -> Decoded:
        kept: list[int] = []
        columns: tuple[list[Any], ...] = ([], [], [], [], [])
        for index in range(len(raw)):
            row = self._row(queue, raw, index)
            if row is not None:
                kept.append(index)
                for column, item in zip(columns, row, strict=True):
                    column.append(item)
        offsets, timestamps, keys, values, headers = columns
        keys = self._own(self._key_deserializer, keys, raw, raw.keys, kept)
        values = self._own(self._value_deserializer, values, raw, raw.values, kept)
        chunk = Chunk(
            raw.topic,
            raw.partition,
            offsets,
            timestamps,
            keys,
            values,
            headers if any(headers) else None,
        )
        return Decoded(chunk, raw, kept)

    def _own(
        self,
        deserializer: Deserializer[Any],
        items: list[Any],
        raw: RawChunk,
        data: Sequence[bytes | None],
        kept: list[int],
    ) -> list[Any]:
        """Return the items of one column, none of them the same object that can change."""
        rows = raw.headers or [None] * len(raw)
        return own_column(
            deserializer, raw.topic, items, lambda: [(rows[at], data[at]) for at in kept]
        )

    def _row(self, queue: RecordQueue, raw: RawChunk, index: int) -> Sequence[Any] | None:
        headers = raw.headers[index] if raw.headers else None
        if headers is None and not self._by_columns:
            headers = Headers()
        try:
            key = self._key_call(raw.topic, headers, raw.keys[index])
            value = self._value_call(raw.topic, headers, raw.values[index])
        except Exception as error:  # noqa: BLE001 - a user's deserializer may raise anything
            self._refused(raw, index, error)
            return None
        timestamp = raw.timestamps[index]
        if timestamp < 0 or not self._keeps_valid:
            timestamp = self._extracted(queue, raw, index, key, value)
            if timestamp < 0:
                self._task.failures.drop(
                    "its event time is negative",
                    self.name,
                    _context(raw, index),
                    told=self._extractor_tells,
                )
                return None
        queue.partition_time = max(queue.partition_time, timestamp)
        return raw.offsets[index], timestamp, key, value, headers

    def _extracted(
        self, queue: RecordQueue, raw: RawChunk, index: int, key: Any, value: Any
    ) -> int:
        if self._takes_clock:
            return self._task.host.now_ms()
        record = self._consumer_record(raw, index, key, value)
        try:
            extracted = self._extract(record, queue.partition_time)
            if type(extracted) is int and extracted <= LONG_MAX:
                return extracted
            return event_millis(extracted, "extracted time")
        except StreamsException:
            raise
        except Exception as error:
            failure = StreamsException(
                f'the timestamp extractor of source "{self.name}" failed',
                detail=f"Task {self._task.id}, {raw.topic}-{raw.partition} at offset "
                f"{raw.offsets[index]}; {said(error)}",
            )
            failure.more = told(code_of(self._extract))
            raise failure from error

    def _refused(self, raw: RawChunk, index: int, error: Exception) -> None:
        task = self._task
        record = self._consumer_record(raw, index, raw.keys[index], raw.values[index])
        context, handler = _context(raw, index), task.settings.deserialization_handler
        place = (
            f"Task {task.id}, {raw.topic}-{raw.partition} at offset {raw.offsets[index]}; "
            f"{said(error)}"
        )
        if isinstance(error, SchemaRegistryException):
            raise StreamsException(
                f'source "{self.name}" cannot deserialize a record',
                detail=place,
                hint="No exception handler is asked: the record is not to blame.",
            ) from error
        try:
            asked = error_context(self.name, task.id, context)
            answer = handler.handleError(asked, record, error)
            response = checked_answer(answer, DeserializationExceptionHandler.Response, handler)
        except Exception as handler_error:
            raise StreamsException(
                "Fatal user code error in deserialization error callback",
                detail=f"{place}; the handler: {said(handler_error)}",
            ) from handler_error
        task.failures.send_dead_letters(response.deadLetterQueueRecords(), self.name, UNREADABLE)
        if response.result().name == "FAIL":
            raise StreamsException(
                f'source "{self.name}" cannot deserialize a record',
                detail=place,
                hint=hint_of_main(error)
                or "Set deserialization.exception.handler to LogAndContinueExceptionHandler "
                "to skip such records.",
            ) from error
        told = isinstance(handler, LogAndContinueExceptionHandler)
        task.failures.drop(UNREADABLE, self.name, context, told=told)

    def _consumer_record(
        self, raw: RawChunk, index: int, key: Any, value: Any
    ) -> ConsumerRecord[Any, Any]:
        return ConsumerRecord(
            raw.topic,
            raw.partition,
            raw.offsets[index],
            raw.timestamps[index],
            TimestampType.CREATE_TIME,
            _size(raw.keys[index]),
            _size(raw.values[index]),
            key,
            value,
            raw.headers[index] if raw.headers else None,
        )


def _size(data: bytes | None) -> int:
    return ConsumerRecord.NULL_SIZE if data is None else len(data)


def _context(raw: RawChunk, index: int) -> RecordContext:
    """Return the context of a record that is none of the task's yet."""
    return RecordContext(
        raw.topic,
        raw.partition,
        raw.offsets[index],
        raw.timestamps[index],
        raw.headers[index] if raw.headers else None,
        raw.keys[index],
        raw.values[index],
    )
