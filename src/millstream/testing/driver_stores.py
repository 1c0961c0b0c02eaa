"""Stores of the test driver by type, as Kafka's test driver returns them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from millstream.core.engine.task import Task
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.record_context import RecordContext
from millstream.core.state import (
    KeyValueStore,
    SessionStore,
    SessionStoreWithHeaders,
    StateStore,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedKeyValueStore,
    WindowStore,
)
from millstream.core.wording import a, a_kind
from millstream.testing.shown_stores import (
    AGGREGATE_OF_HEADED,
    TIMESTAMPED_OF_HEADED,
    VALUE_OF_HEADED,
    VALUE_OF_TIMESTAMPED,
    ShownKeyValueStore,
    ShownSessionStore,
    ShownWindowStore,
)

GETTERS: dict[Any, str] = {
    VersionedKeyValueStore: "getVersionedKeyValueStore",
    TimestampedKeyValueStore: "getTimestampedKeyValueStore",
    TimestampedKeyValueStoreWithHeaders: "getTimestampedKeyValueStoreWithHeaders",
    KeyValueStore: "getKeyValueStore",
    TimestampedWindowStore: "getTimestampedWindowStore",
    TimestampedWindowStoreWithHeaders: "getTimestampedWindowStoreWithHeaders",
    WindowStore: "getWindowStore",
    SessionStoreWithHeaders: "getSessionStoreWithHeaders",
    SessionStore: "getSessionStore",
}
"""Narrower kinds first."""


class DriverStores:
    """Stores by name; each getter returns None if the store is of another type."""

    def __init__(self, *tasks: Task, names: Iterable[str] = ()) -> None:
        self.__tasks = tasks
        self.__names = tuple(names)

    def getAllStateStores(self) -> dict[str, Any]:
        """Return every store by name; None for one that no processor is connected to."""
        # As in Kafka's driver: what a test writes is no part of the last record.
        self.__tasks[0].record_context = RecordContext(None, -1, -1, 0)
        return dict.fromkeys(self.__names) | {
            name: store for task in self.__tasks for name, store in task.stores.items()
        }

    def getStateStore(self, name: str) -> StateStore | None:
        """Return a store of the user's own type; None if there is no such store.

        Raises:
            IllegalArgumentException: The store has a type with its own getter.
        """
        store = self._store(name)
        for kind, getter in GETTERS.items():
            if isinstance(store, kind):
                raise IllegalArgumentException(
                    f"Store {name} is {a(_spoken(kind.__name__))} and should be accessed via "
                    f"`{getter}()`"
                )
        return store

    def getKeyValueStore(self, name: str) -> Any:
        """Return a key-value store, as plain values without timestamps and headers."""
        store = self._store(name)
        if isinstance(store, TimestampedKeyValueStoreWithHeaders):
            return ShownKeyValueStore(store, VALUE_OF_HEADED)
        if isinstance(store, TimestampedKeyValueStore):
            return ShownKeyValueStore(store, VALUE_OF_TIMESTAMPED)
        return store if isinstance(store, KeyValueStore) else None

    def getTimestampedKeyValueStore(self, name: str) -> Any:
        """Return a key-value store of values with timestamps, without headers."""
        store = self._store(name)
        if isinstance(store, TimestampedKeyValueStoreWithHeaders):
            return ShownKeyValueStore(store, TIMESTAMPED_OF_HEADED)
        return store if isinstance(store, TimestampedKeyValueStore) else None

    def getTimestampedKeyValueStoreWithHeaders(self, name: str) -> Any:
        """Return a key-value store of values with timestamps and headers."""
        store = self._store(name)
        return store if isinstance(store, TimestampedKeyValueStoreWithHeaders) else None

    def getVersionedKeyValueStore(self, name: str) -> Any:
        """Return a versioned key-value store."""
        store = self._store(name)
        return store if isinstance(store, VersionedKeyValueStore) else None

    def getWindowStore(self, name: str) -> Any:
        """Return a window store, as plain values without timestamps and headers."""
        store = self._store(name)
        if isinstance(store, TimestampedWindowStoreWithHeaders):
            return ShownWindowStore(store, VALUE_OF_HEADED)
        if isinstance(store, TimestampedWindowStore):
            return ShownWindowStore(store, VALUE_OF_TIMESTAMPED)
        return store if isinstance(store, WindowStore) else None

    def getTimestampedWindowStore(self, name: str) -> Any:
        """Return a window store of values with timestamps, without headers."""
        store = self._store(name)
        if isinstance(store, TimestampedWindowStoreWithHeaders):
            return ShownWindowStore(store, TIMESTAMPED_OF_HEADED)
        return store if isinstance(store, TimestampedWindowStore) else None

    def getTimestampedWindowStoreWithHeaders(self, name: str) -> Any:
        """Return a window store of values with timestamps and headers."""
        store = self._store(name)
        return store if isinstance(store, TimestampedWindowStoreWithHeaders) else None

    def getSessionStore(self, name: str) -> Any:
        """Return a session store, without headers."""
        store = self._store(name)
        if isinstance(store, SessionStoreWithHeaders):
            return ShownSessionStore(store, AGGREGATE_OF_HEADED)
        return store if isinstance(store, SessionStore) else None

    def getSessionStoreWithHeaders(self, name: str) -> Any:
        """Return a session store of aggregates with headers."""
        store = self._store(name)
        return store if isinstance(store, SessionStoreWithHeaders) else None

    def _store(self, name: Any) -> StateStore | None:
        if not isinstance(name, str | None):
            raise ClassCastException(
                f"name cannot be {a_kind(name)}", hint="Give the name of a store."
            )
        return None if name is None else self.getAllStateStores().get(name)


def _spoken(kind: str) -> str:
    """Return the name of a kind in words: ``KeyValueStore`` is a key-value store."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()
    return words.replace("key value", "key-value")
