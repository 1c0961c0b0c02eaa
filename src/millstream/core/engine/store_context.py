"""Contexts of stores: what they see of their task."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.engine.task_facts import TaskFacts
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedOperationException,
)
from millstream.core.function_kinds import check_kind
from millstream.core.headers import Headers
from millstream.core.processor import TaskId
from millstream.core.record_context import RecordContext
from millstream.core.records import RecordMetadata
from millstream.core.state import CacheBudget, StateRestoreCallback, StateStore, StateStoreContext
from millstream.core.wording import a_kind
from millstream.core.working_copy import WorkingCopy

if TYPE_CHECKING:
    from millstream.core.engine.task import Task


class StoreContext(StateStoreContext):
    """Context of stores that are only read: there are no records, and nothing is logged.

    Args:
        facts: The task's facts, or a processor's context that has them.
        working_copy: Returns the bytes of a store, given its name and the kind of byte store.
    """

    def __init__(self, facts: Any, working_copy: Callable[[str, str], WorkingCopy]) -> None:
        self._facts: TaskFacts = facts
        self._working_copy = working_copy
        self.cache_budget = CacheBudget(0)
        self.restorers: dict[str, Any] = {}
        """Callbacks that fill users' own stores, by the names of the stores."""
        self.copied: set[str] = set()
        """Stores whose bytes the host keeps: those of ours, also below a user's own."""
        self.below: dict[str, list[StateStore]] = {}
        """Stores of ours, by the names of the stores that they are or are below."""

    @property
    def record_context(self) -> RecordContext | None:
        return None

    def applicationId(self) -> str:
        return self._facts.applicationId()

    def taskId(self) -> TaskId:
        return self._facts.taskId()

    def recordMetadata(self) -> RecordMetadata | None:
        return None

    def keySerde(self) -> Any:
        return self._facts.keySerde()

    def valueSerde(self) -> Any:
        return self._facts.valueSerde()

    def stateDir(self) -> Path:
        return self._facts.stateDir()

    def metrics(self) -> Any:
        return self._facts.metrics()

    def register(
        self,
        store: StateStore,
        stateRestoreCallback: StateRestoreCallback | Callable[[bytes, bytes | None], None] | None,
        commitCallback: Any = None,
    ) -> None:
        self.restorers[store.name()] = stateRestoreCallback

    def appConfigs(self) -> dict[str, Any]:
        return self._facts.appConfigs()

    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        return self._facts.appConfigsWithPrefix(prefix)

    def opened(self, root: StateStore, store: StateStore) -> None:
        """Note a store of Kafka's kinds: its bytes may change in another way than through it."""
        self.below.setdefault(root.name(), []).append(store)

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        self.copied.add(store)
        return self._working_copy(store, kind)

    def logs_changes(self, store: str) -> bool:
        del store
        return False

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Note a change in the form that Kafka's changelog topic would hold."""

    def as_record(self, record_context: RecordContext) -> AbstractContextManager[Any]:
        del record_context
        return nullcontext()

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        """Return the context of one record of a chunk.

        Raises:
            UnsupportedOperationException: There are no records.
        """
        raise UnsupportedOperationException("a copy of a store takes no records")

    def count_dropped_record(self, store: str) -> None:
        """Count a record that a store refused because it is too late."""


