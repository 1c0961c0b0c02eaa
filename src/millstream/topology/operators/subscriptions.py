"""Subscriptions and responses of a foreign-key join, and their bytes.

The left side subscribes each of its rows to the row of the right table with its foreign key; the
right side answers with that row. Both carry a hash of the left row, so that the left side finds out
whether an answer is about an older version of the row.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.serdes import Serde
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


_INSTRUCTIONS = frozenset(Instruction)
_SUBSCRIPTION = "a subscription of a foreign-key join"


@dataclass(frozen=True, slots=True)
class Subscription:
    """A left row's interest in a right row; its foreign key is the record's key."""

    row_hash: bytes | None
    instruction: Instruction
    primary_key: Any
    partition: int | None
    """Where the left row lives and the answer has to go."""


@dataclass(frozen=True, slots=True)
class JoinResponse:
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
        version = data[0] & _VERSION_BITS
        start = 2 if data[0] & _NO_HASH else 2 + _HASH_BYTES
        end = len(data) - 4 if version else len(data)
        if end < start:
            raise broken(_SUBSCRIPTION, data)
        return Subscription(
            None if start == 2 else data[2:start],
            Instruction(data[1]),
            self.inners[0].read(self.pseudo_topic, headers, data[start:end]),
            int.from_bytes(data[end:], "big", signed=True) if version else None,
        )


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
            raise broken("an answer of a foreign-key join", data)
        value = None
        if len(data) > start:
            value = self.inners[0].read(topic, headers, data[start:])
        return JoinResponse(None if start == 1 else data[1:start], value)


def pseudo_topic(application_id: str, topic: str, role: str) -> str:
    """Return the topic's name that serdes see for what is inside subscriptions."""
    return f"{application_id}-{topic}-{role}"


def answer_partition(topic: str, key: Any, response: JoinResponse, partitions: int) -> int | None:
    """Choose the partition that the subscription came from."""
    return response.partition


def _head(row_hash: bytes | None, version: int, rest: bytes) -> bytes:
    if row_hash is None:
        return bytes([_NO_HASH | version]) + rest
    return bytes([version]) + rest + row_hash
