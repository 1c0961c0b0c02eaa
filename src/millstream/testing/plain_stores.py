"""Timestamped stores seen without their timestamps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millstream.core.keyvalue import KeyValue
from millstream.core.state import (
    KeyValueIterator,
    KeyValueStore,
    StateStore,
    StateStoreContext,
    ValueAndTimestamp,
    WindowStore,
)

NO_TIMESTAMP = -1


class _PlainStore(StateStore):
    """What both kinds pass on unchanged."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def name(self) -> str:
        return str(self._inner.name())

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        self._inner.init(stateStoreContext, root)

    def flush(self) -> None:
        self._inner.flush()

    def query(self, query: Any, positionBound: Any, config: Any) -> Any:
        """Put a query to the store itself."""
        return self._inner.query(query, positionBound, config)

    def getPosition(self) -> Any:
        """Return the store's own position."""
        return self._inner.getPosition()

    def close(self) -> None:
        self._inner.close()

    def persistent(self) -> bool:
        return bool(self._inner.persistent())

    def isOpen(self) -> bool:
        return bool(self._inner.isOpen())


class PlainKeyValueStore(_PlainStore, KeyValueStore[Any, Any]):
    """A timestamped key-value store without its timestamps; what is put gets -1."""

    def get(self, key: Any) -> Any:
        """Return the value of ``key``; None if it has none."""
        return ValueAndTimestamp.getValueOrNull(self._inner.get(key))

    def put(self, key: Any, value: Any) -> None:
        """Set the value of ``key``; None deletes."""
        self._inner.put(key, _stamped(value))

    def putIfAbsent(self, key: Any, value: Any) -> Any:
        """Set the value unless there is one; return the one that was there."""
        return ValueAndTimestamp.getValueOrNull(self._inner.putIfAbsent(key, _stamped(value)))

    def putAll(self, entries: Iterable[KeyValue[Any, Any]]) -> None:
        """Set many values."""
        for entry in entries:
            self.put(entry.key, entry.value)

    def delete(self, key: Any) -> Any:
        """Delete ``key`` and return the value that was there."""
        return ValueAndTimestamp.getValueOrNull(self._inner.delete(key))

    def range(self, from_: Any, to: Any) -> KeyValueIterator[Any, Any]:
        """Iterate from ``from_`` to ``to``, both inclusive; None is unbounded."""
        return PlainIterator(self._inner.range(from_, to))

    def reverseRange(self, from_: Any, to: Any) -> KeyValueIterator[Any, Any]:
        """Iterate from ``to`` down to ``from_``, both inclusive."""
        return PlainIterator(self._inner.reverseRange(from_, to))

    def all(self) -> KeyValueIterator[Any, Any]:
        """Iterate over everything in key order."""
        return PlainIterator(self._inner.all())

    def reverseAll(self) -> KeyValueIterator[Any, Any]:
        """Iterate over everything in reverse key order."""
        return PlainIterator(self._inner.reverseAll())

    def prefixScan(self, prefix: Any, prefixKeySerializer: Any) -> KeyValueIterator[Any, Any]:
        """Iterate over the keys whose bytes start with ``prefix``."""
        return PlainIterator(self._inner.prefixScan(prefix, prefixKeySerializer))

    def approximateNumEntries(self) -> int:
        """Return about how many entries there are."""
        return int(self._inner.approximateNumEntries())


class PlainWindowStore(_PlainStore, WindowStore[Any, Any]):
    """A timestamped window store without its timestamps; what is put gets -1."""

    def put(self, key: Any, value: Any, windowStartTimestamp: int) -> None:
        """Set the value of a key's window; None deletes."""
        self._inner.put(key, _stamped(value), windowStartTimestamp)

    def fetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Fetch a value or iterate, as ``WindowStore.fetch``."""
        return _plain(self._inner.fetch(*arguments, **keywords))

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> Any:
        """Iterate backward, as ``WindowStore.backwardFetch``."""
        return _plain(self._inner.backwardFetch(*arguments, **keywords))

    def fetchAll(self, timeFrom: Any, timeTo: Any) -> KeyValueIterator[Any, Any]:
        """Iterate over all windows that start between the times, both inclusive."""
        return PlainIterator(self._inner.fetchAll(timeFrom, timeTo))

    def backwardFetchAll(self, timeFrom: Any, timeTo: Any) -> KeyValueIterator[Any, Any]:
        """Iterate backward over all windows that start between the times."""
        return PlainIterator(self._inner.backwardFetchAll(timeFrom, timeTo))

    def all(self) -> KeyValueIterator[Any, Any]:
        """Iterate over everything."""
        return PlainIterator(self._inner.all())

    def backwardAll(self) -> KeyValueIterator[Any, Any]:
        """Iterate over everything, backward."""
        return PlainIterator(self._inner.backwardAll())


class PlainIterator(KeyValueIterator[Any, Any]):
    """An iterator over a timestamped store that leaves the timestamps out."""

    def __init__(self, inner: KeyValueIterator[Any, Any]) -> None:
        self._inner = inner

    def hasNext(self) -> bool:
        """Tell whether there is another entry."""
        return self._inner.hasNext()

    def next(self) -> KeyValue[Any, Any]:
        """Return the next entry."""
        entry = self._inner.next()
        return KeyValue(entry.key, ValueAndTimestamp.getValueOrNull(entry.value))

    def peekNextKey(self) -> Any:
        """Return the next entry's key without moving on."""
        return self._inner.peekNextKey()

    def close(self) -> None:
        """Release the iterator."""
        self._inner.close()


def _stamped(value: Any) -> Any:
    return ValueAndTimestamp.make(value, NO_TIMESTAMP)


def _plain(found: Any) -> Any:
    if isinstance(found, KeyValueIterator):
        return PlainIterator(found)
    return ValueAndTimestamp.getValueOrNull(found)
