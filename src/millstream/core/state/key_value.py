"""Interfaces of key-value stores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from millstream.core.errors import UnsupportedOperationException
from millstream.core.keyvalue import KeyValue
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.store import StateStore
from millstream.core.state.values import ValueAndTimestamp

K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyKeyValueStore(Generic[K, V]):
    """Read access to a key-value store. Order is that of the serialised keys' bytes.

    Source: ``state.ReadOnlyKeyValueStore``.
    """

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Return the value of ``key``; None if it has none.

        Raises:
            NullPointerException: ``key`` is None.
            InvalidStateStoreException: The store is closed.
        """

    @abstractmethod
    def range(self, from_: K | None, to: K | None) -> KeyValueIterator[K, V]:
        """Return the entries from ``from_`` to ``to``, both inclusive; None is unbounded.

        A range that ends before it begins is empty, with a warning in the log.
        """

    def reverseRange(self, from_: K | None, to: K | None) -> KeyValueIterator[K, V]:
        """Return what ``range`` returns, last key first."""
        raise self._unsupported("reverseRange")

    @abstractmethod
    def all(self) -> KeyValueIterator[K, V]:
        """Return every entry."""

    def reverseAll(self) -> KeyValueIterator[K, V]:
        """Return every entry, last key first."""
        raise self._unsupported("reverseAll")

    def prefixScan(self, prefix: Any, prefixKeySerializer: Any) -> KeyValueIterator[K, V]:
        """Return the entries whose key's bytes start with the bytes of ``prefix``."""
        raise self._unsupported("prefixScan")

    @abstractmethod
    def approximateNumEntries(self) -> int:
        """Return about how many entries there are; what is only cached does not count."""

    def _unsupported(self, method: str) -> UnsupportedOperationException:
        return UnsupportedOperationException(
            f"{type(self).__name__} has no method {method}()",
            hint="Write it in the class of the store; a store may leave it out, as in Kafka.",
        )


class KeyValueStore(StateStore, ReadOnlyKeyValueStore[K, V]):
    """A map from keys to values.

    Source: ``state.KeyValueStore``.
    """

    @abstractmethod
    def put(self, key: K, value: V | None) -> None:
        """Set the value of ``key``; None deletes it.

        Raises:
            NullPointerException: ``key`` is None.
            InvalidStateStoreException: The store is closed.
        """

    @abstractmethod
    def putIfAbsent(self, key: K, value: V | None) -> V | None:
        """Set the value of ``key`` unless it has one; return the one it had."""

    @abstractmethod
    def putAll(self, entries: Iterable[KeyValue[K, V | None]]) -> None:
        """Set many values, in order."""

    @abstractmethod
    def delete(self, key: K) -> V | None:
        """Delete ``key`` and return the value it had."""


class TimestampedKeyValueStore(KeyValueStore[K, ValueAndTimestamp[V]]):
    """A map from keys to values with their event time: what a ``KTable`` is kept in.

    Source: ``state.TimestampedKeyValueStore``.
    """
