"""Interfaces of window stores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, TypeVar, overload

from millstream.core.durations import InstantLike
from millstream.core.state.iterators import KeyValueIterator, WindowStoreIterator
from millstream.core.state.store import StateStore
from millstream.core.state.values import ValueAndTimestamp
from millstream.core.windows import Windowed

K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyWindowStore(Generic[K, V]):
    """Read access to a window store. Times are ``datetime`` or epoch milliseconds.

    Bounds are inclusive and concern a window's start. What is older than the store's retention is
    not seen, counted from the latest start the store was given.

    Source: ``state.ReadOnlyWindowStore``.
    """

    @overload
    def fetch(self, key: K, time: InstantLike, /) -> V | None: ...
    @overload
    def fetch(
        self, key: K, timeFrom: InstantLike, timeTo: InstantLike, /
    ) -> WindowStoreIterator[V]: ...
    @overload
    def fetch(
        self, keyFrom: K | None, keyTo: K | None, timeFrom: InstantLike, timeTo: InstantLike, /
    ) -> KeyValueIterator[Windowed[K], V]: ...
    @overload
    def fetch(self, **keywords: Any) -> Any: ...
    @abstractmethod
    def fetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Read one window, the windows of a key, or those of a range of keys.

        - ``fetch(key, time)``: the value of the window that starts at ``time``, or None.
        - ``fetch(key, timeFrom, timeTo)``: a ``WindowStoreIterator``, by time.
        - ``fetch(keyFrom, keyTo, timeFrom, timeTo)``: an iterator over ``Windowed`` keys; a key of
          None is unbounded.

        Raises:
            NullPointerException: A key is None where one is needed.
            InvalidStateStoreException: The store is closed.
        """

    @overload
    def backwardFetch(
        self, key: K, timeFrom: InstantLike, timeTo: InstantLike, /
    ) -> WindowStoreIterator[V]: ...
    @overload
    def backwardFetch(
        self, keyFrom: K | None, keyTo: K | None, timeFrom: InstantLike, timeTo: InstantLike, /
    ) -> KeyValueIterator[Windowed[K], V]: ...
    @overload
    def backwardFetch(self, **keywords: Any) -> Any: ...
    @abstractmethod
    def backwardFetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Do what the two longer forms of ``fetch`` do, last first."""

    @abstractmethod
    def fetchAll(
        self, timeFrom: InstantLike, timeTo: InstantLike
    ) -> KeyValueIterator[Windowed[K], V]:
        """Return the windows of all keys that start between two times."""

    @abstractmethod
    def backwardFetchAll(
        self, timeFrom: InstantLike, timeTo: InstantLike
    ) -> KeyValueIterator[Windowed[K], V]:
        """Return what ``fetchAll`` returns, last first."""

    @abstractmethod
    def all(self) -> KeyValueIterator[Windowed[K], V]:
        """Return every window of every key."""

    @abstractmethod
    def backwardAll(self) -> KeyValueIterator[Windowed[K], V]:
        """Return every window of every key, last first."""


class WindowStore(StateStore, ReadOnlyWindowStore[K, V]):
    """A map from key and window start to values, which forgets old windows by itself.

    Source: ``state.WindowStore``.
    """

    @abstractmethod
    def put(self, key: K, value: V | None, windowStartTimestamp: int) -> None:
        """Set the value of a key's window; None deletes it.

        A window that is past retention is dropped, with a warning in the log. A store that
        retains duplicates adds the value to those the window has, and ignores None.

        Raises:
            NullPointerException: ``key`` is None.
            InvalidStateStoreException: The store is closed.
        """


class TimestampedWindowStore(WindowStore[K, ValueAndTimestamp[V]]):
    """A window store whose values carry their event time.

    Source: ``state.TimestampedWindowStore``.
    """
