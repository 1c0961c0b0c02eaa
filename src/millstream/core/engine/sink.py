"""Sink node: topic, serializers, partitioner."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.engine.failure import (
    NOWHERE,
    FailedProcessing,
    error_context,
    failed_handler,
)
from millstream.core.engine.output import SentChunk, new_sent
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SchemaRegistryException,
    StreamsException,
)
from millstream.core.function_kinds import method_or_self
from millstream.core.handlers import ProductionExceptionHandler, checked_answer
from millstream.core.kafka import ProducerRecord
from millstream.core.partitioning import instance_of
from millstream.core.plan import SinkNode
from millstream.core.records import Record
from millstream.core.serdes import Serializer, serializer_call
from millstream.core.serdes.base import needs_headers, serialize_column
from millstream.core.user_code import note_code
from millstream.core.wording import a_kind, hint_of_main, plain_text, said

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

log = logging.getLogger(__name__)

UNWRITABLE = "a serializer refused it"

_ANY: Sequence[int | None] = (None,)
"""The client chooses the partition."""
_FEW = 16
"""A host collects so many records with less work if they come one by one."""

Origin = ProductionExceptionHandler.SerializationExceptionOrigin


class SinkRuntime:
    """A sink and its place in the task."""

    def __init__(
        self,
        task: Task,
        node: SinkNode,
        topic: str | None,
        key_serializer: Serializer[Any],
        value_serializer: Serializer[Any],
    ) -> None:
        self.name = node.name
        self.children: list[Any] = []
        self.above: str | None = None
        self._task = task
        self._topic = topic
        extractor = instance_of(node.extractor, "extract")
        partitioner = instance_of(node.partitioner, "partitions")
        self._extract = method_or_self(extractor, "extract")
        self._partitions = method_or_self(partitioner, "partitions")
        # Our own partitioners can do many records at a time.
        self._partition_column = getattr(partitioner, "partition_column", None)
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._key_call = serializer_call(key_serializer)
        self._value_call = serializer_call(value_serializer)
        self.mutates_headers = needs_headers(key_serializer, value_serializer)
        """Serializers may change the headers that siblings are given."""
        self._repeats = None if node.repeats is None else node.repeats()
        if self._repeats is not None:
            task.commit_callbacks.append(self._repeats.committed)
        self._by_columns = not self.mutates_headers
        self.is_plain = self._by_columns and topic is not None and self._repeats is None
        """Only what it cannot serialize makes it look at the current record."""

    def process(self, record: Record[Any, Any]) -> None:
        """Serialize and send one record.

        Raises:
            StreamsException: A serializer refused it and the production handler says to fail.
        """
        topic = self._topic or self._extracted(record)
        # As in Kafka, a record that goes nowhere is not serialized, and another one for each
        # partition, as serializers may add headers.
        partitions = _ANY if self._partitions is None else self._chosen(topic, record)
        send = self._task.host.send
        for partition in partitions:
            headers = record._headers if self._by_columns else record.headers()
            origin = Origin.KEY
            try:
                key = self._key_call(topic, headers, record._key)
                origin = Origin.VALUE
                value = self._value_call(topic, headers, record._value)
            except ClassCastException as error:
                raise self._mismatch(topic, origin, error) from error
            except Exception as error:  # noqa: BLE001 - a user's serializer may raise anything
                self._refused(topic, partition, record, origin, error)
                continue
            if self._repeats is not None and self._repeats(key, value, record._value):
                return
            if self._topic is None:
                self._task.measures.sends(topic, self.name)
            # A copy: what a sibling adds later must not show in what was sent.
            own = headers.copy() if headers else None
            send(new_sent((topic, key, value, record._timestamp, own, partition)))

    def process_chunk(self, chunk: Chunk) -> None:
        """Serialize and send a run of records."""
        topic = self._topic
        by_columns = self._by_columns and self._task.by_chunks
        by_columns = by_columns and (self._partitions is None or self._partition_column is not None)
        if topic is None or not by_columns:
            self._task.each(chunk, self.process, self.above)
            return
        try:
            keys = serialize_column(self._key_serializer, topic, chunk.keys)
            values = serialize_column(self._value_serializer, topic, chunk.values)
            partitions = None
            if self._partition_column is not None:
                count = self._task.host.partition_count(topic)
                partitions = self._partition_column(topic, chunk.keys, chunk.values, count)
        except Exception:  # noqa: BLE001 - one by one finds the record and asks the handler
            self._task.each(chunk, self.process, self.above)
            return
        sent = SentChunk(topic, keys, values, chunk.timestamps, chunk.headers, partitions)
        if self._repeats is not None:
            sent = sent.without(list(map(self._repeats, keys, values, chunk.values)))
        if len(sent) > _FEW:
            self._task.host.send_chunk(sent)
            return
        send = self._task.host.send
        for record in sent.records():
            send(record)

    def _extracted(self, record: Record[Any, Any]) -> str:
        context = self._task.record_context
        if context is not None:
            context = context.moved(record._timestamp, record.headers())
        try:
            topic = self._extract(record._key, record._value, context)
        except Exception as error:
            note_code(error, self._extract, f'the topic extractor of sink "{self.name}"')
            raise
        if not isinstance(topic, str):
            unusable = IllegalArgumentException(
                f'the topic extractor of sink "{self.name}" returned '
                f"{'None' if topic is None else a_kind(topic)}",
                hint="Return the topic's name, a str.",
            )
            note_code(unusable, self._extract, f'the topic extractor of sink "{self.name}"')
            raise unusable
        return plain_text(topic)

    def _chosen(self, topic: str, record: Record[Any, Any]) -> Sequence[int | None]:
        count = self._task.host.partition_count(topic)
        try:
            chosen: Any = self._partitions(topic, record._key, record._value, count)
        except Exception as error:
            note_code(error, self._partitions, f'the partitioner of sink "{self.name}"')
            raise
        if chosen is None:
            return [None]
        alone: Any = type(chosen) is set and len(chosen) == 1
        first: Any = next(iter(chosen)) if alone else chosen
        if type(first) is int and 0 <= first < count:
            return (first,)
        try:
            # What isinstance of SupportsIndex looks at; that takes longer than all else here.
            one = hasattr(type(chosen), "__index__")
            several: Any = (chosen,) if one else chosen
            partitions = {index(each) for each in several}
        except TypeError as error:
            raise self._unusable(chosen, "It is no set of partition numbers.") from error
        if not partitions:
            self._task.failures.drop("the partitioner chose no partition", self.name)
            self._task.measures.unsent(self.name, record._timestamp)
        for partition in partitions:
            if partition < 0:
                raise self._unusable(
                    chosen,
                    f"Invalid partition: {partition}. "
                    "Partition number should always be non-negative or null.",
                )
            if partition >= count and self._task.host.has_partitions:
                raise self._unusable(
                    chosen,
                    f"Invalid partition given with record: {partition} is not in the range "
                    f'[0...{count - 1}] of topic "{topic}".',
                )
        return sorted(partitions)

    def _unusable(self, chosen: Any, why: str) -> IllegalArgumentException:
        error = IllegalArgumentException(
            f'the partitioner of sink "{self.name}" returned {chosen!r}',
            detail=why,
            hint="Return a set of numbers from 0 to numPartitions - 1, or None for the default.",
        )
        note_code(error, self._partitions, f'the partitioner of sink "{self.name}"')
        return error

    def _mismatch(self, topic: str, origin: Any, error: Exception) -> StreamsException:
        return StreamsException(
            f'sink "{self.name}" cannot serialize the {origin.name.lower()} for topic "{topic}"',
            detail=str(error),
            hint="Give the right serdes with Produced.with_ or in the configuration.",
        )

    def _refused(
        self,
        topic: str,
        partition: int | None,
        record: Record[Any, Any],
        origin: Any,
        error: Exception,
    ) -> None:
        if isinstance(error, SchemaRegistryException):
            raise FailedProcessing(self.name, error) from error
        task = self._task
        unsent = ProducerRecord(
            topic, partition, record._timestamp, record._key, record._value, record._headers
        )
        current = task.record_context
        if self.is_plain and current is not None:
            # Who forwards to a plain sink alone leaves the current record as it is.
            current = current.moved(record._timestamp, record._headers)
        context = error_context(self.name, task.id, current or NOWHERE)
        handler = task.settings.production_handler
        try:
            answer = handler.handleSerializationError(context, unsent, error, origin)
            response = checked_answer(answer, ProductionExceptionHandler.Response, handler)
        except Exception as handler_error:
            log.exception("production exception handler failed operator=%s", self.name)
            failure = failed_handler(self.name, handler, handler_error, "production", error)
            raise failure from handler_error
        task.failures.send_dead_letters(response.deadLetterQueueRecords(), self.name, UNWRITABLE)
        # What a serializer refuses it refuses again.
        if response.result().name != "RESUME":
            raise StreamsException(
                f'sink "{self.name}" cannot serialize the {origin.name.lower()} '
                f'for topic "{topic}"',
                detail=said(error),
                hint=hint_of_main(error)
                or "Set production.exception.handler to skip such records.",
            ) from error
        task.failures.drop(UNWRITABLE, self.name)
        task.measures.unsent(self.name, record._timestamp)