class TaskStoreContext(StoreContext):
    """Context of the stores of a running task; they share one."""

    def __init__(self, task: Task) -> None:
        facts = TaskFacts(task.id, task.settings, task.host, task.metrics)
        super().__init__(facts, task.host.working_copy)
        self._task = task
        self._names = frozenset(node.name for part in task.parts for node in part.stores)
        self.cache_budget = task.cache

    @property
    def record_context(self) -> RecordContext | None:
        return self._task.record_context_or_none()

    def changelog_topic(self, store: str) -> str:
        """Return the topic that the serdes of a store are told; a source's, if it is read again."""
        task = self._task
        for copied in task.plan.globals:
            if copied.store.name == store and copied.source.topics:
                return copied.source.topics[0]
        nodes = (node for part in task.parts for node in part.stores)
        topic = next((node.source_topic for node in nodes if node.name == store), None)
        return topic or super().changelog_topic(store)

    def recordMetadata(self) -> RecordMetadata | None:
        context = self._task.record_context
        return None if context is None else context.metadata()

    def register(
        self,
        store: StateStore,
        stateRestoreCallback: StateRestoreCallback | Callable[[bytes, bytes | None], None] | None,
        commitCallback: Any = None,
    ) -> None:
        """Note how a user's own store is filled from a changelog, and whom a commit is to tell.

        Raises:
            IllegalStateException: The store is logged and there is no callback to restore it.
            IllegalArgumentException: A store of this name has been registered.
            ClassCastException: A callback cannot be called.

        Source: Kafka's ``ProcessorStateManager.registerStore``.
        """
        if store.name() in self.restorers or store.name() in self.copied:
            raise _registered(store.name())
        if stateRestoreCallback is None and self._is_logged(store.name()):
            raise IllegalStateException(
                "Log enabled store should always provide a restore callback upon registration",
                hint="Give register() a callable (key, value), or build the store "
                "withLoggingDisabled(): it is then empty after a restart.",
            )
        _check_callback(stateRestoreCallback, "stateRestoreCallback", "restore", "restoreAll")
        _check_callback(commitCallback, "commitCallback", "onCommit")
        if commitCallback is not None:
            call = getattr(commitCallback, "onCommit", commitCallback)
            self._task.commit_callbacks.append(call)
        super().register(store, stateRestoreCallback)

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the bytes of a store, which is registered by that.

        Raises:
            IllegalArgumentException: A store of this name has been registered.
        """
        if store in self.restorers:
            raise _registered(store)
        return super().working_copy(store, kind)

    def _is_logged(self, store: str) -> bool:
        nodes = (node for part in self._task.parts for node in part.stores)
        return any(node.name == store and node.builder.loggingEnabled() for node in nodes)

    def logs_changes(self, store: str) -> bool:
        return self._task.host.logs_changes(store)

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Log a change; of a user's own store, or by one, check what it gives.

        Raises:
            IllegalStateException: The task has no store of this name.
            ClassCastException: Key or value are no bytes, or the time is no int.
        """
        if store in self.restorers:
            _check_change(store, key, value, timestamp)
        elif store not in self._names:
            raise IllegalStateException(
                f'no change of store "{store}" can be logged: the task has no store of this name',
                detail=f"Its stores: {', '.join(sorted(self._names)) or 'none'}.",
                hint="Give log_change() the name of the store itself; under another one its "
                "entries would be gone after a restart.",
            )
        self._task.host.log_change(store, key, value, timestamp, headers)

    def keep_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        self._task.host.keep_change(store, key, value, timestamp, headers)

    def as_record(self, record_context: RecordContext) -> AbstractContextManager[None]:
        return self._task.as_record(record_context)

    def chunk_context(self, chunk: Chunk, index: int) -> RecordContext:
        return self._task.chunk_context(chunk, index)

    def count_dropped_record(self, store: str) -> None:
        self._task.measures.expired(store)
        self._task.failures.drop("its window has expired", store)


def _registered(store: str) -> IllegalArgumentException:
    return IllegalArgumentException(
        f"Store {store} has already been registered.",
        hint="A store that opens one of ours by init(context, root) does not register, too: that "
        "one has. Two stores have two names.",
    )


def _check_change(store: str, key: Any, value: Any, timestamp: Any) -> None:
    """Refuse what a changelog cannot hold: a restart would be the first to know."""
    wrong = [f"its key is {a_kind(key)}"] if not isinstance(key, bytes) else []
    if value is not None and not isinstance(value, bytes):
        wrong.append(f"its value is {a_kind(value)}")
    if timestamp is not None and not isinstance(timestamp, int):
        wrong.append(f"its time is {a_kind(timestamp)}")
    if wrong:
        raise ClassCastException(
            f'a change of store "{store}" cannot be logged: {", ".join(wrong)}',
            hint="log_change() takes the key as bytes, the value as bytes or None for a deletion, "
            "and the time in ms, or None for now.",
        )


def _check_callback(given: Any, parameter: str, *methods: str) -> None:
    """Refuse what nothing could call: a restart, or the next commit, would be the first to know."""
    made = not isinstance(given, type)
    usable = callable(given) or any(callable(getattr(given, each, None)) for each in methods)
    if given is None or (usable and made):
        calls = [getattr(given, each, None) for each in methods] + [given]
        for call in filter(callable, calls):
            check_kind(call, parameter)
        return
    raise ClassCastException(
        f"{parameter} cannot be {a_kind(given) if made else f'the class {given.__name__}'}",
        hint=f"Give a callable, or an object with a method {' or '.join(methods)}().",
    )
