"""Contracts of processors, their suppliers, contexts and punctuators."""

from __future__ import annotations

import enum
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import total_ordering
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, overload

from millstream.core.arguments import of_type, required, text_or_none, whole
from millstream.core.durations import DurationLike, InstantLike
from millstream.core.errors import (
    IllegalStateException,
    TaskIdFormatException,
    UnsupportedOperationException,
)
from millstream.core.headers import Headers
from millstream.core.readable import Readable
from millstream.core.records import FixedKeyRecord, Record, RecordMetadata
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.serdes import Serde
    from millstream.core.state import StoreBuilder

KIn = TypeVar("KIn")
VIn = TypeVar("VIn")
KOut = TypeVar("KOut")
VOut = TypeVar("VOut")


class PunctuationType(enum.Enum):
    """Clock of a punctuation.

    Source: ``processor.PunctuationType``.
    """

    STREAM_TIME = "stream-time"
    WALL_CLOCK_TIME = "wall-clock-time"


class Cancellable(Readable, ABC):
    """The handle that ``schedule`` returns."""

    @abstractmethod
    def cancel(self) -> None:
        """Stop the punctuation; may be called twice, also from inside the punctuation."""


class Punctuator(Protocol):
    """Callback of ``schedule``; may be a callable of one argument."""

    def punctuate(self, timestamp: int) -> None:
        """Do the periodic work; ``timestamp`` is the current time of the punctuation's clock."""


Punctuates = Punctuator | Callable[[int], object]


@total_ordering
class TaskId:
    """Names a task: sub-topology number and partition, written ``0_3``.

    Args:
        subtopology: The sub-topology's number.
        partition: The partition.
        topologyName: The topology's name, if it has one: then it is written ``name__0_3``.

    Example:
        >>> TaskId.parse("0_3").partition()
        3
    """

    NAMED_TOPOLOGY_DELIMITER: ClassVar[str] = "__"

    __slots__ = ("_partition", "_subtopology", "_topology_name")

    def __init__(self, subtopology: int, partition: int, topologyName: str | None = None) -> None:
        self._subtopology = whole(subtopology, "subtopology", 32)
        self._partition = whole(partition, "partition", 32)
        self._topology_name = text_or_none(topologyName, "topologyName") or None

    def subtopology(self) -> int:
        """Return the sub-topology's number."""
        return self._subtopology

    def partition(self) -> int:
        """Return the partition."""
        return self._partition

    def topologyName(self) -> str | None:
        """Return the topology's name; None if it has none."""
        return self._topology_name

    @staticmethod
    def parse(taskIdStr: str | None) -> TaskId:
        """Parse ``0_3`` or ``name__0_3``.

        Raises:
            TaskIdFormatException: The text is not of that form.
        """
        text = taskIdStr if isinstance(taskIdStr, str) else ""
        match = re.fullmatch(r"(?:(.+)__)?([+-]?\d+)_([+-]?\d+)", text)
        if match is None:
            raise TaskIdFormatException(taskIdStr, hint="Write it as SUBTOPOLOGY_PARTITION.")
        return TaskId(int(match[2]), int(match[3]), match[1])

    def compareTo(self, other: TaskId) -> int:
        """Return a negative number, zero or a positive one, as Java's ``compareTo``."""
        of_type(required(other, "other"), TaskId, "other", "Give a TaskId.")
        return (self > other) - (self < other)

    def _tuple(self) -> tuple[str, int, int]:
        return (self._topology_name or "", self._subtopology, self._partition)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskId) and self._tuple() == other._tuple()

    def __lt__(self, other: TaskId) -> bool:
        return self._tuple() < other._tuple() if isinstance(other, TaskId) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._tuple())

    def __repr__(self) -> str:
        task = f"{self._subtopology}_{self._partition}"
        if self._topology_name is None:
            return task
        return f"{self._topology_name}{self.NAMED_TOPOLOGY_DELIMITER}{task}"


class ProcessingContext(Readable, ABC):
    """A task's interface for its processors.

    Source: ``processor.api.ProcessingContext``.
    """

    @abstractmethod
    def applicationId(self) -> str:
        """Return ``application.id``."""

    @abstractmethod
    def taskId(self) -> TaskId:
        """Return the task this processor belongs to."""

    @abstractmethod
    def recordMetadata(self) -> RecordMetadata | None:
        """Return the current record's topic, partition and offset; None before the first record."""

    @abstractmethod
    def keySerde(self) -> Serde[Any]:
        """Return the default key serde of the application."""

    @abstractmethod
    def valueSerde(self) -> Serde[Any]:
        """Return the default value serde of the application."""

    @abstractmethod
    def stateDir(self) -> Path:
        """Return this task's directory under ``state.dir``; on Spark empty in each new task."""

    @abstractmethod
    def getStateStore(self, name: str) -> Any:
        """Return a connected or a global store.

        Raises:
            StreamsException: This processor is not connected to a store of that name.
        """

    @overload
    @abstractmethod
    def schedule(
        self, interval: DurationLike, type: PunctuationType, callback: Punctuates
    ) -> Cancellable: ...
    @overload
    @abstractmethod
    def schedule(
        self,
        startTime: InstantLike,
        interval: DurationLike,
        type: PunctuationType,
        callback: Punctuates,
    ) -> Cancellable: ...
    @abstractmethod
    def schedule(self, *arguments: Any, **keywords: Any) -> Cancellable:
        """Call a punctuator again and again.

        ``schedule(interval, type, callback)`` or, on a fixed grid,
        ``schedule(startTime, interval, type, callback)``. Interval: ``timedelta`` or milliseconds,
        at least 1 ms. Missed times are skipped.
        """

    @abstractmethod
    def commit(self) -> None:
        """Ask for a commit soon; the task decides when."""

    @abstractmethod
    def appConfigs(self) -> dict[str, Any]:
        """Return the application's configuration."""

    @abstractmethod
    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        """Return the entries whose key starts with ``prefix``, without it."""

    @abstractmethod
    def currentSystemTimeMs(self) -> int:
        """Return the task's wall clock: the driver's mock clock, or the batch's time on Spark."""

    @abstractmethod
    def currentStreamTimeMs(self) -> int:
        """Return the task's largest event time so far; -1 before the first record."""

    @abstractmethod
    def metrics(self) -> Any:
        """Return the task's metrics."""


