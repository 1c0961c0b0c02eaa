"""Typed ends of a driver: topics to pipe records into and to read results from."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from millstream.core.durations import to_epoch_millis, to_millis
from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
    NoSuchElementException,
    NullPointerException,
)
from millstream.core.keyvalue import KeyValue
from millstream.core.serdes import (
    Deserializer,
    Serializer,
    deserializer_call,
    serializer_call,
)
from millstream.testing.record import TestRecord

if TYPE_CHECKING:
    from millstream.testing.driver import TopologyTestDriver

K = TypeVar("K")
V = TypeVar("V")


class TestInputTopic(Generic[K, V]):
    """Pipes records into one topic of a driver; each call returns when all work is done.

    A record without a time of its own gets the topic's clock, which then moves on by the
    auto-advance.

    Source: ``org.apache.kafka.streams.TestInputTopic``.
    """

    __test__ = False  # pytest: not a test class

    def __init__(
        self,
        driver: TopologyTestDriver,
        topic: str,
        key_serializer: Serializer[K],
        value_serializer: Serializer[V],
        start_ms: int,
        advance_ms: int,
    ) -> None:
        self._driver = driver
        self._topic = topic
        self._key = serializer_call(key_serializer)
        self._value = serializer_call(value_serializer)
        self._now_ms = start_ms
        self._advance_ms = advance_ms

    def advanceTime(self, advance: Any) -> None:
        """Move the topic's clock on by a ``timedelta`` or milliseconds, at least 0.

        Raises:
            IllegalArgumentException: ``advance`` is negative.
        """
        step_ms = to_millis(advance, "advance")
        if step_ms < 0:
            raise IllegalArgumentException(f"advance is {step_ms} ms", hint="Give 0 or more.")
        self._now_ms += step_ms

    def pipeInput(self, *arguments: Any, **keywords: Any) -> None:
        """Pipe one record.

        ``pipeInput(TestRecord)``, ``(value)``, ``(key, value)``, ``(value, datetime)``,
        ``(key, value, time)``; time in epoch milliseconds or as an aware ``datetime``.

        Raises:
            StreamsException: The topology failed.
        """
        record, time = _record(arguments, keywords)
        headers = record.headers()
        key = self._key(self._topic, headers, record.key())
        value = self._value(self._topic, headers, record.value())
        if time is None:
            time = self._now_ms
            self._now_ms += self._advance_ms
        self._driver.pipe(self._topic, key, value, time, headers.copy() if headers else None)

    def pipeRecordList(self, records: Iterable[TestRecord[K, V]]) -> None:
        """Pipe records one after another."""
        for record in records:
            self.pipeInput(record)

    def pipeKeyValueList(
        self,
        keyValues: Iterable[KeyValue[K, V]],
        startTimestamp: Any = None,
        advance: Any = None,
    ) -> None:
        """Pipe key-value pairs; with a start and a step, at these times."""
        for pair, time in _timed(keyValues, startTimestamp, advance):
            self.pipeInput(TestRecord(pair.key, pair.value, recordTime=time))

    def pipeValueList(
        self, values: Iterable[V], startTimestamp: Any = None, advance: Any = None
    ) -> None:
        """Pipe values without keys; with a start and a step, at these times."""
        for value, time in _timed(values, startTimestamp, advance):
            self.pipeInput(TestRecord(None, value, recordTime=time))


class TestOutputTopic(Generic[K, V]):
    """Reads what a topology has sent to one topic, oldest first, each record once.

    Source: ``org.apache.kafka.streams.TestOutputTopic``.
    """

    __test__ = False  # pytest: not a test class

    def __init__(
        self,
        driver: TopologyTestDriver,
        topic: str,
        key_deserializer: Deserializer[K],
        value_deserializer: Deserializer[V],
    ) -> None:
        self._driver = driver
        self._topic = topic
        self._key = deserializer_call(key_deserializer)
        self._value = deserializer_call(value_deserializer)

    def readRecord(self) -> TestRecord[K, V]:
        """Return the next record.

        Raises:
            NoSuchElementException: Nothing was sent, or everything has been read.
        """
        queue = self._driver.produced(self._topic)
        if not queue:
            raise NoSuchElementException(
                f'topic "{self._topic}" has no record left to read',
                detail=f"Topics written so far: "
                f"{', '.join(sorted(self._driver.producedTopicNames())) or 'none'}.",
            )
        sent = queue.popleft()
        return TestRecord(
            self._key(self._topic, sent.headers, sent.key),
            self._value(self._topic, sent.headers, sent.value),
            sent.headers.copy() if sent.headers else None,
            sent.timestamp,
        )

    def readValue(self) -> V | None:
        """Return the next record's value."""
        return self.readRecord().value()

    def readKeyValue(self) -> KeyValue[K | None, V | None]:
        """Return the next record's key and value."""
        record = self.readRecord()
        return KeyValue(record.key(), record.value())

    def readRecordsToList(self) -> list[TestRecord[K, V]]:
        """Return all records left."""
        return [self.readRecord() for _ in range(self.getQueueSize())]

    def readKeyValuesToList(self) -> list[KeyValue[K | None, V | None]]:
        """Return all keys and values left."""
        return [self.readKeyValue() for _ in range(self.getQueueSize())]

    def readValuesToList(self) -> list[V | None]:
        """Return all values left."""
        return [self.readValue() for _ in range(self.getQueueSize())]

    def readKeyValuesToMap(self) -> dict[K, V | None]:
        """Return the last value of each key among the records left.

        Raises:
            IllegalStateException: A record has no key.
        """
        latest: dict[K, V | None] = {}
        for record in self.readRecordsToList():
            key = record.key()
            if key is None:
                raise IllegalStateException(
                    f'a record of topic "{self._topic}" has no key',
                    hint="Use readRecordsToList.",
                )
            latest[key] = record.value()
        return latest

    def getQueueSize(self) -> int:
        """Return how many records are left to read."""
        return len(self._driver.produced(self._topic))

    def isEmpty(self) -> bool:
        """Tell whether no record is left to read."""
        return not self.getQueueSize()


def _record(
    arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[TestRecord[Any, Any], int | None]:
    if len(arguments) == 1 and isinstance(arguments[0], TestRecord):
        return arguments[0], arguments[0].timestamp()
    names = {"timestamp": "recordTime", "timestampMs": "recordTime"}
    keywords = {names.get(name, name): value for name, value in keywords.items()}
    if len(arguments) == 2 and isinstance(arguments[1], datetime):
        arguments = (None, *arguments)
    if not arguments and not keywords:
        raise NullPointerException("pipeInput got no record")
    record = TestRecord[Any, Any](*arguments, **keywords)
    return record, record.timestamp()


def _timed(items: Iterable[Any], start: Any, advance: Any) -> Iterable[tuple[Any, int | None]]:
    if start is None:
        return [(item, None) for item in items]
    start_ms, step_ms = to_epoch_millis(start, "startTimestamp"), to_millis(advance or 0, "advance")
    return [(item, start_ms + index * step_ms) for index, item in enumerate(items)]
