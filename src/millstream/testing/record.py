"""``TestRecord``: a record that a test pipes in or reads out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, TypeVar, overload

from millstream.core.durations import to_epoch_millis
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.headers import Headers
from millstream.core.java_text import java_instant, java_text
from millstream.core.java_time import Instant, from_epoch_millis
from millstream.core.kafka import ConsumerRecord, ProducerRecord
from millstream.core.wording import a_kind

K = TypeVar("K")
V = TypeVar("V")

NAMES = ("key", "value", "headers", "recordTime")
OTHER_NAMES = {"timestamp": "recordTime", "timestampMs": "recordTime"}


class TestRecord(Generic[K, V]):
    """A key, a value, headers and an event time, each of which may be None.

    ``TestRecord(value)``, ``TestRecord(key, value)``, and after these headers, a time (epoch
    milliseconds or an aware ``datetime``), or both; or ``TestRecord`` of a ``ConsumerRecord`` or
    ``ProducerRecord``. Keyword names: ``key``, ``value``, ``headers``, and ``recordTime`` or
    ``timestampMs``. Headers are copied.

    Raises:
        IllegalArgumentException: The time is negative, or there are too many arguments.

    Example:
        >>> TestRecord("k", "v", 5) == TestRecord("k", "v", Headers(), 5)
        True

    Source: ``org.apache.kafka.streams.test.TestRecord``.
    """

    __test__ = False  # pytest: not a test class
    __slots__ = ("_headers", "_key", "_timestamp", "_value")

    @overload
    def __init__(self, record: ConsumerRecord[K, V] | ProducerRecord[K, V], /) -> None: ...
    @overload
    def __init__(self, value: V | None, /, **keywords: Any) -> None: ...
    @overload
    def __init__(self, key: K | None, value: V | None, /, *rest: Any, **keywords: Any) -> None: ...
    @overload
    def __init__(self, /, **keywords: Any) -> None: ...
    def __init__(self, /, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], _FROM_CLIENTS):
            given = _from_client(arguments[0])
            time_ms = given["recordTime"]
        else:
            given = named_parts(arguments, keywords, "TestRecord")
            time_ms = _checked_time(given["recordTime"])
        self._key: K | None = given["key"]
        self._value: V | None = given["value"]
        self._headers = _copied(given["headers"])
        self._timestamp: int | None = time_ms

    # As in Java, a type checker does not ask whether a key, a value or a time is None.
    def key(self) -> K | Any:
        """Return the key."""
        return self._key

    def value(self) -> V | Any:
        """Return the value."""
        return self._value

    def headers(self) -> Headers:
        """Return the headers."""
        return self._headers

    def timestamp(self) -> int | Any:
        """Return the event time; None lets the input topic choose."""
        return self._timestamp

    getKey = key
    getValue = value
    getHeaders = headers

    def getRecordTime(self) -> Instant | Any:
        """Return the event time as an aware ``datetime``."""
        if self._timestamp is None:
            return None
        return from_epoch_millis(self._timestamp)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TestRecord)
            and type(self) is type(other)
            and self._key == other._key
            and self._value == other._value
            and self._headers == other._headers
            and self._timestamp == other._timestamp
        )

    def __hash__(self) -> int:
        return hash((tuple(self._headers), self._key, self._value, self._timestamp))

    def __str__(self) -> str:
        return (
            f"{TestRecord.__name__}[key={java_text(self._key)}, value={java_text(self._value)}, "
            f"headers={self._headers}, recordTime={java_instant(self._timestamp)}]"
        )

    def _repr_html_(self) -> str:
        from millstream.testing.tables import records_table

        return records_table([self])

    def __repr__(self) -> str:
        return (
            f"TestRecord(key={self._key!r}, value={self._value!r}, "
            f"headers={self._headers!r}, timestamp={self._timestamp})"
        )


_FROM_CLIENTS = (ConsumerRecord, ProducerRecord)


def named_parts(
    arguments: tuple[Any, ...], keywords: Mapping[str, Any], caller: str
) -> dict[str, Any]:
    """Return key, value, headers and time by name; None for missing ones.

    Raises:
        IllegalArgumentException: There are too many arguments, none, or one is given twice.
    """
    keywords = {OTHER_NAMES.get(name, name): value for name, value in keywords.items()}
    unknown = keywords.keys() - set(NAMES)
    if unknown:
        raise IllegalArgumentException(
            f"{caller} does not take {', '.join(sorted(unknown))}",
            hint=f"It takes {', '.join(NAMES)}.",
        )
    if not arguments and not keywords:
        raise IllegalArgumentException(
            f"{caller} got no record", hint="Give a value, or a key and a value."
        )
    if len(arguments) > len(NAMES):
        raise IllegalArgumentException(f"{caller} got {len(arguments)} arguments, at most 4")
    given = _positional(list(arguments), keywords)
    twice = given.keys() & keywords.keys()
    if twice:
        raise IllegalArgumentException(f"{caller} got {', '.join(sorted(twice))} twice")
    return dict.fromkeys(NAMES) | given | keywords


def _positional(rest: list[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if len(rest) == 1 and "value" not in keywords:
        return {"value": rest[0]}
    for name in ("key", "value"):
        if rest and name not in keywords:
            given[name] = rest.pop(0)
    if len(rest) == 2:
        given["headers"], given["recordTime"] = rest
    elif len(rest) == 1:
        given["headers" if isinstance(rest[0], Headers) else "recordTime"] = rest[0]
    return given


def _from_client(record: ConsumerRecord[Any, Any] | ProducerRecord[Any, Any]) -> dict[str, Any]:
    time = record.timestamp()
    if time is None:
        raise NullPointerException(
            "the record has no timestamp", hint="Give its key and its value to TestRecord."
        )
    values = record.key(), record.value(), record.headers(), time
    return dict(zip(NAMES, values, strict=True))


def _checked_time(time: Any) -> int | None:
    if time is None:
        return None
    millis = to_epoch_millis(time, "recordTime")
    if millis < 0 and not isinstance(time, datetime):
        raise IllegalArgumentException(
            f"Invalid timestamp: {time}. Timestamp should always be non-negative or null."
        )
    return millis


def _copied(headers: Any) -> Headers:
    if headers is not None and not isinstance(headers, Headers):
        raise ClassCastException(
            f"the headers of a test record cannot be {a_kind(headers)}",
            hint='Give Headers().add("name", b"value").',
        )
    return Headers(headers)
