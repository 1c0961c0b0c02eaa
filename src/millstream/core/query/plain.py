"""Values without the timestamps or headers that their stores keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.errors import NoSuchElementException
from millstream.core.keyvalue import KeyValue
from millstream.core.state.header_values import AggregationWithHeaders, ValueTimestampHeaders
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.values import ValueAndTimestamp

Show = Callable[[Any], Any]
"""Converts a stored value for a query."""


def value_of(kept: Any) -> Any:
    """Return the value without timestamp and headers."""
    return None if kept is None else kept.value()


def timestamped_of(kept: ValueTimestampHeaders[Any] | None) -> ValueAndTimestamp[Any] | None:
    """Return value and timestamp without headers."""
    return None if kept is None else ValueAndTimestamp(kept.value(), kept.timestamp())


def aggregate_of(kept: AggregationWithHeaders[Any] | None) -> Any:
    """Return the aggregate without headers."""
    return None if kept is None else kept.aggregation()


class PlainEntries(KeyValueIterator[Any, Any]):
    """The entries of a store with converted values."""

    def __init__(self, inner: KeyValueIterator[Any, Any], show: Show = value_of) -> None:
        self._inner = inner
        self._show = show

    def hasNext(self) -> bool:
        return self._inner.hasNext()

    def next(self) -> KeyValue[Any, Any]:
        if not self._inner.hasNext():
            raise NoSuchElementException("there is no entry left")
        entry = self._inner.next()
        return KeyValue(entry.key, self._show(entry.value))

    def peekNextKey(self) -> Any:
        return self._inner.peekNextKey()

    def close(self) -> None:
        self._inner.close()
