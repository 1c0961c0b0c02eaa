"""Iterators over entries that were read from a store to the end, independent of the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from millstream.core.errors import ClassCastException, NoSuchElementException
from millstream.core.keyvalue import KeyValue
from millstream.core.state.iterators import KeyValueIterator, WindowStoreIterator
from millstream.core.wording import a_kind


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


def entries_of(found: Any, method: str, store: Any) -> KeyValueIterator[Any, Any]:
    """Return the entries that a store answered as an iterator; those of a user's own may be a list.

    Raises:
        ClassCastException: They are no entries.

    Example:
        >>> entries_of([("a", 1)], "all", None).next()
        KeyValue('a', 1)
    """
    if isinstance(found, KeyValueIterator):
        return found
    entries = []
    for entry in _each(found, method, store):
        if not isinstance(entry, KeyValue | tuple | list) or len(tuple(entry)) != 2:
            raise _refusal(method, store, f"{a_kind(entry)} as an entry")
        entries.append(KeyValue(*entry))
    # Of a key's windows or of others: both have what the iterator of windows has.
    return DrainedWindows(entries)


def _each(found: Any, method: str, store: Any) -> Iterator[Any]:
    close, by_next = getattr(found, "close", None), found
    try:
        if isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping):
            yield from found
        elif callable(getattr(by_next, "hasNext", None)):
            while by_next.hasNext():
                yield by_next.next()
        else:
            raise _refusal(method, store, a_kind(found))
    finally:
        if close is not None:
            close()


def _refusal(method: str, store: Any, found: str) -> ClassCastException:
    kind = type(store)
    return ClassCastException(
        f'{method}() of store "{store.name()}" returned {found}',
        detail=f"The class is {kind.__module__}.{kind.__qualname__}.",
        hint="Return a KeyValueIterator, or another iterator of KeyValue.",
    )
