"""Read-only view of the stores of several partitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millstream.core.errors import NoSuchElementException, UnsupportedOperationException
from millstream.core.keyvalue import KeyValue
from millstream.core.query.drained import drained, entries_of
from millstream.core.query.plain import PlainEntries, Show
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.window import WindowStore

POINTS = ("get", "fetchSession")
"""Reads of one value: the first value found."""
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
    """A view with the read methods of its stores.

    Args:
        stores: Returns the stores, one per partition, all of one kind; called at every read.
        shows: Conversion of values by kind of store.
        reading: Calls what reads stores that other threads change, and may call it again; iterators
            are then read to their end.
    """

    def __init__(
        self,
        stores: Callable[[], Sequence[Any]],
        shows: Mapping[type, Show] | None = None,
        reading: Callable[[Callable[[], Any]], Any] | None = None,
    ) -> None:
        self._stores = stores
        self._shows = shows or {}
        self._reading = reading

    def __getattr__(self, name: str) -> Any:
        if name not in READS and name not in POINTS and name not in SUMS:
            raise AttributeError(f"a store that is queried has no {name}: it can only be read")
        return lambda *arguments, **keywords: self._read(name, arguments, keywords)

    def _read(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if self._reading is None:
            return self._found(name, arguments, keywords)
        return self._reading(lambda: drained(self._found(name, arguments, keywords)))

    def _found(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        stores = self._stores()
        if stores and not any(hasattr(store, name) for store in stores):
            raise UnsupportedOperationException(f"the store has no method {name}")
        if name in SUMS:
            return sum(getattr(store, name)() for store in stores)
        iterators: list[KeyValueIterator[Any, Any]] = []
        for store in stores:
            found = getattr(store, name)(*arguments, **keywords)
            show = next((s for kind, s in self._shows.items() if isinstance(store, kind)), None)
            if found is None:
                continue
            if _is_point(store, name, len(arguments) + len(keywords)):
                return found if show is None else show(found)
            entries = entries_of(found, name, store)
            iterators.append(entries if show is None else PlainEntries(entries, show))
        return ChainedIterator(iterators) if iterators else None


def _is_point(store: Any, name: str, arguments: int) -> bool:
    """Return whether a read is one of a value: such as ``fetch(key, time)`` of windows."""
    return name in POINTS or (name == "fetch" and arguments == 2 and isinstance(store, WindowStore))


class ChainedIterator(KeyValueIterator[Any, Any]):
    """A chain of iterators; each is closed at its end."""

    def __init__(self, parts: list[KeyValueIterator[Any, Any]]) -> None:
        self._parts = parts[::-1]

    def hasNext(self) -> bool:
        while self._parts and not self._parts[-1].hasNext():
            self._parts.pop().close()
        return bool(self._parts)

    def next(self) -> KeyValue[Any, Any]:
        return self._current().next()

    def peekNextKey(self) -> Any:
        return self._current().peekNextKey()

    def close(self) -> None:
        """Close the remaining iterators."""
        while self._parts:
            self._parts.pop().close()

    def _current(self) -> KeyValueIterator[Any, Any]:
        if not self.hasNext():
            raise NoSuchElementException("there is no entry left")
        return self._parts[-1]