class ProcessorContext(ProcessingContext, Generic[KOut, VOut]):
    """A processor's view of its task.

    Source: ``processor.api.ProcessorContext``; ``topic``, ``partition`` and ``offset`` are those of
    ``processor.ProcessorContext``, which a ``ValueTransformerWithKey`` gets.
    """

    def topic(self) -> str | None:
        """Return the source topic of the current record; None without one."""
        metadata = self.recordMetadata()
        return None if metadata is None else metadata.topic()

    def partition(self) -> int:
        """Return the source partition of the current record; -1 without one."""
        metadata = self.recordMetadata()
        return -1 if metadata is None else metadata.partition()

    def offset(self) -> int:
        """Return the source offset of the current record; -1 without one."""
        metadata = self.recordMetadata()
        return -1 if metadata is None else metadata.offset()

    def timestamp(self) -> int:
        """Return the event time of the current record, epoch milliseconds; -1 without one."""
        raise UnsupportedOperationException(f"{a_kind(self)} does not have the event time")

    def headers(self) -> Headers:
        """Return the headers of the current record."""
        raise UnsupportedOperationException(f"{a_kind(self)} does not have the headers")

    @abstractmethod
    def forward(self, record: Record[KOut, VOut], childName: str | None = None) -> None:
        """Pass ``record`` to every child, depth first, or to the one called ``childName``."""


class FixedKeyProcessorContext(ProcessingContext, Generic[KOut, VOut]):
    """The context of a ``FixedKeyProcessor``: forwards records with unchanged keys only."""

    @abstractmethod
    def forward(self, record: FixedKeyRecord[KOut, VOut], childName: str | None = None) -> None:
        """Pass ``record`` to every child, depth first, or to the one called ``childName``."""


class Processor(Readable, ABC, Generic[KIn, VIn, KOut, VOut]):
    """One node's work, record by record.

    Example:
        >>> class Shout(Processor):
        ...     def init(self, context):
        ...         self.context = context
        ...     def process(self, record):
        ...         self.context.forward(record.withValue(record.value().upper()))

    Source: ``processor.api.Processor``.
    """

    def init(self, context: ProcessorContext[KOut, VOut]) -> None:
        """Called once before the first record."""

    @abstractmethod
    def process(self, record: Record[KIn, VIn]) -> None:
        """Called for each record, in order."""

    def close(self) -> None:
        """Called when the task ends; stores are still open."""


class ContextualProcessor(Processor[KIn, VIn, KOut, VOut]):
    """A processor that keeps its context: ``self.context()``."""

    def init(self, context: ProcessorContext[KOut, VOut]) -> None:
        """Keep the context; an override calls ``super().init(context)``."""
        self._context = context

    def context(self) -> ProcessorContext[KOut, VOut]:
        """Return the context."""
        kept: ProcessorContext[KOut, VOut] = _kept_context(self)
        return kept


class FixedKeyProcessor(Readable, ABC, Generic[KIn, VIn, VOut]):
    """A processor that cannot change keys; see ``processor.api.FixedKeyProcessor``."""

    def init(self, context: FixedKeyProcessorContext[KIn, VOut]) -> None:
        """Called once before the first record."""

    @abstractmethod
    def process(self, record: FixedKeyRecord[KIn, VIn]) -> None:
        """Called for each record, in order."""

    def close(self) -> None:
        """Called when the task ends; stores are still open."""


class ContextualFixedKeyProcessor(FixedKeyProcessor[KIn, VIn, VOut]):
    """A fixed-key processor that keeps its context: ``self.context()``."""

    def init(self, context: FixedKeyProcessorContext[KIn, VOut]) -> None:
        """Keep the context; an override calls ``super().init(context)``."""
        self._context = context

    def context(self) -> FixedKeyProcessorContext[KIn, VOut]:
        """Return the context."""
        kept: FixedKeyProcessorContext[KIn, VOut] = _kept_context(self)
        return kept


def _kept_context(processor: Any) -> Any:
    try:
        return processor._context
    except AttributeError as error:
        raise IllegalStateException(
            f"{type(processor).__qualname__} has no context",
            detail="Its init() has not been called, or has not kept it.",
            hint="Begin an init() of your own with super().init(context).",
        ) from error


class ConnectedStoreProvider(Readable):
    """A supplier that brings its own stores."""

    def stores(self) -> set[StoreBuilder[Any]] | None:
        """Return builders of the stores to add and connect; None for none."""
        return None


class ProcessorSupplier(ConnectedStoreProvider, ABC, Generic[KIn, VIn, KOut, VOut]):
    """Makes processors; may be a class or a callable without arguments."""

    @abstractmethod
    def get(self) -> Processor[KIn, VIn, KOut, VOut]:
        """Return a new processor, never one that was returned before."""


class FixedKeyProcessorSupplier(ConnectedStoreProvider, ABC, Generic[KIn, VIn, VOut]):
    """Makes fixed-key processors; may be a class or a callable without arguments."""

    @abstractmethod
    def get(self) -> FixedKeyProcessor[KIn, VIn, VOut]:
        """Return a new processor, never one that was returned before."""
