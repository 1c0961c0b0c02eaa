"""Iterators that the public methods of stores return."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from millstream.core.errors import InvalidStateStoreException, NoSuchElementException
from millstream.core.keyvalue import KeyValue
from millstream.core.state import KeyValueIterator, WindowStoreIterator

K = TypeVar("K")
V = TypeVar("V")

NOTHING: Any = object()


class Entries(KeyValueIterator[K, V], Generic[K, V]):
    """Pairs of raw key and cell, shown as a store's keys and values."""

    def __init__(
        self,
        pairs: Iterator[tuple[Any, Any]],
        show_key: Callable[[Any], K],
        show_value: Callable[[Any], V],
        store: str,
    ) -> None:
        self._pairs = pairs
        self._show_key = show_key
        self._show_value = show_value
        self._store = store
        self._ahead: Any = None
        self._open = True

    def hasNext(self) -> bool:
        """Tell whether ``next`` has something to return."""
        self._check_open()
        if self._ahead is None:
            self._ahead = next(self._pairs, NOTHING)
        return self._ahead is not NOTHING

    def next(self) -> KeyValue[K, V]:
        """Return the next entry."""
        raw, cell = self._take()
        self._ahead = None
        return KeyValue(self._show_key(raw), self._show_value(cell))

    def peekNextKey(self) -> K:
        """Return the next entry's key and stay before it."""
        return self._show_key(self._take()[0])

    def close(self) -> None:
        """Release the entries."""
        self._open = False
        self._pairs = iter(())
        self._ahead = NOTHING

    def _take(self) -> tuple[Any, Any]:
        if not self.hasNext():
            raise NoSuchElementException(f'the iterator over store "{self._store}" has ended')
        return self._ahead  # type: ignore[no-any-return]

    def _check_open(self) -> None:
        if not self._open:
            raise InvalidStateStoreException(f"Iterator of store {self._store} has closed.")


class WindowEntries(Entries[int, V], WindowStoreIterator[V]):
    """Pairs of a window's start and cell."""
