"""Metrics of the operations on a store, where the recording level asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from millstream.core.metrics import Sensor, StoreMetrics

Call = Callable[..., Any]

POINTS: Mapping[str, str] = {
    "get": "get",
    "put": "put",
    "putIfAbsent": "put-if-absent",
    "putAll": "put-all",
    "delete": "delete",
}
SCANS: Mapping[str, str] = {
    "range": "range",
    "reverseRange": "range",
    "all": "all",
    "reverseAll": "all",
    "prefixScan": "prefix-scan",
}
POINT_ACCESS: Mapping[str, str] = {
    "read": "get",
    "read_at": "get",
    "read_as_of": "get",
    "read_time": "get",
    "read_many": "get",
    "write": "put",
    "write_at": "put",
    "write_many": "put",
}
WINDOW_POINTS: Mapping[str, str] = {"put": "put", "fetch": "fetch"}
WINDOW_SCANS: Mapping[str, str] = dict.fromkeys(
    ("backwardFetch", "fetchAll", "backwardFetchAll", "all", "backwardAll"), "fetch"
)
WINDOW_ACCESS: Mapping[str, str] = {
    **POINT_ACCESS,
    "read": "fetch",
    "read_at": "fetch",
    "read_many": "fetch",
    "fetch": "fetch",
}
SESSION_POINTS: Mapping[str, str] = {"put": "put", "remove": "remove", "fetchSession": "fetch"}
SESSION_SCANS: Mapping[str, str] = dict.fromkeys(
    ("fetch", "backwardFetch", "findSessions", "backwardFindSessions"), "fetch"
)
SESSION_ACCESS: Mapping[str, str] = {
    "read": "fetch",
    "find": "fetch",
    "ended": "fetch",
    "write": "put",
    "write_at": "put",
    "write_many": "put",
    "remove": "remove",
    "remove_at": "remove",
}
UPKEEP: Mapping[str, str] = {"commit": "commit", "flush": "flush"}
_COLUMNS = frozenset(("read_many", "write_many"))


class Meter:
    """Wrapper of a store's methods, set on the store itself.

    Calls that a method makes to other methods are not counted again.
    """

    def __init__(self, metrics: StoreMetrics) -> None:
        self._metrics = metrics
        self._inside = False

    def measure(
        self, store: Any, points: Mapping[str, str], scans: Mapping[str, str], access: Any
    ) -> None:
        """Measure a store.

        Args:
            store: With methods for users.
            points: Which of them are which operation.
            scans: The same of those that return an iterator.
            access: The access for operators, and which of its methods are which operation.
        """
        for method, operation in scans.items():
            call = getattr(store, method, None)
            if call is not None:
                setattr(store, method, self._scan(call, operation))
        if "fetch" in points:
            store.fetch = self._scan(store.fetch, None)
        if not self._metrics.debug:
            return
        operators, operations = access
        for target, table in ((store, points), (store, UPKEEP), (operators, operations)):
            for method, operation in table.items():
                call = getattr(target, method, None)
                if call is not None:
                    many = method in _COLUMNS
                    setattr(target, method, self._timed(call, operation, many=many))

    def measure_cache(self, lookup: Call) -> Call:
        """Return a cache's ``lookup`` that records the share of hits so far."""
        sensor, counts = self._metrics.hit_ratio(), [0, 0]

        def call(key: bytes) -> Any:
            found = lookup(key)
            counts[found is not None] += 1
            sensor.record(counts[True] / sum(counts))
            return found

        return call

    def _timed(self, function: Call, operation: str, *, many: bool = False) -> Call:
        sensor, nanos = self._metrics.operation(operation), self._metrics.nanos

        def call(*arguments: Any, **keywords: Any) -> Any:
            if self._inside:
                return function(*arguments, **keywords)
            self._inside = True
            began = nanos()
            try:
                return function(*arguments, **keywords)
            finally:
                self._inside = False
                _record(sensor, nanos() - began, len(arguments[0]) if many else 1)

        return call

    def _scan(self, function: Call, operation: str | None) -> Call:
        if operation is not None and self._metrics.debug:
            function = self._timed(function, operation)
        opened, duration = self._metrics.open_iterators(), self._metrics.iterator_duration()
        nanos = self._metrics.nanos

        def call(*arguments: Any, **keywords: Any) -> Any:
            found = function(*arguments, **keywords)
            close = getattr(found, "close", None)
            if close is None:
                return found
            began = nanos()
            opened.record(1)

            def close_once() -> None:
                found.close = close
                opened.record(-1)
                duration.record(nanos() - began)
                close()

            found.close = close_once
            return found

        return call


def _record(sensor: Sensor, nanos: int, count: int) -> None:
    if count:
        sensor.record_many(count, nanos, nanos / count, nanos / count)
