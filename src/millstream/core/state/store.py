"""State stores, and their context in the task that owns them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from millstream.core.headers import Headers
from millstream.core.readable import Closing, Readable, ReadableByName
from millstream.core.record_context import RecordContext
from millstream.core.records import RecordMetadata
from millstream.core.working_copy import WorkingCopy

if TYPE_CHECKING:
    from millstream.core.chunk import Chunk
    from millstream.core.kafka import TopicPartition
    from millstream.core.processor import TaskId
    from millstream.core.query import Position, PositionBound, Query, QueryConfig, QueryResult
    from millstream.core.serdes import Serde

R = TypeVar("R")


class StateRestoreCallback(Protocol):
    """Callback that fills a store from a changelog, for ``register``."""

    def restore(self, key: bytes, value: bytes | None) -> None:
        """Take one change; None deletes."""


class StateStore(ReadableByName, Closing, ABC):
    """A named piece of a task's state. Only its task's thread may use it.

    Source: ``processor.StateStore``.
    """

    partition: int | None = None
    """The partition of the task that owns the store; None before it is initialised."""
    _position: Position | None = None

    @abstractmethod
    def name(self) -> str:
        """Return the name, unique in the topology."""

    @abstractmethod
    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task; ``root`` is the outermost store, as ``register`` wants it."""

    def flush(self) -> None:
        """Write out what is only cached. A commit calls it."""

    def commit(self, changelogOffsets: Mapping[Any, int]) -> None:
        """Take part in a commit of the task: by default, ``flush``.

        Args:
            changelogOffsets: Empty: no changelog topic is read here.
        """
        del changelogOffsets
        self.flush()

    def committedOffset(self, topicPartition: TopicPartition) -> int | None:
        """Return the changelog offset up to which the store is complete, if the store knows it.

        Ours do not, and nothing here calls it: durable state is in the checkpoint, not in topics.
        """
        del topicPartition
        return None

    @abstractmethod
    def close(self) -> None:
        """Release everything; calling it twice is fine."""

    @abstractmethod
    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""

    @abstractmethod
    def isOpen(self) -> bool:
        """Tell whether the store can be used."""

    def reload(self) -> None:
        """Drop what was derived from the bytes below: they were changed in another way."""

    def query(
        self, query: Query[R], positionBound: PositionBound, config: QueryConfig
    ) -> QueryResult[R]:
        """Answer a query; that the store cannot is a result, too.

        Raises:
            UnsupportedOperationException: A key-value query was put to a versioned store.

        Source: KIP-796.
        """
        from millstream.core.query.answer import answer

        return answer(self, query, positionBound, config)

    def getPosition(self) -> Position:
        """Return the offsets of the last records that changed the store, per source partition.

        The host moves it on as it commits.
        """
        if self._position is None:
            from millstream.core.query.position import Position

            self._position = Position()
        return self._position


def commit_of(store: Any) -> Callable[[Mapping[Any, int]], object]:
    """Return what commits a user's own store: its ``flush`` where it has no ``commit`` itself.

    That is Kafka's default. One that hands on what it lacks to a store below would else have that
    committed, and its own ``flush`` never called.
    """
    commit: Any = getattr(store, "commit", None)
    if commit is None or (_has(store, "flush") and not _has(store, "commit")):
        return lambda offsets: store.flush()
    found: Callable[[Mapping[Any, int]], object] = commit
    return found


def _has(store: Any, name: str) -> bool:
    """Tell whether a store or its class has an attribute, and no other object for it.

    As ``inspect.getattr_static``, which takes some microseconds in each commit.
    """
    return name in getattr(store, "__dict__", ()) or any(
        name in vars(each) for each in type(store).__mro__
    )


class CacheBudget:
    """Budget in bytes of all record caches of a task; 0 turns caching off."""

    __slots__ = ("limit", "used")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0


def tell_partition(store: Any, partition: int) -> None:
    """Tell a store the partition of its task, unless its class uses that name for its own."""
    if isinstance(store, StateStore) and type(store).partition is None:
        # Also where the class is frozen.
        object.__setattr__(store, "partition", partition)


class StateStoreContext(Readable, ABC):
    """A store's view of its task: the public part first, then what our own stores need.

    Source: ``processor.StateStoreContext``.
    """

    cache_budget: CacheBudget
    """One for all stores of the task."""

    @property
    @abstractmethod
    def record_context(self) -> RecordContext | None:
        """The current record, a new object for every record; None before the first one."""

    @abstractmethod
    def applicationId(self) -> str:
        """Return ``application.id``."""

    def changelog_topic(self, store: str) -> str:
        """Return the topic that a store's serdes receive: that of its changelog."""
        return f"{self.applicationId()}-{store}-changelog"

    @abstractmethod
    def taskId(self) -> TaskId:
        """Return the task."""

    @abstractmethod
    def recordMetadata(self) -> RecordMetadata | None:
        """Return where the current record came from; None before the first record."""

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
    def metrics(self) -> Any:
        """Return the task's metrics."""

    @abstractmethod
    def register(
        self,
        store: StateStore,
        stateRestoreCallback: StateRestoreCallback | Callable[[bytes, bytes | None], None],
        commitCallback: Any = None,
    ) -> None:
        """Register a store, and the callback that fills it from a changelog.

        ``commitCallback``, a callable or an object with ``onCommit``, is called at every commit of
        the task, after its stores have been flushed.
        """

    @abstractmethod
    def appConfigs(self) -> dict[str, Any]:
        """Return the application's configuration."""

    @abstractmethod
    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        """Return the entries whose key starts with ``prefix``, without it."""

    def opened(self, root: StateStore, store: StateStore) -> None:
        """Called when a store of Kafka's kinds has been opened, as ``root`` itself or below it."""

    @abstractmethod
    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the bytes of a store, in the byte store plugin called ``kind``.

        It is the same object for the life of the store.
        """

    @abstractmethod
    def logs_changes(self, store: str) -> bool:
        """Tell whether a store has to call ``log_change``; asked once, when it opens."""

    @abstractmethod
    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Log a change, in the form of Kafka's changelog topic."""

    def keep_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Keep a change of a store without logging, whose next task gets it as a logged one.

        Where no state outlives the task, nothing is kept.
        """

    @abstractmethod
    def as_record(self, record_context: RecordContext) -> AbstractContextManager[Any]:
        """Make another record the current one for the length of a ``with`` block."""

    @abstractmethod
    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        """Return the context of one record of a chunk."""

    @abstractmethod
    def count_dropped_record(self, store: str) -> None:
        """Count a record that a store refused because it is too late."""
