"""Context of a processor: what it sees of its task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from millstream.core.engine.nodes_below import (
    is_stateless,
    shares_headers,
    shares_stores,
    takes_columns,
)
from millstream.core.engine.read_only import ReadOnlyStore
from millstream.core.engine.schedules import schedule_arguments
from millstream.core.engine.store_life import lent, store_of
from millstream.core.engine.task_facts import TaskFacts
from millstream.core.errors import (
    ClassCastException,
    IllegalStateException,
    NullPointerException,
    StreamsException,
)
from millstream.core.headers import Headers
from millstream.core.processor import (
    Cancellable,
    ProcessorContext,
)
from millstream.core.records import FixedKeyRecord, Record, RecordMetadata
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.chunk import Chunk
    from millstream.core.engine.runtime import ProcessorRuntime
    from millstream.core.engine.task import Task
    from millstream.core.metrics import TaskMetrics
    from millstream.core.record_context import RecordContext


Targets = tuple[Callable[[Record[Any, Any]], None], ...]


class NodeContext(TaskFacts, ProcessorContext[Any, Any]):
    """One node's context; beside Kafka's methods it has what operators use for speed."""

    def __init__(self, task: Task, node: ProcessorRuntime) -> None:
        super().__init__(task.id, task.settings, task.host, task.metrics)
        self._task = task
        self._node = node
        self._schedules = 0
        self._shares = False
        self._to_plain = False
        """All children are sinks to which time and headers of the current record are nothing."""
        self.linked: Targets | None = None
        """Where ``forward`` leads; None before the processor is initialised."""
        self.targets: Targets | None = None
        """The same while ``forward`` may be called; None while it may not."""
        self.resting: Targets | None = None
        """What ``targets`` is between two calls of a processor that sets it."""

    def link(self, *, only_in_calls: bool = False) -> None:
        """Note the children, once the processor is initialised: theirs come after it.

        Args:
            only_in_calls: The processor sets ``targets`` for as long as each of its calls takes.
        """
        self.linked = tuple(child.process for child in self._node.children)
        self.targets = self.resting = None if only_in_calls else self.linked
        children = self._node.children
        self._shares = shares_headers(children)
        self._to_plain = bool(children) and all(getattr(c, "is_plain", False) for c in children)

    def forward(self, record: Record[Any, Any], childName: str | None = None) -> None:
        """Pass ``record`` to every child, depth first, or to the one called ``childName``.

        Raises:
            NullPointerException: The processor is in its ``init``: its children are not ready.
            StreamsException: There is no child of that name, or no call of the processor is under
                way.
            ClassCastException: It is no record.
        """
        try:
            timestamp = record._timestamp
        except AttributeError:
            raise _no_record(record) from None
        children = self.targets
        if children is None:
            children = self._refuse_now()
        if childName is not None:
            children = (self._child(childName),)
        task = self._task
        before = task.record_context
        if self._shares:
            record.headers()
        if (before is None or self._to_plain) or (
            timestamp == before._timestamp and record._headers is before._headers
        ):
            for child in children:
                child(record)
            return
        task.record_context = before.moved(timestamp, record._headers)
        try:
            for child in children:
                child(record)
        finally:
            task.record_context = before

    def forward_chunk(self, chunk: Chunk) -> None:
        """Pass a run of records on, as if each had been forwarded by itself."""
        if not len(chunk):
            return
        children = self._node.children
        if len(children) == 1 and not self._shares_stores:
            children[0].process_chunk(chunk)
        elif children:
            self.forward_each(chunk)

    @cached_property
    def _shares_stores(self) -> bool:
        """What one record does below may be seen by the next one, before all is done of it.

        No source makes runs of records then, but a cache or a buffer that releases many may.
        """
        return shares_stores(self._node)

    def forward_each(self, chunk: Chunk) -> None:
        """Pass the records of a run on one by one."""
        self._task.each(chunk, self.forward, self._node.name)

    def each(self, chunk: Chunk) -> None:
        """Let this node process a run of records one by one, each as the current record."""
        self._task.each(chunk, self._node.process, self._node.above)

    def fail(self, chunk: Chunk, index: int, error: Exception) -> None:
        """Apply the processing exception handler to one record of a chunk; return to skip it."""
        task, node = self._task, self._node

        def decide(record: Record[Any, Any]) -> None:
            task.failures.handle(node.name, record, error, task.record_context)

        task.each(chunk.slice(index, index + 1), decide, node.above)

    def drop(
        self, reason: str, chunk: Chunk | None = None, index: int = 0, *, quietly: bool = False
    ) -> None:
        """Count a record that is dropped by rule: the current one, or one of a chunk.

        It is logged, unless ``quietly``: what drops it may be in order.
        """
        context = None if chunk is None else self._task.chunk_context(chunk, index)
        self._task.failures.drop(reason, self._node.name, context, told=quietly)

    def drop_late(self, reason: str, chunk: Chunk | None = None, index: int = 0) -> None:
        """Do what ``drop`` does for a record whose window has been closed."""
        self._task.measures.late(self._node.name)
        self.drop(reason, chunk, index)

    @property
    def measures(self) -> TaskMetrics:
        """Where an operator records metrics of its own."""
        return self._task.measures

    @property
    def record_context(self) -> RecordContext | None:
        """The current record."""
        return self._task.record_context

    def as_record(self, record_context: RecordContext) -> AbstractContextManager[None]:
        """Make another record the current one inside a ``with`` block."""
        return self._task.as_record(record_context)

    def at(self, chunk: Chunk, index: int) -> AbstractContextManager[None]:
        """Make one record of a chunk the current one inside a ``with`` block."""
        return self._task.as_record(self._task.chunk_context(chunk, index))

    @property
    def scheduled_in_run(self) -> bool:
        """Whether a record of the run that is under way has scheduled a punctuation."""
        return self._task.punctuations.scheduled_in_run

    def record_begins(self, chunk: Chunk, index: int) -> None:
        """Run the punctuations that are due before a record of a run sets anything free.

        For an operator that calls ``record_done`` only for some of the records.
        """
        if self._task.record_context is None:
            self._task.punctuations.run_before(chunk, index)

    def record_done(self, chunk: Chunk, index: int) -> None:
        """Run the punctuations that are due once all of a record of a run is done.

        For an operator that goes through a run by itself, and forwards what each record sets free.
        """
        self._task.punctuations.record_done(chunk, index)

    @property
    def answers_come_later(self) -> bool:
        """As the host's."""
        return self._task.host.answers_come_later

    def comes_later(self, topic: str) -> bool:
        """Tell whether what goes to a repartition topic is read only after the next commit."""
        name = self._task.plan.internal_name(topic, self.applicationId())
        return self._task.host.comes_later(name)

    def reads_later(self) -> bool:
        """Tell whether a topic that the task reads comes to it only after the next commit."""
        parts = self._task.parts
        return any(self.comes_later(topic) for part in parts for topic in part.source_topics)

    def shared(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what nodes of the task share by a name; the first that asks makes it."""
        return self._task.host.shared.setdefault(name, make())

    def at_commit(self, call: Callable[[], None]) -> None:
        """Have a function called after each commit."""
        self._task.commit_callbacks.append(call)

    @property
    def in_run(self) -> bool:
        """Whether a run of source records is under way, with a stream time for each of them."""
        return self._task.in_run

    @cached_property
    def columns_below(self) -> bool:
        """Whether every node below takes runs by columns, so that none sees stream time."""
        return all(map(takes_columns, self._node.children))

    def forwards_alike(self, others: Iterable[NodeContext]) -> bool:
        """Tell whether it may forward the records of other nodes with its own, as one run.

        All of them have the same one child, and nothing below looks at more than a record.
        """
        children = self._node.children
        if len(children) != 1 or not is_stateless(children[0]):
            return False
        return all(other._node.children == children for other in others)

    @property
    def processor_below(self) -> Any:
        """The processor of the only node below; None if there are several, or a sink."""
        children = self._node.children
        return getattr(children[0], "processor", None) if len(children) == 1 else None

    @property
    def node_name(self) -> str:
        """The node's name."""
        return self._node.name

    def timestamp(self) -> int:
        context = self._task.record_context
        return -1 if context is None else context.timestamp()

    def headers(self) -> Headers:
        """Return the headers of the current record; new ones without one."""
        context = self._task.record_context
        return Headers() if context is None else context.headers()

    def recordMetadata(self) -> RecordMetadata | None:
        context = self._task.record_context
        return None if context is None else context.metadata()

    def getStateStore(self, name: str) -> Any:
        if not self._node.processor.is_users:
            return store_of(self._task, self._node, name)
        if self.targets is None and self.linked is not None:
            # As there: what is read or written now belongs to no record.
            raise StreamsException(
                "Accessing from an unknown node",
                detail=f'"{self._node.name}" asks for store "{name}" and is not being called.',
                hint="Call getStateStore() in init, and keep the store.",
            )
        return self.lent_store(name)

    def lent_store(self, name: str) -> Any:
        """Return a store as user code may have it: a global one for reading.

        Raises:
            StreamsException: The processor is not connected to it.
        """
        store = store_of(self._task, self._node, name)
        if name in self._node.stores:
            return lent(store)
        return ReadOnlyStore(store)  # the processor that fills a global store is connected to it

    def schedule(self, *arguments: Any, **keywords: Any) -> Cancellable:
        """Call a punctuator again and again; see ``ProcessingContext.schedule``.

        Raises:
            IllegalArgumentException: The interval is below 1 ms, or arguments are missing.
            IllegalStateException: No call of the processor is under way.
        """
        if self.targets is None and self.linked is not None:
            raise IllegalStateException(
                f'"{self._node.name}" schedules outside its calls',
                detail="Current node is null.",
                hint="Call schedule() in init, process or a punctuator, not from another thread.",
            )
        start, interval_ms, kind, callback = schedule_arguments(arguments, keywords)
        ordinal, self._schedules = self._schedules, self._schedules + 1
        schedules = self._task.punctuations
        return schedules.schedule(self._node, ordinal, start, interval_ms, kind, callback)

    def commit(self) -> None:
        """Ask for a commit; every host commits soon anyway.

        The test driver commits after each record, Spark at the end of each batch.
        """

    def currentSystemTimeMs(self) -> int:
        return self._task.host.now_ms()

    def currentStreamTimeMs(self) -> int:
        return self._task.stream_time

    def _refuse_now(self) -> tuple[()]:
        if self.linked is not None:
            # Kafka Streams' own words, and its way: what is sent now belongs to no record.
            raise StreamsException(
                "Current node is unknown. This can happen if 'forward()' is called in an illegal "
                "scope.",
                detail=f'The context is that of "{self._node.name}", which is not being called.',
                hint="Forward in process, or in a punctuator, before it returns; not later, from "
                "another thread or callback, or by another processor.",
            )
        if self._node.children:
            raise NullPointerException(
                f'"{self._node.name}" forwards a record in its init',
                detail="Its children are initialised after it.",
                hint="Forward from process, or from a punctuator.",
            )
        return ()

    def _child(self, name: str) -> Callable[[Record[Any, Any]], None]:
        for child in self._node.children:
            if child.name == name:
                return child.process  # type: ignore[no-any-return]
        raise StreamsException(
            f'cannot forward from "{self._node.name}" to "{name}": it is no child',
            detail=f"Children: {', '.join(child.name for child in self._node.children) or 'none'}.",
        )


class FixedKeyNodeContext(NodeContext):
    """The context of a ``FixedKeyProcessor``."""

    given: Record[Any, Any] | None = None
    """The record that a user's processor was given last."""

    def forward(self, record: Any, childName: str | None = None) -> None:
        """Pass a fixed-key record to the children, as a copy of its own.

        Raises:
            ClassCastException: It is a record of the user's making, with another key.
        """
        if isinstance(record, FixedKeyRecord):
            inner = record._record
            own = None if self._to_plain else inner._headers  # a plain sink copies them itself
            record = inner.withHeaders(own) if own else inner
        elif self.given is not None:
            self._check_key(record, self.given)
        super().forward(record, childName)

    def _check_key(self, record: Any, given: Record[Any, Any]) -> None:
        context = self._task.record_context
        if context is None or context.topic() is None or not isinstance(record, Record):
            return  # a punctuator's, or none at all
        if record._key is not given._key and _differ(record._key, given._key):
            raise ClassCastException(
                f'"{self._node.name}" cannot change keys: it was given {given._key!r}, and '
                f"forwards {record._key!r}",
                detail="What is below would not find the record in the key's partition.",
                hint="Forward record.withValue(value), or use process() in place of "
                "processValues().",
            )


def _differ(one: Any, other: Any) -> bool:
    """Return whether two keys are not equal for certain: NumPy arrays do not say so."""
    try:
        return bool(one != other)
    except Exception:  # noqa: BLE001 - a user's class may refuse
        return False


def _no_record(given: object) -> NullPointerException | ClassCastException:
    kind = NullPointerException if given is None else ClassCastException
    return kind(
        f"forward() takes a Record, not {'None' if given is None else a_kind(given)}",
        hint="Write forward(record.withValue(value)), or forward(Record(key, value, timestamp)).",
    )
