"""Typed input and output topics of a test driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from millstream.core.durations import InstantLike, to_epoch_millis, to_millis
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    IllegalStateException,
    NoSuchElementException,
    NullPointerException,
)
from millstream.core.headers import Headers
from millstream.core.keyvalue import KeyValue
from millstream.core.serdes import (
    Deserializer,
    Serializer,
    deserializer_call,
    serializer_call,
)
from millstream.core.serdes.halves import check_half, checked_half
from millstream.core.wording import a, a_kind, plain_text
from millstream.testing.given import as_record, key_values, listed, times
from millstream.testing.record import TestRecord
from millstream.testing.tables import RecordList, records_table

if TYPE_CHECKING:
    from millstream.core.engine.output import Sent
    from millstream.testing.driver import TopologyTestDriver

K = TypeVar("K")
V = TypeVar("V")
# A value of None is a deletion.
Pair = KeyValue[K, V] | KeyValue[K, None] | KeyValue[None, V] | tuple[K | None, V | None]


class TestInputTopic(Generic[K, V]):
    """Pipes records into one topic of a driver; each call returns after all processing.

    A record without a time gets that of the topic's clock, which then advances by the
    auto-advance.

    Source: ``org.apache.kafka.streams.TestInputTopic``.
    """

    __test__ = False  # pytest: not a test class

    def __init__(
        self,
        driver: TopologyTestDriver,
        topic: str,
        key_serializer: Serializer[K] | Callable[..., Any],
        value_serializer: Serializer[V] | Callable[..., Any],
        startTimestamp: Any = 0,
        autoAdvance: Any = 0,
    ) -> None:
        not_none(driver, "TopologyTestDriver")
        start_ms = to_epoch_millis(not_none(startTimestamp, "startTimestamp"), "startTimestamp")
        advance_ms = to_millis(not_none(autoAdvance, "autoAdvance"), "autoAdvance")
        if advance_ms < 0:
            raise IllegalArgumentException(
                "autoAdvance must be positive", detail=f"It is {advance_ms} ms."
            )
        self._driver = driver
        self._topic = _topic_name(topic)
        self._serializers = (
            _with_method(key_serializer, "serialize", "keySerializer"),
            _with_method(value_serializer, "serialize", "valueSerializer"),
        )
        self._key, self._value = map(serializer_call, self._serializers)
        self._now_ms = start_ms
        self._advance_ms = advance_ms

    def advanceTime(self, advance: Any) -> None:
        """Advance the topic's clock by a ``timedelta`` or milliseconds, at least 0.

        Raises:
            IllegalArgumentException: ``advance`` is negative.
            NullPointerException: ``advance`` is None.
        """
        step_ms = to_millis(not_none(advance, "advance"), "advance")
        if step_ms < 0:
            raise IllegalArgumentException(
                "advance must be positive", detail=f"It is {step_ms} ms."
            )
        self._now_ms += step_ms

    @overload
    def pipeInput(self, record: TestRecord[K, V], /) -> None: ...
    @overload
    def pipeInput(self, value: V | None, /) -> None: ...
    @overload
    def pipeInput(self, key: K | None, value: V | None, /) -> None: ...
    @overload
    def pipeInput(self, value: V | None, recordTime: datetime, /) -> None: ...
    @overload
    def pipeInput(
        self, key: K | None, value: V | None, recordTime: InstantLike | None, /
    ) -> None: ...
    @overload
    def pipeInput(
        self,
        key: K | None,
        value: V | None,
        headers: Headers | None,
        recordTime: InstantLike | None = ...,
        /,
    ) -> None: ...
    @overload
    def pipeInput(
        self,
        *,
        key: K | None = ...,
        value: V | None = ...,
        headers: Headers | None = ...,
        recordTime: InstantLike | None = ...,
        timestampMs: int | None = ...,
    ) -> None: ...
    def pipeInput(self, *arguments: Any, **keywords: Any) -> None:
        """Pipe one record.

        ``pipeInput(TestRecord)``, ``(value)``, ``(key, value)``, ``(value, datetime)``,
        ``(key, value, time)``; time in epoch milliseconds or as an aware ``datetime``. Names:
        ``key``, ``value``, ``headers``, and ``recordTime`` or ``timestampMs``. Two arguments with
        a ``datetime`` at the end are a key and a value if the serializers accept only that.

        Raises:
            IllegalArgumentException: The topology does not read the topic, or the arguments are
                ambiguous: the serializers accept both forms.
            StreamsException: The topology failed.
        """
        record = as_record(arguments, keywords, self._takes_key, self._takes_value)
        headers, time = record.headers(), record.timestamp()
        key = self._key(self._topic, headers, record.key())
        value = self._value(self._topic, headers, record.value())
        if time is None:
            time = to_epoch_millis(self._now_ms, "recordTime")
            self._now_ms += self._advance_ms
        self._driver.pipe(self._topic, key, value, time, headers.copy() if headers else None)

    def pipeRecordList(self, records: Iterable[TestRecord[K, V]]) -> None:
        """Pipe records one after another.

        Raises:
            ClassCastException: An item is not a ``TestRecord``.
        """
        for record in listed(records, "records"):
            if not isinstance(record, TestRecord):
                raise ClassCastException(
                    f"pipeRecordList cannot take {a_kind(record)} as a record",
                    hint="Give TestRecord(key, value) objects.",
                )
            self.pipeInput(record)

    def pipeKeyValueList(
        self,
        keyValues: Iterable[Pair[K, V]],
        startTimestamp: Any = None,
        advance: Any = 0,
    ) -> None:
        """Pipe key-value pairs; with a start and a step, at these times.

        Raises:
            ClassCastException: An item is neither a ``KeyValue`` nor a pair.
        """
        for (key, value), time in zip(
            key_values(keyValues), times(startTimestamp, advance), strict=False
        ):
            self.pipeInput(TestRecord(key, value, recordTime=time))

    def pipeValueList(
        self, values: Iterable[V | None], startTimestamp: Any = None, advance: Any = 0
    ) -> None:
        """Pipe values without keys; with a start and a step, at these times."""
        for value, time in zip(
            listed(values, "values"), times(startTimestamp, advance), strict=False
        ):
            self.pipeInput(TestRecord(None, value, recordTime=time))

    def _takes_key(self, key: Any) -> bool:
        return _takes(self._key, self._topic, key)

    def _takes_value(self, value: Any) -> bool:
        return _takes(self._value, self._topic, value)

    def __str__(self) -> str:
        key, value = (type(each).__name__ for each in self._serializers)
        return (
            f"TestInputTopic[topic='{self._topic}', keySerializer={key}, valueSerializer={value}]"
        )

    __repr__ = __str__


class TestOutputTopic(Generic[K, V]):
    """Reads the records sent to one topic, oldest first, each record once.

    Source: ``org.apache.kafka.streams.TestOutputTopic``.
    """

    __test__ = False  # pytest: not a test class

    def __init__(
        self,
        driver: TopologyTestDriver,
        topic: str,
        key_deserializer: Deserializer[K] | Callable[..., Any],
        value_deserializer: Deserializer[V] | Callable[..., Any],
    ) -> None:
        self._driver = not_none(driver, "TopologyTestDriver")
        self._topic = _topic_name(topic)
        self._deserializers = (
            _with_method(key_deserializer, "deserialize", "keyDeserializer"),
            _with_method(value_deserializer, "deserialize", "valueDeserializer"),
        )
        self._key, self._value = map(deserializer_call, self._deserializers)

    def readRecord(self) -> TestRecord[K, V]:
        """Return the next record.

        Raises:
            NoSuchElementException: There is no unread record.
        """
        queue = self._driver.produced(self._topic)
        if not queue:
            written = self._driver.producedTopicNames()
            raise NoSuchElementException(
                f"{'Empty' if self._topic in written else 'Uninitialized'} topic: {self._topic}",
                detail=f"Topics written so far: {', '.join(sorted(written)) or 'none'}.",
            )
        return self._record(queue.popleft())

    def __iter__(self) -> Iterator[TestRecord[K, V]]:
        """Read the records that are there, and those that come meanwhile; end when none is left."""
        while not self.isEmpty():
            yield self.readRecord()

    def _record(self, sent: Sent) -> TestRecord[K, V]:
        return TestRecord(
            self._key(self._topic, sent.headers, sent.key),
            self._value(self._topic, sent.headers, sent.value),
            sent.headers.copy() if sent.headers else None,
            sent.timestamp,
        )

    def readValue(self) -> V | Any:
        """Return the next record's value."""
        return self.readRecord().value()

    def readKeyValue(self) -> KeyValue[K | Any, V | Any]:
        """Return the next record's key and value."""
        record = self.readRecord()
        return KeyValue(record.key(), record.value())

    def readRecordsToList(self) -> list[TestRecord[K, V]]:
        """Return all unread records."""
        return RecordList(self.readRecord() for _ in range(self.getQueueSize()))

    def readKeyValuesToList(self) -> list[KeyValue[K | Any, V | Any]]:
        """Return keys and values of all unread records."""
        return RecordList(self.readKeyValue() for _ in range(self.getQueueSize()))

    def readValuesToList(self) -> list[V | Any]:
        """Return the values of all unread records."""
        return [self.readValue() for _ in range(self.getQueueSize())]

    def readKeyValuesToMap(self) -> dict[K, V | Any]:
        """Return the last value of each key of all unread records.

        Raises:
            IllegalStateException: A record has no key, one that is not hashable, or one that only
                Python takes for another's, as 1 and True.
        """
        latest: dict[K, V | Any] = {}
        kinds: dict[K, type] = {}
        while not self.isEmpty():
            record = self.readRecord()
            key = record.key()
            if key is None:
                raise IllegalStateException(
                    "Null keys not allowed with readKeyValuesToMap method",
                    hint="Use readRecordsToList.",
                )
            try:
                latest[key] = record.value()
            except TypeError as error:
                raise IllegalStateException(
                    f"{a_kind(key)} cannot be the key of a dictionary",
                    hint="Use readKeyValuesToList.",
                ) from error
            if kinds.setdefault(key, type(key)) is not type(key):
                raise IllegalStateException(
                    f"{key!r} and a key of another type are one key of a dictionary",
                    hint="Use readKeyValuesToList.",
                )
        return latest

    def getQueueSize(self) -> int:
        """Return the number of unread records."""
        return len(self._driver.produced(self._topic))

    def isEmpty(self) -> bool:
        """Tell whether there is no unread record."""
        return not self.getQueueSize()

    def _repr_html_(self) -> str:
        """Return a table of the unread records, for notebooks; they stay unread."""
        return records_table([self._record(each) for each in self._driver.produced(self._topic)])

    def __str__(self) -> str:
        key, value = (type(each).__name__ for each in self._deserializers)
        return (
            f"TestOutputTopic[topic='{self._topic}', keyDeserializer={key}, "
            f"valueDeserializer={value}, size={self.getQueueSize()}]"
        )

    __repr__ = __str__


