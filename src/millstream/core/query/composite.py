"""One read-only view of the stores of several partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.errors import NoSuchElementException, UnsupportedOperationException
from millstream.core.keyvalue import KeyValue
from millstream.core.query.plain import PlainEntries
from millstream.core.state.iterators import KeyValueIterator

POINTS = ("get", "fetchSession")
"""Reads of one value: the first that is found."""
SUMS = ("approximateNumEntries",)
READS = frozenset(
    {
        "all",
        "backwardAll",
        "backwardFetch",
        "backwardFetchAll",
        "backwardFindSessions",
        "fetch",
        "fetchAll",
        "findSessions",
        "prefixScan",
        "range",
        "reverseAll",
        "reverseRange",
    }
)


class CompositeStore:
    """Has the reading methods that its stores have, and no others.

    Args:
        stores: One per partition, all of one kind.
        timestamped: Kinds of stores whose values are shown without their timestamps.
    """

    def __init__(self, stores: Sequence[Any], timestamped: tuple[type, ...] = ()) -> None:
        self._stores = stores
        self._timestamped = timestamped

    def __getattr__(self, name: str) -> Any:
        if name in SUMS:
            return lambda: sum(getattr(store, name)() for store in self._stores)
        if name not in READS and name not in POINTS:
            raise AttributeError(name)
        if not any(hasattr(store, name) for store in self._stores):
            raise UnsupportedOperationException(f"the store has no method {name}")
        return lambda *arguments, **keywords: self._read(name, arguments, keywords)

    def _read(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        iterators: list[KeyValueIterator[Any, Any]] = []
        for store in self._stores:
            found = getattr(store, name)(*arguments, **keywords)
            plain = isinstance(store, self._timestamped)
            if isinstance(found, KeyValueIterator):
                iterators.append(PlainEntries(found) if plain else found)
            elif found is not None:
                return found.value() if plain else found
        return ChainedIterator(iterators) if iterators else None


class ChainedIterator(KeyValueIterator[Any, Any]):
    """Iterators one after another; each is closed when it is used up."""

    def __init__(self, parts: list[KeyValueIterator[Any, Any]]) -> None:
        self._parts = parts[::-1]

    def hasNext(self) -> bool:
        """Tell whether there is another entry."""
        while self._parts and not self._parts[-1].hasNext():
            self._parts.pop().close()
        return bool(self._parts)

    def next(self) -> KeyValue[Any, Any]:
        """Return the next entry."""
        return self._current().next()

    def peekNextKey(self) -> Any:
        """Return the next entry's key and stay before it."""
        return self._current().peekNextKey()

    def close(self) -> None:
        """Release all that are left."""
        while self._parts:
            self._parts.pop().close()

    def _current(self) -> KeyValueIterator[Any, Any]:
        if not self.hasNext():
            raise NoSuchElementException("there is no entry left")
        return self._parts[-1]
