"""Kafka's ``ConsumerRecord``, ``ProducerRecord`` and ``TopicPartition``."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.headers import Headers

K = TypeVar("K")
V = TypeVar("V")

NO_TIMESTAMP = -1


class TimestampType(enum.Enum):
    """Origin of a record's timestamp: none, the producer, or the broker."""

    NO_TIMESTAMP_TYPE = -1
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


@dataclass(frozen=True, slots=True, order=True)
class TopicPartition:
    """A partition of a topic, written ``words-0``.

    Source: ``org.apache.kafka.common.TopicPartition``.
    """

    _topic: str
    _partition: int

    def topic(self) -> str:
        """Return the topic."""
        return self._topic

    def partition(self) -> int:
        """Return the partition."""
        return self._partition

    def __str__(self) -> str:
        return f"{self._topic}-{self._partition}"


_UNKNOWN: tuple[int, ...] = (-1, -1)
"""Sizes of a key and a value that are not known."""


class _TopicRecord(Generic[K, V]):
    __slots__ = ("_headers", "_key", "_topic", "_value")

    _headers: Headers | None
    _key: K
    _topic: str
    _value: V

    def topic(self) -> str:
        """Return the topic."""
        return self._topic

    def key(self) -> K:
        """Return the key."""
        return self._key

    def value(self) -> V:
        """Return the value."""
        return self._value

    def headers(self) -> Headers:
        """Return the headers."""
        if self._headers is None:
            self._headers = Headers()
        return self._headers


class ConsumerRecord(_TopicRecord[K, V]):
    """A record that was read, with its topic, partition and offset.

    ``ConsumerRecord(topic, partition, offset, key, value)``, or all fields of Kafka's:
    ``(topic, partition, offset, timestamp, timestampType, serializedKeySize, serializedValueSize,
    key, value, headers, leaderEpoch)``.

    Source: ``org.apache.kafka.clients.consumer.ConsumerRecord``.
    """

    __slots__ = (
        "_leader_epoch",
        "_offset",
        "_partition",
        "_sizes",
        "_timestamp",
        "_timestamp_type",
    )

    NO_TIMESTAMP = NO_TIMESTAMP
    NULL_SIZE = -1

    @overload
    def __init__(
        self,
        topic: str,
        partition: int,
        offset: int,
        key: K,
        value: V,
        *,
        timestamp: int = NO_TIMESTAMP,
        timestampType: TimestampType | None = None,
        headers: Headers | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        topic: str,
        partition: int,
        offset: int,
        timestamp: int,
        timestampType: TimestampType,
        serializedKeySize: int,
        serializedValueSize: int,
        key: K,
        value: V,
        headers: Headers | None,
        leaderEpoch: int | None = None,
        deliveryCount: int | None = None,
        /,
    ) -> None: ...
    def __init__(
        self,
        topic: str,
        partition: int,
        offset: int,
        key: Any,
        value: Any,
        *more: Any,
        timestamp: int = NO_TIMESTAMP,
        timestampType: TimestampType | None = None,
        headers: Headers | None = None,
    ) -> None:
        self._topic = topic
        self._partition = partition
        self._offset = offset
        self._sizes = _UNKNOWN
        self._leader_epoch: int | None = None
        if more:
            timestamp, timestampType = key, value
            self._sizes, (key, value, headers) = more[:2], more[2:5]
            self._leader_epoch = next(iter(more[5:]), None)
        self._key = key
        self._value = value
        self._timestamp = timestamp
        if timestampType is None:
            none = timestamp == NO_TIMESTAMP
            timestampType = TimestampType.NO_TIMESTAMP_TYPE if none else TimestampType.CREATE_TIME
        self._timestamp_type = timestampType
        self._headers = headers

    def partition(self) -> int:
        """Return the partition."""
        return self._partition

    def offset(self) -> int:
        """Return the position in the partition."""
        return self._offset

    def timestamp(self) -> int:
        """Return the time in epoch milliseconds; -1 for none."""
        return self._timestamp

    def timestampType(self) -> TimestampType:
        """Return the origin of the timestamp."""
        return self._timestamp_type

    def serializedKeySize(self) -> int:
        """Return the number of bytes of the key; -1 if it is not known, or there is none."""
        return self._sizes[0]

    def serializedValueSize(self) -> int:
        """Return the number of bytes of the value; -1 if it is not known, or there is none."""
        return self._sizes[1]

    def leaderEpoch(self) -> int | None:
        """Return the epoch of the partition's leader; None if it is not known."""
        return self._leader_epoch

    def __repr__(self) -> str:
        return (
            f"ConsumerRecord(topic={self._topic!r}, partition={self._partition}, "
            f"offset={self._offset}, timestamp={self._timestamp}, key={self._key!r}, "
            f"value={self._value!r}, headers={self.headers()!r})"
        )


