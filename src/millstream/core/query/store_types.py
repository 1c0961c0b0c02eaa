"""Interactive queries, version 1: the interfaces by which stores are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from millstream.core.arguments import text_or_none, whole
from millstream.core.errors import ClassCastException
from millstream.core.java_shapes import java_object
from millstream.core.query.composite import CompositeStore
from millstream.core.query.plain import Show, aggregate_of, timestamped_of, value_of
from millstream.core.readable import Readable
from millstream.core.state.header_stores import (
    SessionStoreWithHeaders,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStoreWithHeaders,
)
from millstream.core.state.header_values import AggregationWithHeaders, ValueTimestampHeaders
from millstream.core.state.key_value import (
    KeyValueStore,
    ReadOnlyKeyValueStore,
    TimestampedKeyValueStore,
)
from millstream.core.state.session import ReadOnlySessionStore, SessionStore
from millstream.core.state.store import StateStore
from millstream.core.state.values import ValueAndTimestamp
from millstream.core.state.window import ReadOnlyWindowStore, TimestampedWindowStore, WindowStore
from millstream.core.wording import a_kind

T = TypeVar("T")
# A static method's own: the class's are unknown to a type checker there.
T_ = TypeVar("T_")


class StateStoreProvider(Protocol):
    """Returns the stores of a name, one per partition."""

    def stores(self, storeName: str, queryableStoreType: QueryableStoreType[Any]) -> list[Any]:
        """Return the stores that the type accepts."""


class QueryableStoreType(Readable, ABC, Generic[T]):
    """An interface by which ``KafkaStreams.store`` shows a store.

    Source: ``state.QueryableStoreType``.
    """

    @abstractmethod
    def accepts(self, stateStore: StateStore) -> bool:
        """Tell whether a store can be read by this interface."""

    @abstractmethod
    def create(self, storeProvider: StateStoreProvider, storeName: str) -> T:
        """Return one view of the stores of all partitions."""


class _OfKind(QueryableStoreType[T]):
    kinds: ClassVar[tuple[type, ...]]
    shows: ClassVar[dict[type, Show]] = {}
    """Conversion of values by kind of store."""

    def accepts(self, stateStore: StateStore) -> bool:
        return isinstance(stateStore, self.kinds)

    def create(self, storeProvider: StateStoreProvider, storeName: str) -> T:
        """Return one view of the stores of all partitions, which are looked up at every read.

        A read of one key gives the first value found; an iteration goes through the stores one
        after another.
        """
        # Only a provider whose stores change during reads has a say in them.
        reading = getattr(storeProvider, "reading", None)
        view: Any = CompositeStore(
            lambda: storeProvider.stores(storeName, self), self.shows, reading
        )
        shown: T = view
        return shown


class KeyValueStoreType(_OfKind[ReadOnlyKeyValueStore[Any, Any]]):
    """Key-value stores; where there are timestamps or headers, without them."""

    kinds = (KeyValueStore,)
    shows: ClassVar = {
        TimestampedKeyValueStore: value_of,
        TimestampedKeyValueStoreWithHeaders: value_of,
    }


class TimestampedKeyValueStoreType(_OfKind[ReadOnlyKeyValueStore[Any, ValueAndTimestamp[Any]]]):
    """Key-value stores with timestamps; where there are headers, without them."""

    kinds = (TimestampedKeyValueStore, TimestampedKeyValueStoreWithHeaders)
    shows: ClassVar = {TimestampedKeyValueStoreWithHeaders: timestamped_of}


class KeyValueStoreWithHeadersType(_OfKind[ReadOnlyKeyValueStore[Any, ValueTimestampHeaders[Any]]]):
    """Key-value stores with timestamps and headers."""

    kinds = (TimestampedKeyValueStoreWithHeaders,)


class WindowStoreType(_OfKind[ReadOnlyWindowStore[Any, Any]]):
    """Window stores; where there are timestamps or headers, without them."""

    kinds = (WindowStore,)
    shows: ClassVar = {
        TimestampedWindowStore: value_of,
        TimestampedWindowStoreWithHeaders: value_of,
    }


class TimestampedWindowStoreType(_OfKind[ReadOnlyWindowStore[Any, ValueAndTimestamp[Any]]]):
    """Window stores with timestamps; where there are headers, without them."""

    kinds = (TimestampedWindowStore, TimestampedWindowStoreWithHeaders)
    shows: ClassVar = {TimestampedWindowStoreWithHeaders: timestamped_of}


class WindowStoreWithHeadersType(_OfKind[ReadOnlyWindowStore[Any, ValueTimestampHeaders[Any]]]):
    """Window stores with timestamps and headers."""

    kinds = (TimestampedWindowStoreWithHeaders,)


class SessionStoreType(_OfKind[ReadOnlySessionStore[Any, Any]]):
    """Session stores; where there are headers, without them."""

    kinds = (SessionStore,)
    shows: ClassVar = {SessionStoreWithHeaders: aggregate_of}


class SessionStoreWithHeadersType(_OfKind[ReadOnlySessionStore[Any, AggregationWithHeaders[Any]]]):
    """Session stores with headers."""

    kinds = (SessionStoreWithHeaders,)


# By another name, so that they are types in a class of the same names too.
_KeyValueStoreType = KeyValueStoreType
_SessionStoreType = SessionStoreType
_TimestampedKeyValueStoreType = TimestampedKeyValueStoreType
_TimestampedWindowStoreType = TimestampedWindowStoreType
_WindowStoreType = WindowStoreType


class QueryableStoreTypes:
    """The types that ``KafkaStreams.store`` knows.

    Source: ``state.QueryableStoreTypes``.
    """

    KeyValueStoreType: TypeAlias = _KeyValueStoreType
    TimestampedKeyValueStoreType: TypeAlias = _TimestampedKeyValueStoreType
    WindowStoreType: TypeAlias = _WindowStoreType
    TimestampedWindowStoreType: TypeAlias = _TimestampedWindowStoreType
    SessionStoreType: TypeAlias = _SessionStoreType

    # Each is called without arguments, as Kafka's method of the name.
    keyValueStore = KeyValueStoreType
    timestampedKeyValueStore = TimestampedKeyValueStoreType
    timestampedKeyValueStoreWithHeaders = KeyValueStoreWithHeadersType
    windowStore = WindowStoreType
    timestampedWindowStore = TimestampedWindowStoreType
    timestampedWindowStoreWithHeaders = WindowStoreWithHeadersType
    sessionStore = SessionStoreType
    sessionStoreWithHeaders = SessionStoreWithHeadersType


def checked_type(given: Any) -> Any:
    """Return an interface of stores, or None.

    Raises:
        ClassCastException: It is something else, such as the class of an interface.
    """
    if given is None:
        return None
    if not isinstance(given, type) and hasattr(given, "accepts") and hasattr(given, "create"):
        return given
    hint = "Give one of QueryableStoreTypes, such as QueryableStoreTypes.keyValueStore()."
    if isinstance(given, type):
        forgotten = issubclass(given, QueryableStoreType)
        hint = "Call it, with parentheses." if forgotten else hint
        raise ClassCastException(
            f"queryableStoreType cannot be the class {given.__qualname__}", hint=hint
        )
    raise ClassCastException(f"queryableStoreType cannot be {a_kind(given)}", hint=hint)


@dataclass(frozen=True, slots=True)
class StoreQueryParameters(Generic[T]):
    """Store, interface and partition for ``KafkaStreams.store``.

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
        """Return parameters for the active stores of all partitions.

        Raises:
            ClassCastException: What is given as type is none.
        """
        name: Any = text_or_none(storeName, "storeName", "Give the name of a store.")
        return StoreQueryParameters(name, checked_type(queryableStoreType))

    def withPartition(self, partition: int) -> StoreQueryParameters[T]:
        """Return parameters for one partition.

        Raises:
            ClassCastException: It is no whole number.
            IllegalArgumentException: It does not fit into 32 bits.
        """
        given: Any = partition
        # None is every partition, as in Kafka Streams.
        number = None if given is None else whole(given, "partition", 32)
        return replace(self, _partition=number)

    def enableStaleStores(self) -> StoreQueryParameters[T]:
        """Return parameters that allow stores with a lag: those being restored."""
        return replace(self, _stale=True)

    def storeName(self) -> str:
        """Return the store's name."""
        return self._name

    def queryableStoreType(self) -> QueryableStoreType[T]:
        """Return the store's interface."""
        return self._type

    def partition(self) -> int | None:
        """Return the partition; None for all."""
        return self._partition

    def staleStoresEnabled(self) -> bool:
        """Tell whether a store may have a lag."""
        return self._stale

    def __str__(self) -> str:
        return java_object(
            "StoreQueryParameters ",
            partition=self._partition,
            staleStores=self._stale,
            storeName=self._name,
            queryableStoreType=self._type,
        )
