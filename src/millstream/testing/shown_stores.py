"""Views of stores without the headers or timestamps of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from millstream.core.headers import Headers
from millstream.core.keyvalue import KeyValue
from millstream.core.query.plain import PlainEntries, aggregate_of, timestamped_of, value_of
from millstream.core.state import (
    AggregationWithHeaders,
    KeyValueIterator,
    KeyValueStore,
    SessionStore,
    StateStore,
    StateStoreContext,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    WindowStore,
)

NO_TIMESTAMP = -1


@dataclass(frozen=True, slots=True)
class Shown:
    """Conversion of a store's values to simpler ones, and back for writes."""

    show: Callable[[Any], Any]
    store: Callable[[Any], Any]


def _headed(shown: ValueAndTimestamp[Any] | None) -> ValueTimestampHeaders[Any] | None:
    if shown is None:
        return None
    return ValueTimestampHeaders.make(shown.value(), shown.timestamp(), None)


VALUE_OF_TIMESTAMPED = Shown(value_of, lambda value: ValueAndTimestamp.make(value, NO_TIMESTAMP))
VALUE_OF_HEADED = Shown(
    value_of,
    lambda value: ValueTimestampHeaders.make(value, NO_TIMESTAMP, None),
)
TIMESTAMPED_OF_HEADED = Shown(timestamped_of, _headed)
AGGREGATE_OF_HEADED = Shown(
    aggregate_of,
    lambda aggregate: AggregationWithHeaders.make(aggregate, Headers()),
)


class _ShownStore(StateStore):
    """Base of the views: methods that delegate unchanged."""

    def __init__(self, inner: Any, shown: Shown) -> None:
        self._inner = inner
        self._shown = shown.show
        self._stored = shown.store

    def name(self) -> str:
        return str(self._inner.name())

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        self._inner.init(stateStoreContext, root)

    def flush(self) -> None:
        self._inner.flush()

    def query(self, query: Any, positionBound: Any, config: Any) -> Any:
        return self._inner.query(query, positionBound, config)

    def getPosition(self) -> Any:
        return self._inner.getPosition()

    def close(self) -> None:
        self._inner.close()

    def persistent(self) -> bool:
        return bool(self._inner.persistent())

    def isOpen(self) -> bool:
        return bool(self._inner.isOpen())

    def _iterate(self, found: KeyValueIterator[Any, Any]) -> KeyValueIterator[Any, Any]:
        return PlainEntries(found, self._shown)

    def _either(self, found: Any) -> Any:
        if isinstance(found, KeyValueIterator):
            return self._iterate(found)
        return self._shown(found)


class ShownKeyValueStore(_ShownStore, KeyValueStore[Any, Any]):
    """View of a key-value store; written values get no headers and the timestamp -1."""

    def get(self, key: Any) -> Any:
        return self._shown(self._inner.get(key))

    def put(self, key: Any, value: Any) -> None:
        self._inner.put(key, self._stored(value))

    def putIfAbsent(self, key: Any, value: Any) -> Any:
        return self._shown(self._inner.putIfAbsent(key, self._stored(value)))

    def putAll(self, entries: Iterable[KeyValue[Any, Any]]) -> None:
        for entry in entries:
            self.put(entry.key, entry.value)

    def delete(self, key: Any) -> Any:
        return self._shown(self._inner.delete(key))

    def range(self, from_: Any, to: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.range(from_, to))

    def reverseRange(self, from_: Any, to: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.reverseRange(from_, to))

    def all(self) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.all())

    def reverseAll(self) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.reverseAll())

    def prefixScan(self, prefix: Any, prefixKeySerializer: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.prefixScan(prefix, prefixKeySerializer))

    def approximateNumEntries(self) -> int:
        return int(self._inner.approximateNumEntries())


class ShownWindowStore(_ShownStore, WindowStore[Any, Any]):
    """View of a window store; written values get no headers and the timestamp -1."""

    def put(self, key: Any, value: Any, windowStartTimestamp: int) -> None:
        self._inner.put(key, self._stored(value), windowStartTimestamp)

    def fetch(self, *arguments: Any, **keywords: Any) -> Any:
        return self._either(self._inner.fetch(*arguments, **keywords))

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> Any:
        return self._either(self._inner.backwardFetch(*arguments, **keywords))

    def fetchAll(self, timeFrom: Any, timeTo: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.fetchAll(timeFrom, timeTo))

    def backwardFetchAll(self, timeFrom: Any, timeTo: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.backwardFetchAll(timeFrom, timeTo))

    def all(self) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.all())

    def backwardAll(self) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.backwardAll())


class ShownSessionStore(_ShownStore, SessionStore[Any, Any]):
    """View of a session store without headers."""

    def put(self, sessionKey: Any, aggregate: Any) -> None:
        self._inner.put(sessionKey, self._stored(aggregate))

    def remove(self, sessionKey: Any) -> None:
        self._inner.remove(sessionKey)

    def fetchSession(self, key: Any, sessionStartTime: Any, sessionEndTime: Any) -> Any:
        return self._shown(self._inner.fetchSession(key, sessionStartTime, sessionEndTime))

    def findSessions(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.findSessions(*arguments, **keywords))

    def backwardFindSessions(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.backwardFindSessions(*arguments, **keywords))

    def fetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.fetch(*arguments, **keywords))

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Any, Any]:
        return self._iterate(self._inner.backwardFetch(*arguments, **keywords))