class ProducerRecord(_TopicRecord[K, V]):
    """A record to be sent.

    ``ProducerRecord(topic, value)``, ``(topic, key, value)``, ``(topic, partition, key, value)``,
    ``(topic, partition, key, value, headers)``, ``(topic, partition, timestamp, key, value)`` or
    all six: ``(topic, partition, timestamp, key, value, headers)``. Keyword names work too.

    Raises:
        IllegalArgumentException: The topic is None, or the partition or timestamp negative.

    Source: ``org.apache.kafka.clients.producer.ProducerRecord``.
    """

    __slots__ = ("_partition", "_timestamp")

    @overload
    def __init__(self, topic: str, value: V, /) -> None: ...
    @overload
    def __init__(self, topic: str, key: K, value: V, /) -> None: ...
    @overload
    def __init__(self, topic: str, partition: int | None, key: K, value: V, /) -> None: ...
    @overload
    def __init__(
        self, topic: str, partition: int | None, key: K, value: V, headers: Headers, /
    ) -> None: ...
    @overload
    def __init__(
        self, topic: str, partition: int | None, timestamp: int | None, key: K, value: V, /
    ) -> None: ...
    @overload
    def __init__(
        self,
        topic: str,
        partition: int | None = None,
        timestamp: int | None = None,
        key: K = ...,
        value: V = ...,
        headers: Headers | None = None,
    ) -> None: ...
    def __init__(self, topic: str, *arguments: Any, **keywords: Any) -> None:
        given = _named(arguments) | keywords
        unexpected = set(given) - {"partition", "timestamp", "key", "value", "headers"}
        if unexpected:
            raise ClassCastException(
                f"ProducerRecord() does not take {', '.join(sorted(unexpected))}"
            )
        if topic is None:
            raise IllegalArgumentException("Topic cannot be null.")
        partition, timestamp = given.get("partition"), given.get("timestamp")
        for name, number in (("timestamp", timestamp), ("partition", partition)):
            if number is not None and number < 0:
                raise IllegalArgumentException(
                    f"Invalid {name}: {number}. It should be non-negative or null."
                )
        self._topic = topic
        self._partition: int | None = partition
        self._timestamp: int | None = timestamp
        self._key = given.get("key")  # type: ignore[assignment]  # None: a record without key
        self._value = given.get("value")  # type: ignore[assignment]
        headers = given.get("headers")
        self._headers = None if headers is None else Headers(headers)

    def partition(self) -> int | None:
        """Return the partition; None leaves it to the partitioner."""
        return self._partition

    def timestamp(self) -> int | None:
        """Return the time in epoch milliseconds; None for the time of sending."""
        return self._timestamp

    def _tuple(self) -> tuple[Any, ...]:
        return (self._topic, self._partition, self._timestamp, self._key, self._value)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProducerRecord)
            and self._tuple() == other._tuple()
            and self.headers() == other.headers()
        )

    def __hash__(self) -> int:
        return hash(self._tuple())

    def __repr__(self) -> str:
        return (
            f"ProducerRecord(topic={self._topic!r}, partition={self._partition}, "
            f"timestamp={self._timestamp}, key={self._key!r}, value={self._value!r}, "
            f"headers={self.headers()!r})"
        )


SHAPES: dict[int, tuple[str, ...]] = {
    0: (),
    1: ("value",),
    2: ("key", "value"),
    3: ("partition", "key", "value"),
    5: ("partition", "timestamp", "key", "value", "headers"),
}


def _named(arguments: tuple[Any, ...]) -> dict[str, Any]:
    if len(arguments) == 4:
        with_headers = isinstance(arguments[3], Headers)
        names = ("partition", "key", "value", "headers") if with_headers else SHAPES[5][:4]
    elif len(arguments) in SHAPES:
        names = SHAPES[len(arguments)]
    else:
        raise ClassCastException(f"ProducerRecord() does not take {len(arguments) + 1} arguments")
    return dict(zip(names, arguments, strict=True))
