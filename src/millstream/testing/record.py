"""``TestRecord``: what a test pipes in and reads out."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, TypeVar

from millstream.core.durations import from_epoch_millis, to_epoch_millis
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers

K = TypeVar("K")
V = TypeVar("V")


class TestRecord(Generic[K, V]):
    """A key, a value, headers and an event time in epoch milliseconds, each of which may be None.

    ``TestRecord(value)``, ``TestRecord(key, value)``, and after these headers, a time (milliseconds
    or an aware ``datetime``), or both.

    Example:
        >>> TestRecord("k", "v", 5) == TestRecord("k", "v", Headers(), 5)
        True

    Source: ``org.apache.kafka.streams.test.TestRecord``.
    """

    __test__ = False  # pytest: not a test class
    __slots__ = ("_headers", "_key", "_timestamp", "_value")

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        key, value, headers, time = _parts(arguments, keywords)
        self._key: K | None = key
        self._value: V | None = value
        self._headers: Headers = Headers() if headers is None else headers
        self._timestamp = None if time is None else to_epoch_millis(time, "recordTime")
        if self._timestamp is not None and self._timestamp < 0:
            raise IllegalArgumentException(
                f"the time of a test record is {self._timestamp}", hint="Give 0 or more."
            )

    def key(self) -> K | None:
        """Return the key."""
        return self._key

    def value(self) -> V | None:
        """Return the value."""
        return self._value

    def headers(self) -> Headers:
        """Return the headers."""
        return self._headers

    def timestamp(self) -> int | None:
        """Return the event time; None lets the input topic choose."""
        return self._timestamp

    getKey = key
    getValue = value
    getHeaders = headers

    def getRecordTime(self) -> datetime | None:
        """Return the event time as an aware ``datetime``."""
        if self._timestamp is None:
            return None
        return from_epoch_millis(self._timestamp)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TestRecord)
            and self._key == other._key
            and self._value == other._value
            and self._headers == other._headers
            and self._timestamp == other._timestamp
        )

    __hash__ = None  # type: ignore[assignment]  # headers are mutable

    def __repr__(self) -> str:
        return (
            f"TestRecord(key={self._key!r}, value={self._value!r}, "
            f"headers={self._headers!r}, timestamp={self._timestamp})"
        )


def _parts(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    named = {"key": None, "value": None, "headers": None, "recordTime": None}
    unknown = keywords.keys() - named.keys()
    if unknown:
        raise IllegalArgumentException(f"TestRecord does not take {', '.join(sorted(unknown))}")
    rest = list(arguments)
    if len(rest) == 1 and not keywords.keys() & {"key", "value"}:
        named["value"] = rest.pop(0)
    for name in ("key", "value"):
        if rest:
            named[name] = rest.pop(0)
    if len(rest) == 2:
        named["headers"], named["recordTime"] = rest
    elif len(rest) == 1:
        named["headers" if isinstance(rest[0], Headers) else "recordTime"] = rest[0]
    elif rest:
        raise IllegalArgumentException(f"TestRecord got {len(arguments)} arguments, at most 4")
    return list((named | keywords).values())
