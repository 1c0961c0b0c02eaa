"""The nodes of a running task: they call processors, and each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from millstream.core.chunk import Chunk
from millstream.core.engine.context import FixedKeyNodeContext, NodeContext
from millstream.core.engine.failure import FATAL, FailedProcessing
from millstream.core.engine.node_measures import NodeMeasures
from millstream.core.errors import StreamsException
from millstream.core.plan import ProcessorNode
from millstream.core.processor import FixedKeyProcessor
from millstream.core.records import FixedKeyRecord, Record, make_record

if TYPE_CHECKING:
    from millstream.core.engine.task import Task
    from millstream.core.engine.turns import Begin


class RuntimeNode(Protocol):
    """What a node offers to the ones above it."""

    name: str
    children: list[Any]

    def process(self, record: Record[Any, Any]) -> None:
        """Take one record."""

    def process_chunk(self, chunk: Chunk) -> None:
        """Take a run of records, with the effect of ``process`` on each in turn."""


class ProcessorRuntime:
    """A processor and its place in the task."""

    def __init__(self, task: Task, node: ProcessorNode) -> None:
        self.name = node.name
        self.stores = node.stores
        self.children: list[Any] = []
        self.above: str | None = None
        """The processor above, if there is one: its exception handler judges what this cannot."""
        self._task = task
        self._processor: Any = node.supplier()
        fixed = getattr(node.supplier, "fixed_key", False) or isinstance(
            self._processor, FixedKeyProcessor
        )
        self.context = FixedKeyNodeContext(task, self) if fixed else NodeContext(task, self)
        self._call: Callable[[Any], None] = (
            self._fixed_key_call() if fixed else self._processor.process
        )
        own = not fixed and not hasattr(self._processor, "process_chunk")
        self._wants_headers = wants_headers(task, node, self._processor)
        self.mutates_headers = own or self._wants_headers
        """It, or a serde of its stores, may change the headers that its siblings are given."""
        self._call_chunk: Callable[[Chunk], None] | None = None
        if self._wants_headers:
            self._call = in_hand(task, self._call)
        else:
            self._call_chunk = getattr(self._processor, "process_chunk", None)

    def init(self) -> None:
        """Initialise the processor.

        Raises:
            StreamsException: The processor's ``init`` raised.
        """
        init = getattr(self._processor, "init", None)
        try:
            if init is not None:
                init(self.context)
        except Exception as error:
            raise StreamsException(
                f'cannot initialise processor "{self.name}"',
                detail=f"Task {self._task.id}; {type(error).__name__}: {error}",
            ) from error
        self.context.link()
        if getattr(self._processor, "by_records", False):
            self._call_chunk = None
        self._measure()

    def process(self, record: Record[Any, Any]) -> None:
        """Take one record; a failure goes to the processing exception handler."""
        try:
            self._call(record)
        except (FailedProcessing, *FATAL):
            raise
        except Exception as error:  # noqa: BLE001 - a user's processor may raise anything
            task = self._task
            task.failures.handle(self.name, record, error, task.record_context)

    def process_chunk(self, chunk: Chunk) -> None:
        """Take a run of records, by columns where the processor can."""
        if self._call_chunk is not None and self._task.by_chunks:
            self._call_chunk(chunk)
        else:
            self._task.each(chunk, self.process, self.above)

    @property
    def may_hold_back(self) -> bool:
        """Tell whether it is worth asking ``held_back``."""
        by_columns = self._call_chunk is not None and self._task.by_chunks
        return by_columns and hasattr(self._processor, "held_back")

    def held_back(self, chunk: Chunk) -> int | None:
        """Return what caches need to hold back all that a run makes; None: some goes down."""
        found: int | None = self._processor.held_back(chunk)
        return found

    def alone(self) -> Begin | None:
        """Return what handles records that end here and in the node below; None if nothing does."""
        find = getattr(self._processor, "alone", None)
        if find is None or self._wants_headers or len(self.children) != 1:
            return None
        begin: Begin | None = find(getattr(self.children[0], "_processor", None))
        return begin

    def save(self) -> bytes | None:
        """Return what the processor wants to find again after a restart."""
        save = getattr(self._processor, "save", None)
        return None if save is None else save()

    def restore(self, data: bytes) -> None:
        """Give the processor what its ``save`` returned."""
        self._processor.restore(data)

    def close(self) -> None:
        """Close the processor.

        Raises:
            StreamsException: The processor's ``close`` raised.
        """
        close = getattr(self._processor, "close", None)
        try:
            if close is not None:
                close()
        except Exception as error:
            raise StreamsException(
                f'cannot close processor "{self.name}"',
                detail=f"Task {self._task.id}; {type(error).__name__}: {error}",
            ) from error

    def _measure(self) -> None:
        measures = self._task.measures
        ends = late = None
        if not self.children and not measures.is_global:
            ends = measures.node_sensor("record-e2e-latency", self.name)
        if getattr(self._processor, "minds_lateness", False):
            measures.node_sensor("kip-late", self.name)
            late = measures.node_sensor("kip-lateness", self.name)
            late = late if late.active else None
        if ends is None and late is None:
            return
        calls = NodeMeasures(measures, ends, late)
        self._call = calls.by_record(self._call)
        if self._call_chunk is not None:
            self._call_chunk = calls.by_chunk(self._call_chunk)

    def _fixed_key_call(self) -> Callable[[Record[Any, Any]], None]:
        process = self._processor.process

        def call(record: Record[Any, Any]) -> None:
            own = make_record(record._key, record._value, record._timestamp, record._headers)
            process(FixedKeyRecord(own))

        return call


def wants_headers(task: Task, node: ProcessorNode, processor: Any) -> bool:
    """Tell whether serdes that a processor calls, or its stores, read or change headers."""
    asks = getattr(processor, "wants_headers", None)
    return bool(asks is not None and asks(task.settings)) or any(
        getattr(task.stores.get(store), "wants_headers", False) for store in node.stores
    )


def in_hand(
    task: Task, process: Callable[[Record[Any, Any]], None]
) -> Callable[[Record[Any, Any]], None]:
    """Make a record's own headers those of the record in hand while it is processed.

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
