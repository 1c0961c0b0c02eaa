"""Records between processors, their metadata, and changes of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from millstream.core.arguments import of_type
from millstream.core.durations import event_millis
from millstream.core.errors import (
    IllegalArgumentException,
    NullPointerException,
    StreamsException,
)
from millstream.core.headers import Headers, own_headers
from millstream.core.java_text import java_text

K = TypeVar("K")
V = TypeVar("V")
# As Java's forward() takes a Record<? extends K, ? extends V>.
K_co = TypeVar("K_co", covariant=True)
V_co = TypeVar("V_co", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class Record(Generic[K_co, V_co]):
    """A key, a value, an event time in epoch milliseconds (at least 0), and headers.

    Immutable except for its headers; ``withX`` returns a changed copy.

    A timestamp may be any number, or an aware ``datetime``; it becomes an ``int``.

    Raises:
        StreamsException: ``timestamp`` is negative.
        IllegalArgumentException: ``timestamp`` does not fit into 64 bits.
        ClassCastException: ``timestamp`` or ``headers`` is of another type.

    Source: ``processor.api.Record``.
    """

    __slots__ = ("_headers", "_key", "_timestamp", "_value")

    def __init__(
        self, key: K_co, value: V_co, timestamp: int, headers: Headers | None = None
    ) -> None:
        # What is negative or beyond 64 bits has something left of the 63 bits of a time.
        if type(timestamp) is not int or timestamp >> 63:
            timestamp = _checked_time(timestamp)
        self._key = key
        self._value = value
        self._timestamp = timestamp
        self._headers = None if headers is None else own_headers(headers)

    def key(self) -> K_co:
        """Return the key."""
        return self._key

    def value(self) -> V_co:
        """Return the value."""
        return self._value

    def timestamp(self) -> int:
        """Return the event time in epoch milliseconds."""
        return self._timestamp

    def headers(self) -> Headers:
        """Return the headers; changing them changes this record."""
        if self._headers is None:
            self._headers = Headers()
        return self._headers

    def withKey(self, key: K2) -> Record[K2, V_co]:
        """Return a copy with another key."""
        return make_record(key, self._value, self._timestamp, self._headers)

    def withValue(self, value: V2) -> Record[K_co, V2]:
        """Return a copy with another value."""
        return make_record(self._key, value, self._timestamp, self._headers)

    def withTimestamp(self, timestamp: int) -> Record[K_co, V_co]:
        """Return a copy with another event time, at least 0."""
        return Record(self._key, self._value, timestamp, self._headers)

    def withHeaders(self, headers: Headers) -> Record[K_co, V_co]:
        """Return a copy with these headers instead."""
        return adopt_record(self._key, self._value, self._timestamp, own_headers(headers))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Record)
            and self._key == other._key
            and self._value == other._value
            and self._timestamp == other._timestamp
            and (self._headers or None) == (other._headers or None)
        )

    def __hash__(self) -> int:
        return hash((self._key, self._value, self._timestamp))

    def __repr__(self) -> str:
        return (
            f"Record(key={self._key!r}, value={self._value!r}, timestamp={self._timestamp}, "
            f"headers={self._headers or Headers()!r})"
        )

    def __str__(self) -> str:
        return f"Record{{{_inside(self)}}}"


def _checked_time(given: object) -> int:
    """Return a record's time, whatever number or time was given.

    Raises:
        StreamsException: It is negative.
        IllegalArgumentException: It does not fit into 64 bits.
        ClassCastException: It is of another type.
    """
    timestamp = event_millis(given, "timestamp")
    if timestamp < 0:
        raise StreamsException(
            "Malformed Record", detail=f"Its timestamp is {timestamp}."
        ) from IllegalArgumentException("timestamp is negative", detail=f"It is {timestamp}.")
    return timestamp


def make_record(key: Any, value: Any, timestamp: int, headers: Headers | None) -> Record[Any, Any]:
    """Return a record with a copy of the headers, without the check of the timestamp."""
    record: Record[Any, Any] = Record.__new__(Record)
    record._key = key
    record._value = value
    record._timestamp = timestamp
    record._headers = headers.copy() if headers else None
    return record


def adopt_record(key: Any, value: Any, timestamp: int, headers: Headers | None) -> Record[Any, Any]:
    """Return a record with ``headers`` themselves; for the engine, if no other object has them."""
    record: Record[Any, Any] = Record.__new__(Record)
    record._key = key
    record._value = value
    record._timestamp = timestamp
    record._headers = headers
    return record


def _inside(record: Record[Any, Any]) -> str:
    key, value = java_text(record._key), java_text(record._value)
    headers = record._headers or Headers()
    return f"key={key}, value={value}, timestamp={record._timestamp}, headers={headers}"


class FixedKeyRecord(Generic[K_co, V_co]):
    """A record whose key cannot be changed, so that no repartition is needed after it.

    Source: ``processor.api.FixedKeyRecord``.
    """

    __slots__ = ("_record",)

    def __init__(self, record: Record[K_co, V_co]) -> None:
        self._record = record

    def key(self) -> K_co:
        """Return the key."""
        return self._record._key

    def value(self) -> V_co:
        """Return the value."""
        return self._record._value

    def timestamp(self) -> int:
        """Return the event time in epoch milliseconds."""
        return self._record._timestamp

    def headers(self) -> Headers:
        """Return the headers; changing them changes this record."""
        return self._record.headers()

    def withValue(self, value: V2) -> FixedKeyRecord[K_co, V2]:
        """Return a copy with another value."""
        return FixedKeyRecord(self._record.withValue(value))

    def withTimestamp(self, timestamp: int) -> FixedKeyRecord[K_co, V_co]:
        """Return a copy with another event time, at least 0."""
        return FixedKeyRecord(self._record.withTimestamp(timestamp))

    def withHeaders(self, headers: Headers) -> FixedKeyRecord[K_co, V_co]:
        """Return a copy with these headers instead."""
        return FixedKeyRecord(self._record.withHeaders(headers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedKeyRecord) and self._record == other._record

    def __hash__(self) -> int:
        return hash(self._record)

    def __repr__(self) -> str:
        return f"FixedKey{self._record!r}"

    def __str__(self) -> str:
        return f"FixedKeyRecord{{{_inside(self._record)}}}"


class InternalFixedKeyRecordFactory:
    """Makes fixed-key records for tests of a ``FixedKeyProcessor``.

    Source: ``processor.api.InternalFixedKeyRecordFactory``.
    """

    @staticmethod
    def create(record: Record[K, V]) -> FixedKeyRecord[K, V]:
        """Return ``record`` as a ``FixedKeyRecord``."""
        if record is None:
            raise NullPointerException("record can't be null")
        return FixedKeyRecord(of_type(record, Record, "record", "Give Record(key, value, time)."))


_OF_OPTIONAL = frozenset(
    [
        "filter",
        "flatMap",
        "get",
        "ifPresent",
        "ifPresentOrElse",
        "isEmpty",
        "isPresent",
        "map",
        "or_",
        "orElse",
        "orElseGet",
        "orElseThrow",
        "stream",
    ]
)
"""Methods of Java's Optional."""


