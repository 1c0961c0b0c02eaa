"""Interactive queries, version 1: which interface of a store is wanted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from millstream.core.query.composite import CompositeStore
from millstream.core.state.key_value import (
    KeyValueStore,
    ReadOnlyKeyValueStore,
    TimestampedKeyValueStore,
)
from millstream.core.state.session import ReadOnlySessionStore, SessionStore
from millstream.core.state.store import StateStore
from millstream.core.state.values import ValueAndTimestamp
from millstream.core.state.window import ReadOnlyWindowStore, TimestampedWindowStore, WindowStore

T = TypeVar("T")
# A static method's own: the class's are unknown to a type checker there.
T_ = TypeVar("T_")


class StateStoreProvider(Protocol):
    """Finds the stores of a name, one per partition."""

    def stores(self, storeName: str, queryableStoreType: QueryableStoreType[Any]) -> list[Any]:
        """Return the stores that the type accepts."""


class QueryableStoreType(ABC, Generic[T]):
    """An interface by which a store can be read from outside.

    Source: ``state.QueryableStoreType``.
    """

    @abstractmethod
    def accepts(self, stateStore: StateStore) -> bool:
        """Tell whether a store can be read so."""

    @abstractmethod
    def create(self, storeProvider: StateStoreProvider, storeName: str) -> T:
        """Return one view of the stores of all partitions."""


class _OfKind(QueryableStoreType[T]):
    kinds: ClassVar[tuple[type, ...]]
    timestamped: ClassVar[tuple[type, ...]] = ()
    """Stores of these are shown without their timestamps."""

    def accepts(self, stateStore: StateStore) -> bool:
        """Tell whether a store can be read so."""
        return isinstance(stateStore, self.kinds)

    def create(self, storeProvider: StateStoreProvider, storeName: str) -> T:
        """Return one view of the stores of all partitions.

        A read of one key gives the first value found; an iteration goes through the stores one
        after another.
        """
        view: Any = CompositeStore(storeProvider.stores(storeName, self), self.timestamped)
        shown: T = view
        return shown


class KeyValueStoreType(_OfKind[ReadOnlyKeyValueStore[Any, Any]]):
    """Key-value stores; where there are timestamps, without them."""

    kinds = (KeyValueStore,)
    timestamped = (TimestampedKeyValueStore,)


class TimestampedKeyValueStoreType(_OfKind[ReadOnlyKeyValueStore[Any, ValueAndTimestamp[Any]]]):
    """Key-value stores with timestamps."""

    kinds = (TimestampedKeyValueStore,)


class WindowStoreType(_OfKind[ReadOnlyWindowStore[Any, Any]]):
    """Window stores; where there are timestamps, without them."""

    kinds = (WindowStore,)
    timestamped = (TimestampedWindowStore,)


class TimestampedWindowStoreType(_OfKind[ReadOnlyWindowStore[Any, ValueAndTimestamp[Any]]]):
    """Window stores with timestamps."""

    kinds = (TimestampedWindowStore,)


class SessionStoreType(_OfKind[ReadOnlySessionStore[Any, Any]]):
    """Session stores."""

    kinds = (SessionStore,)


class QueryableStoreTypes:
    """The types that ``KafkaStreams.store`` knows.

    Source: ``state.QueryableStoreTypes``.
    """

    KeyValueStoreType: ClassVar = KeyValueStoreType
    TimestampedKeyValueStoreType: ClassVar = TimestampedKeyValueStoreType
    WindowStoreType: ClassVar = WindowStoreType
    TimestampedWindowStoreType: ClassVar = TimestampedWindowStoreType
    SessionStoreType: ClassVar = SessionStoreType

    @staticmethod
    def keyValueStore() -> QueryableStoreType[ReadOnlyKeyValueStore[Any, Any]]:
        """Return the type of key-value stores, values without timestamps."""
        return KeyValueStoreType()

    @staticmethod
    def timestampedKeyValueStore() -> QueryableStoreType[
        ReadOnlyKeyValueStore[Any, ValueAndTimestamp[Any]]
    ]:
        """Return the type of key-value stores with timestamps."""
        return TimestampedKeyValueStoreType()

    @staticmethod
    def windowStore() -> QueryableStoreType[ReadOnlyWindowStore[Any, Any]]:
        """Return the type of window stores, values without timestamps."""
        return WindowStoreType()

    @staticmethod
    def timestampedWindowStore() -> QueryableStoreType[
        ReadOnlyWindowStore[Any, ValueAndTimestamp[Any]]
    ]:
        """Return the type of window stores with timestamps."""
        return TimestampedWindowStoreType()

    @staticmethod
    def sessionStore() -> QueryableStoreType[ReadOnlySessionStore[Any, Any]]:
        """Return the type of session stores."""
        return SessionStoreType()


@dataclass(frozen=True, slots=True)
class StoreQueryParameters(Generic[T]):
    """Which store ``KafkaStreams.store`` is to show, and how.

    Source: KIP-562, ``org.apache.kafka.streams.StoreQueryParameters``.
    """

    _name: str
    _type: QueryableStoreType[T]
    _partition: int | None = None
    _stale: bool = False

    @staticmethod
    def fromNameAndType(
        storeName: str, queryableStoreType: QueryableStoreType[T_]
    ) -> StoreQueryParameters[T_]:
        """Ask for the active stores of all partitions."""
        return StoreQueryParameters(storeName, queryableStoreType)

    def withPartition(self, partition: int) -> StoreQueryParameters[T]:
        """Ask for one partition only."""
        return replace(self, _partition=partition)

    def enableStaleStores(self) -> StoreQueryParameters[T]:
        """Allow stores that may be behind: those being restored."""
        return replace(self, _stale=True)

    def storeName(self) -> str:
        """Return the store's name."""
        return self._name

    def queryableStoreType(self) -> QueryableStoreType[T]:
        """Return how the store is to be shown."""
        return self._type

    def partition(self) -> int | None:
        """Return the partition; None for all."""
        return self._partition

    def staleStoresEnabled(self) -> bool:
        """Tell whether a store may be behind."""
        return self._stale
