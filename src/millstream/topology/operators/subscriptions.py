"""Subscriptions and responses of a foreign-key join, and their bytes.

The left side subscribes each of its rows to the row of the right table with its foreign key; the
right side answers with that row. Both carry a hash of the left row, so that the left side finds out
whether an answer is about an older version of the row.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.partitioning import StreamPartitioner
from millstream.core.serdes import Serde
from millstream.core.serdes.base import deserialize_column, serialize_column
from millstream.topology.operators.internal_serde import InnerSerde, InternalSerde, broken

_HASH_BYTES = 16
_NO_HASH = 0x80
_VERSION_BITS = 0x7F
SUBSCRIPTION_VERSION = 1
RESPONSE_VERSION = 0


class Instruction(enum.IntEnum):
    """Instruction of a subscription to the right side; the numbers are in its bytes."""

    DELETE_SILENTLY = 0
    DELETE_AND_ANSWER = 1
    ANSWER_ALWAYS = 2
    ANSWER_IF_FOUND = 3


_INSTRUCTIONS = {int(each): each for each in Instruction}
_SUBSCRIPTION = "a subscription of a foreign-key join"
_RESPONSE = "an answer of a foreign-key join"
_NOTHING: Any = object()


# One of each is made for almost every record, and a tuple is the quickest to make.
class Subscription(NamedTuple):
    """A left row's interest in a right row; its foreign key is the record's key."""

    row_hash: bytes | None
    instruction: Instruction
    primary_key: Any
    partition: int | None
    """Where the left row lives and the answer has to go."""


class JoinResponse(NamedTuple):
    """A right row, or its absence, for one left row; its primary key is the record's key."""

    row_hash: bytes | None
    foreign_value: Any
    partition: int | None = None
    """Not on the wire: the sink's partitioner looks at it."""
    of_cached: bool = False
    """Not on the wire: it answers a subscription, from a table whose cache will be flushed."""


@dataclass(frozen=True, slots=True)
class SubscriptionSerde(InternalSerde[Subscription]):
    """``no-hash-bit and version, instruction, [hash,] primary key, partition``.

    Source: Kafka's ``SubscriptionWrapperSerde``.
    """

    topic: str
    """The topic's name in the plan."""
    key: Serde[Any] | None
    """Of primary keys; None until the application's default is known."""
    pseudo_topic: str = ""
    """The name under which primary keys are serialised."""

    def with_defaults(self, settings: TaskSettings) -> SubscriptionSerde:
        """Return a copy that knows the application."""
        return self.within(settings.application_id, self.key or settings.key_serde)

    def within(self, application_id: str, key: Serde[Any] | None) -> SubscriptionSerde:
        """Return a copy for an application, with a serde of primary keys."""
        name = pseudo_topic(application_id, self.topic, "pk")
        return replace(self, key=key, pseudo_topic=name, inners=InnerSerde.all_of(key))

    def encode(self, topic: str, headers: Headers, data: Subscription) -> bytes:
        key = self.inners[0].write(self.pseudo_topic, headers, data.primary_key) or b""
        out = _head(data.row_hash, SUBSCRIPTION_VERSION, bytes([data.instruction])) + key
        if data.partition is None:
            raise StreamsException("a subscription has no partition to be answered to")
        return out + data.partition.to_bytes(4, "big", signed=True)

    def decode(self, topic: str, headers: Headers, data: bytes) -> Subscription:
        if len(data) < 2 or data[1] not in _INSTRUCTIONS:
            raise broken(_SUBSCRIPTION, data)
        start, end = _bounds(data)
        return Subscription(
            None if start == 2 else data[2:start],
            _INSTRUCTIONS[data[1]],
            self.inners[0].read(self.pseudo_topic, headers, data[start:end]),
            _partition(data, end),
        )

    def serialize_column(self, topic: str, values: Sequence[Subscription | None]) -> list[Any]:
        """Serialize many values, with the results of ``serialize``."""
        present = [value for value in values if value is not None]
        primary_keys = [value.primary_key for value in present]
        keys = serialize_column(self.inners[0].serializer, self.pseudo_topic, primary_keys)
        out = []
        for (row_hash, instruction, _, partition), key in zip(present, keys, strict=True):
            if partition is None:
                raise StreamsException("a subscription has no partition to be answered to")
            bare = _BARE_HEADS[instruction]
            head = bare if row_hash is None else _HEADS[instruction] + row_hash
            out.append(head + (key or b"") + partition.to_bytes(4, "big", signed=True))
        return spread(values, out)

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        """Deserialize many values, with the results of ``deserialize``."""
        present = [value for value in values if value is not None]
        for data in present:
            if len(data) < 2 or data[1] not in _INSTRUCTIONS:
                raise broken(_SUBSCRIPTION, data)
        bounds = [_bounds(data) for data in present]
        raw = [data[start:end] for data, (start, end) in zip(present, bounds, strict=True)]
        keys = deserialize_column(self.inners[0].deserializer, self.pseudo_topic, raw)
        out = [
            Subscription(
                None if start == 2 else data[2:start],
                _INSTRUCTIONS[data[1]],
                key,
                _partition(data, end),
            )
            for data, (start, end), key in zip(present, bounds, keys, strict=True)
        ]
        return spread(values, out)