@dataclass(frozen=True, slots=True)
class RecordMetadata:
    """Topic, partition and offset of the current record.

    Source: ``processor.api.RecordMetadata``.
    """

    _topic: str | None
    _partition: int
    _offset: int

    def topic(self) -> str | None:
        """Return the source topic; None inside a punctuator."""
        return self._topic

    def partition(self) -> int:
        """Return the source partition; -1 inside a punctuator."""
        return self._partition

    def offset(self) -> int:
        """Return the source offset; -1 inside a punctuator."""
        return self._offset

    if not TYPE_CHECKING:
        # Hidden from type checkers, for which any name would then be a method.
        def __getattr__(self, name: str) -> Any:
            """Say what stands in the place of the ``Optional`` that a Java program has here."""
            message = f"'RecordMetadata' object has no attribute '{name}'"
            if name in _OF_OPTIONAL:
                message += (
                    ": recordMetadata() returns the metadata or None, not an Optional. "
                    "Write `if metadata is not None:`, and metadata.topic() for .get().topic()."
                )
            raise AttributeError(message, name=name, obj=self)


class Change(Generic[V]):
    """An update of a table: the new value and, if an operator needs it, the old value."""

    __slots__ = ("is_latest", "new", "old")

    def __init__(self, new: V | None, old: V | None, is_latest: bool = True) -> None:
        self.new = new
        self.old = old
        self.is_latest = is_latest

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Change)
            and self.new == other.new
            and self.old == other.old
            and self.is_latest == other.is_latest
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Change(new={self.new!r}, old={self.old!r}, is_latest={self.is_latest})"