def not_none(value: Any, name: str) -> Any:
    """Return ``value``; None is an error that names the parameter."""
    if value is None:
        raise NullPointerException(f"{name} cannot be null")
    return value


def _topic_name(value: Any) -> str:
    """Return a topic's name: another type would name a topic that nothing reads or writes."""
    if not isinstance(not_none(value, "topicName"), str):
        raise ClassCastException(f"topicName cannot be {a_kind(value)}", hint="Give it as text.")
    return plain_text(value)


def _with_method(value: Any, method: str, name: str) -> Any:
    """Return a serializer or deserializer; the usual mistake is a serde or a class."""
    not_none(value, name)
    if not isinstance(value, type) and callable(getattr(value, method, None)):
        check_half(value, method)
        return value
    if callable(value) and not isinstance(value, type):
        return checked_half(value, method)
    shown = value.__name__ if isinstance(value, type) else type(value).__name__
    hint = f"Give an object with a method {method}(), or a function of topic and data."
    if isinstance(value, type):
        hint = f"Write {shown}(), with parentheses."
    elif callable(getattr(value, f"{method}r", None)):
        hint = f"Give the serde's .{method}r()."
    raise ClassCastException(f"{name} cannot be {a(shown)}", hint=hint)


def _takes(call: Any, topic: str, data: Any) -> bool:
    try:
        call(topic, Headers(), data)
    except Exception:  # noqa: BLE001 - a user's serializer may raise anything
        return False
    return True
