"""Nodes of a running task: they call processors, and each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.engine.context import FixedKeyNodeContext, NodeContext
from millstream.core.engine.failure import FATAL, FailedProcessing, told
from millstream.core.engine.global_context import GLOBAL_TASK, GlobalNodeContext
from millstream.core.engine.node_measures import NodeMeasures
from millstream.core.engine.plugged_chunks import PluggedContext, guarded, is_plugged
from millstream.core.engine.user_processor import adapted
from millstream.core.errors import StreamsException
from millstream.core.plan import ProcessorNode
from millstream.core.records import Record
from millstream.core.user_code import codes_in
from millstream.core.wording import said

if TYPE_CHECKING:
    from millstream.core.engine.task import Task


class ProcessorRuntime:
    """A processor and its place in the task."""

    def __init__(self, task: Task, node: ProcessorNode) -> None:
        self.name = node.name
        self.stores = node.stores
        self.children: list[Any] = []
        self.above: str | None = None
        """The processor above, if there is one: its exception handler judges what this cannot."""
        self._task = task
        self.processor = adapted(node.supplier(), fixed_key=node.fixed_key)
        fixed = self.processor.fixed_key
        self.plugged = is_plugged(self.processor)
        """It is a plugin's operator, which takes runs of records by columns."""
        context: type[NodeContext] = PluggedContext if self.plugged else NodeContext
        if task.id == GLOBAL_TASK:
            context = GlobalNodeContext
        self.context = FixedKeyNodeContext(task, self) if fixed else context(task, self)
        self._call: Callable[[Any], None] = self.processor.process
        self.wants_headers = wants_headers(task, node, self.processor)
        self.mutates_headers = self.wants_headers or not (fixed or self.processor.takes_chunks)
        """It, or a serde of its stores, may change the headers that its siblings are given."""
        self._call_chunk: Callable[[Chunk], None] | None = None
        self._measures: NodeMeasures | None = None
        if self.wants_headers:
            self._call = with_headers(task, self._call)
        elif self.processor.takes_chunks:
            take = guarded(self.processor, self.name, task.id) if self.plugged else None
            self._call_chunk = take or self.processor.process_chunk

    def init(self) -> None:
        """Initialise the processor.

        Raises:
            StreamsException: The processor's ``init`` raised; a store that it reads and that cannot
                be trusted as the ``TaskCorruptedException`` that has it repaired.
        """
        try:
            self.processor.init(self.context)
        except FATAL as error:
            raise self._task.failures.placed(error, self.name) from error.__cause__
        except Exception as error:
            failure = StreamsException(
                f'cannot initialise processor "{self.name}"',
                detail=f"Task {self._task.id}; {said(error)}",
            )
            failure.more = told(codes_in(self.processor))
            raise failure from error
        self.context.link(only_in_calls=self.processor.only_in_calls)
        if self.processor.by_records:
            self._call_chunk = None
        self._measure()

    def process(self, record: Record[Any, Any]) -> None:
        """Take one record; a failure goes to the processing exception handler."""
        try:
            self._call(record)
        except FailedProcessing:
            raise
        except FATAL as error:
            raise self._task.failures.placed(error, self.name) from error.__cause__
        except Exception as error:  # noqa: BLE001 - a user's processor may raise anything
            task = self._task
            task.failures.handle(self.name, record, error, task.record_context)

    def process_chunk(self, chunk: Chunk) -> None:
        """Take a run of records, by columns where the processor can."""
        task = self._task
        if self._call_chunk is not None and task.by_chunks:
            if task.record_context is None:
                task.punctuations.run_before(chunk)
            try:
                self._call_chunk(chunk)
            except FATAL as error:
                raise task.failures.placed(error, self.name) from error.__cause__
        else:
            task.each(chunk, self.process, self.above)

    def measure(self, chunk: Chunk) -> None:
        """Measure records that have not come to the processor by ``process``."""
        if self._measures is not None:
            self._measures.elsewhere(chunk)

    @property
    def by_columns(self) -> bool:
        """True if the processor takes runs of records as chunks."""
        return self._call_chunk is not None

    def close(self) -> None:
        """Close the processor.

        Raises:
            StreamsException: The processor's ``close`` raised.
        """
        try:
            self.processor.close()
        except Exception as error:
            raise StreamsException(
                f'cannot close processor "{self.name}"',
                detail=f"Task {self._task.id}; {said(error)}",
            ) from error

    def _measure(self) -> None:
        measures = self._task.measures
        ends = late = None
        if not self.children and not measures.is_global:
            ends = measures.node_sensor("record-e2e-latency", self.name)
        if self.processor.minds_lateness:
            measures.node_sensor("kip-late", self.name)
            late = measures.node_sensor("kip-lateness", self.name)
            late = late if late.active else None
        if ends is None and late is None:
            return
        calls = self._measures = NodeMeasures(measures, ends, late)
        self._call = calls.by_record(self._call)
        if self._call_chunk is not None:
            self._call_chunk = calls.by_chunk(self._call_chunk)


def wants_headers(task: Task, node: ProcessorNode, processor: ChunkProcessor) -> bool:
    """Tell whether serdes that a processor calls, or its stores, read or change headers."""
    return processor.wants_headers(task.settings) or any(
        getattr(task.stores.get(store), "wants_headers", False) for store in node.stores
    )


def with_headers(
    task: Task, process: Callable[[Record[Any, Any]], None]
) -> Callable[[Record[Any, Any]], None]:
    """Return ``process`` that makes a record's own headers those of the current record.

    What a serializer of a store adds to them goes on with the record, as in Kafka.
    """

    def call(record: Record[Any, Any]) -> None:
        headers, before = record.headers(), task.record_context
        if before is None or before._headers is headers:
            process(record)
            return
        task.record_context = before.moved(record._timestamp, headers)
        try:
            process(record)
        finally:
            task.record_context = before

    return call
