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
    ValueAndTimestamp,
    ValueTimestampHeaders,
    WindowStore,
)
from millstream.core.state.delegating import DelegatingStore
from millstream.stores.key_value.store import pairs_of

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


class _ShownStore(DelegatingStore):
    """Base of the views: methods that delegate unchanged."""

    def __init__(self, inner: Any, shown: Shown) -> None:
        super().__init__(inner)
        self._shown = shown.show
        self._stored = shown.store

    def query(self, query: Any, positionBound: Any, config: Any) -> Any:
        return self._store.query(query, positionBound, config)

    def getPosition(self) -> Any:
        return self._store.getPosition()


def _read(method: str) -> Callable[..., Any]:
    """Return a method that reads the inner store and shows the value, or each of the entries."""

    def read(self: _ShownStore, *arguments: Any, **keywords: Any) -> Any:
        found = getattr(self._store, method)(*arguments, **keywords)
        if isinstance(found, KeyValueIterator):
            return PlainEntries(found, self._shown)
        return self._shown(found)

    return read


class ShownKeyValueStore(_ShownStore, KeyValueStore[Any, Any]):
    """View of a key-value store; written values get no headers and the timestamp -1."""

    get: Any = _read("get")
    range: Any = _read("range")
    reverseRange: Any = _read("reverseRange")
    all: Any = _read("all")
    reverseAll: Any = _read("reverseAll")
    prefixScan: Any = _read("prefixScan")
    delete: Any = _read("delete")

    def put(self, key: Any, value: Any) -> None:
        self._store.put(key, self._stored(value))

    def putIfAbsent(self, key: Any, value: Any) -> Any:
        return self._shown(self._store.putIfAbsent(key, self._stored(value)))

    def putAll(self, entries: Iterable[KeyValue[Any, Any]]) -> None:
        for key, value in pairs_of(entries):
            self.put(key, value)

    def approximateNumEntries(self) -> int:
        return int(self._store.approximateNumEntries())


class ShownWindowStore(_ShownStore, WindowStore[Any, Any]):
    """View of a window store; written values get no headers and the timestamp -1."""

    fetch: Any = _read("fetch")
    backwardFetch: Any = _read("backwardFetch")
    fetchAll: Any = _read("fetchAll")
    backwardFetchAll: Any = _read("backwardFetchAll")
    all: Any = _read("all")
    backwardAll: Any = _read("backwardAll")

    def put(self, key: Any, value: Any, windowStartTimestamp: int) -> None:
        self._store.put(key, self._stored(value), windowStartTimestamp)


class ShownSessionStore(_ShownStore, SessionStore[Any, Any]):
    """View of a session store without headers."""

    fetchSession: Any = _read("fetchSession")
    findSessions: Any = _read("findSessions")
    backwardFindSessions: Any = _read("backwardFindSessions")
    fetch: Any = _read("fetch")
    backwardFetch: Any = _read("backwardFetch")

    def put(self, sessionKey: Any, aggregate: Any) -> None:
        self._store.put(sessionKey, self._stored(aggregate))

    def remove(self, sessionKey: Any) -> None:
        self._store.remove(sessionKey)
