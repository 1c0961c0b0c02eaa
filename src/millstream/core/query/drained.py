"""Iterators over entries that were read from a store to the end, independent of the store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millstream.core.errors import NoSuchElementException
from millstream.core.keyvalue import KeyValue
from millstream.core.state.iterators import KeyValueIterator, WindowStoreIterator


class DrainedEntries(KeyValueIterator[Any, Any]):
    """Entries read from a store.

    Example:
        >>> entries = DrainedEntries([KeyValue("a", 1)])
        >>> entries.peekNextKey(), entries.next(), entries.hasNext()
        ('a', KeyValue('a', 1), False)
    """

    def __init__(self, entries: Iterable[KeyValue[Any, Any]]) -> None:
        self._left = list(entries)[::-1]

    def hasNext(self) -> bool:
        return bool(self._left)

    def next(self) -> KeyValue[Any, Any]:
        self._demand()
        return self._left.pop()

    def peekNextKey(self) -> Any:
        self._demand()
        return self._left[-1].key

    def close(self) -> None:
        self._left = []

    def _demand(self) -> None:
        if not self._left:
            raise NoSuchElementException("there is no entry left")


class DrainedWindows(DrainedEntries, WindowStoreIterator[Any]):
    """Windows of one key, read from a store."""


def drained(found: Any) -> Any:
    """Return a store's result independent of the store: iterators are read and closed."""
    if not isinstance(found, KeyValueIterator):
        return found
    kind = DrainedWindows if isinstance(found, WindowStoreIterator) else DrainedEntries
    with found:
        return kind(found)