@dataclass(frozen=True, slots=True)
class ResponseSerde(InternalSerde[JoinResponse]):
    """``no-hash-bit and version, [hash,] value``; a value of no bytes is read as None.

    Source: Kafka's ``JoinResponseWrapperSerde``.
    """

    value: Serde[Any] | None
    """Of the right table's values; None until the application's default is known."""

    def with_defaults(self, settings: TaskSettings) -> ResponseSerde:
        """Return a copy that knows the application's default."""
        return replace(self, inners=InnerSerde.all_of(self.value or settings.value_serde))

    def encode(self, topic: str, headers: Headers, data: JoinResponse) -> bytes:
        value = None
        if data.foreign_value is not None:
            value = self.inners[0].write(topic, headers, data.foreign_value)
        return _head(data.row_hash, RESPONSE_VERSION, b"") + (value or b"")

    def decode(self, topic: str, headers: Headers, data: bytes) -> JoinResponse:
        if data and data[0] & _VERSION_BITS != RESPONSE_VERSION:
            raise StreamsException("an answer of a foreign-key join is of an unknown version")
        start = 1 if data[:1] and data[0] & _NO_HASH else 1 + _HASH_BYTES
        if len(data) < start:
            raise broken(_RESPONSE, data)
        value = None
        if len(data) > start:
            value = self.inners[0].read(topic, headers, data[start:])
        return JoinResponse(None if start == 1 else data[1:start], value)

    def serialize_column(self, topic: str, values: Sequence[JoinResponse | None]) -> list[Any]:
        """Serialize many values, with the results of ``serialize``."""
        present = [value for value in values if value is not None]
        # A right row goes to many subscribers, most often one after the other.
        foreign, places, last = list[Any](), list[int](), _NOTHING
        for response in present:
            if response.foreign_value is not last:
                last = response.foreign_value
                foreign.append(last)
            places.append(len(foreign) - 1)
        rows = iter(
            serialize_column(
                self.inners[0].serializer, topic, [row for row in foreign if row is not None]
            )
        )
        data = [None if row is None else next(rows) for row in foreign]
        out = [
            _head(response.row_hash, RESPONSE_VERSION, b"") + (data[place] or b"")
            for response, place in zip(present, places, strict=True)
        ]
        return spread(values, out)

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        """Deserialize many values, with the results of ``deserialize``."""
        present = [value for value in values if value is not None]
        starts = [1 if data[:1] and data[0] & _NO_HASH else 1 + _HASH_BYTES for data in present]
        for data, start in zip(present, starts, strict=True):
            if len(data) < start or data[0] & _VERSION_BITS != RESPONSE_VERSION:
                raise broken(_RESPONSE, data)
        raw = [data[start:] or None for data, start in zip(present, starts, strict=True)]
        rows = iter(
            deserialize_column(
                self.inners[0].deserializer, topic, [data for data in raw if data is not None]
            )
        )
        out = [
            JoinResponse(None if start == 1 else data[1:start], None if row is None else next(rows))
            for data, start, row in zip(present, starts, raw, strict=True)
        ]
        return spread(values, out)


def pseudo_topic(application_id: str, topic: str, role: str) -> str:
    """Return the topic's name that serdes see for what is inside subscriptions."""
    return f"{application_id}-{topic}-{role}"


class AnswerPartitioner(StreamPartitioner[Any, JoinResponse]):
    """Chooses the partition that the subscription came from."""

    def partitions(
        self, topic: str, key: Any, value: JoinResponse | None, numPartitions: int
    ) -> set[int] | None:
        """Return the one partition; None if the subscription does not tell."""
        partition = None if value is None else value.partition
        return None if partition is None else {partition}

    def partition_column(
        self, topic: str, keys: Sequence[Any], values: Sequence[JoinResponse], count: int
    ) -> list[int | None]:
        """Return the partitions of many responses."""
        return [value.partition for value in values]


def spread(values: Sequence[Any], present: list[Any]) -> list[Any]:
    """Return what was made of the values that are not None, and None for the others.

    Example:
        >>> spread(["a", None, "b"], [1, 2])
        [1, None, 2]
    """
    if len(present) == len(values):
        return present
    made = iter(present)
    return [None if value is None else next(made) for value in values]


def _bounds(data: bytes) -> tuple[int, int]:
    """Return where the primary key of a subscription begins and ends."""
    start = 2 if data[0] & _NO_HASH else 2 + _HASH_BYTES
    end = len(data) - 4 if data[0] & _VERSION_BITS else len(data)
    if end < start:
        raise broken(_SUBSCRIPTION, data)
    return start, end


def _partition(data: bytes, end: int) -> int | None:
    version = data[0] & _VERSION_BITS
    return int.from_bytes(data[end:], "big", signed=True) if version else None


def _head(row_hash: bytes | None, version: int, rest: bytes) -> bytes:
    if row_hash is None:
        return bytes([_NO_HASH | version]) + rest
    return bytes([version]) + rest + row_hash


_HEADS = {each: bytes([SUBSCRIPTION_VERSION, each]) for each in Instruction}
_BARE_HEADS = {each: bytes([_NO_HASH | SUBSCRIPTION_VERSION, each]) for each in Instruction}
