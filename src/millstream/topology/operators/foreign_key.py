"""Processors of a foreign-key join: subscriptions, responses and joined rows.

On the left, ``Subscribe`` sends a subscription for each row, and ``Resolve`` joins the responses.
On the right, ``StoreSubscription`` and ``AnswerSubscription`` take subscriptions, and ``AnswerAll``
sends the updates of a row to all its subscribers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.records import make_record
from millstream.core.serdes.base import deserializer_call, serializer_call
from millstream.core.state import Headed
from millstream.topology.operators.murmur3 import murmur3_128
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.serde_headers import current_headers, want_headers
from millstream.topology.operators.subscriptions import (
    Instruction,
    JoinResponse,
    Subscription,
    SubscriptionSerde,
    pseudo_topic,
)
from millstream.topology.operators.table_settings import TableSettings

_NO_KEY = "null key"
_NO_FOREIGN_KEY = "null foreign key"
_OUTDATED = "not the latest version"
_DELETES = frozenset({Instruction.DELETE_SILENTLY, Instruction.DELETE_AND_ANSWER})


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyJoin:
    """Settings of one join. Serdes of None are the application's defaults."""

    extract: Callable[..., Any]
    extract_with_key: bool
    joiner: Callable[[Any, Any], Any]
    left: bool
    """A left join: rows of the left table are results without a right one."""
    topic: str
    """The subscriptions' topic."""
    store: str
    key_serde: Any
    value_serde: Any
    foreign_key_serde: Any

    def foreign_key(self, key: Any, value: Any) -> Any:
        """Return the foreign key of a left row."""
        if value is None:
            return None
        return self.extract(key, value) if self.extract_with_key else self.extract(value)


class JoinPart(Operator):
    """One processor of the join, with the serialisers it may need."""

    def __init__(self, join: ForeignKeyJoin, *, settings: TableSettings) -> None:
        self._join = join
        self._settings = settings

    @property
    def join(self) -> ForeignKeyJoin:
        """The join that it is a part of."""
        return self._join

    def wants_headers(self, settings: TaskSettings) -> bool:
        join = self._join
        keys, values = settings.key_serde, settings.value_serde
        serdes = (
            join.key_serde or keys,
            join.foreign_key_serde or keys,
            join.value_serde or values,
        )
        return want_headers(*(serde for serde in serdes if serde is not None))

    def init(self, context: Any) -> None:
        super().init(context)
        join = self._join
        self._names = {
            role: pseudo_topic(context.applicationId(), join.topic, role)
            for role in ("pk", "fk", "vh")
        }
        self._key_serde = join.key_serde or context.keySerde()
        foreign_key_serde = join.foreign_key_serde or context.keySerde()
        value_serde = join.value_serde or context.valueSerde()
        self._write_key = serializer_call(self._key_serde.serializer())
        self._write_foreign_key = serializer_call(foreign_key_serde.serializer())
        self._write_value = serializer_call(value_serde.serializer())
        serdes = self._key_serde, foreign_key_serde, value_serde
        self._headers = current_headers(context, wanted=want_headers(*serdes))
        self._subscriptions = SubscriptionSerde(join.topic, None).within(
            context.applicationId(), self._key_serde
        )

    def row_hash(self, value: Any) -> bytes | None:
        """Return the hash of a left row's bytes."""
        if value is None:
            return None
        return murmur3_128(self._write_value(self._names["vh"], self._headers(), value) or b"")

    def foreign_key_bytes(self, key: Any) -> bytes | None:
        """Return a foreign key's bytes, by which foreign keys are compared."""
        if key is None:
            return None
        return self._write_foreign_key(self._names["fk"], self._headers(), key)

    def prefix(self, foreign_key: Any) -> bytes:
        """Return the prefix of the store's keys of a right row's subscriptions."""
        found = self.foreign_key_bytes(foreign_key)
        if found is None:
            raise StreamsException("a foreign key was serialised to null")
        return len(found).to_bytes(4, "big") + found

    def outdated(self, change: Any) -> bool:
        """Drop an update that is not the row's latest version."""
        if not self._settings.versioned_input or change.is_latest:
            return False
        self.context.drop(_OUTDATED)
        return True


class Subscribe(JoinPart):
    """Sends the subscriptions of the left table's rows, keyed by foreign key."""

    def process(self, record: AnyRecord) -> None:
        """Subscribe the row as it is now, and cancel what it was subscribed to."""
        key, change = record._key, record._value
        self._hash: bytes | None = None
        if self.outdated(change) or (change.old is None and change.new is None):
            return
        old = self._join.foreign_key(key, change.old)
        if self._join.left:
            new = self._join.foreign_key(key, change.new)
            if old is not None and self._differ(new, old):
                self._send(record, old, Instruction.DELETE_SILENTLY)
            self._send(record, new, Instruction.ANSWER_ALWAYS)
        elif change.new is None:
            if old is not None:
                self._send(record, old, Instruction.DELETE_AND_ANSWER)
        else:
            self._update(record, old, self._join.foreign_key(key, change.new))

    def _update(self, record: AnyRecord, old: Any, new: Any) -> None:
        """Send the subscriptions of an inner join for a row that is not deleted."""
        if new is None:
            self.context.drop(_NO_FOREIGN_KEY)
            if old is not None:
                self._send(record, old, Instruction.DELETE_AND_ANSWER)
        elif old is not None and self._differ(new, old):
            self._send(record, old, Instruction.DELETE_SILENTLY)
            self._send(record, new, Instruction.ANSWER_ALWAYS)
        else:
            self._send(record, new, Instruction.ANSWER_IF_FOUND)

    def _differ(self, first: Any, second: Any) -> bool:
        return self.foreign_key_bytes(first) != self.foreign_key_bytes(second)

    def _send(self, record: AnyRecord, foreign_key: Any, instruction: Instruction) -> None:
        if self._hash is None:
            self._hash = self.row_hash(record._value.new)
        metadata = self.context.recordMetadata()
        partition = None if metadata is None else metadata.partition()
        subscription = Subscription(self._hash, instruction, record._key, partition)
        self.forward(make_record(foreign_key, subscription, record._timestamp, record._headers))


class StoreSubscription(JoinPart):
    """Stores subscriptions by foreign key and primary key."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._access = context.getStateStore(self._join.store).access()

    def process(self, record: AnyRecord) -> None:
        """Store or delete the subscription and forward it."""
        foreign_key, subscription = record._key, record._value
        if foreign_key is None:
            if subscription.instruction is not Instruction.ANSWER_ALWAYS:
                self.context.drop(_NO_FOREIGN_KEY)
                return
        else:
            headers = self._headers()
            primary = self._write_key(self._names["pk"], headers, subscription.primary_key) or b""
            key = self.prefix(foreign_key) + primary
            value: Any = None
            if subscription.instruction not in _DELETES:
                value = self._subscriptions.encode(self._join.topic, record.headers(), subscription)
                if self._access.keeps_headers:
                    value = Headed(value, record._headers)
            self._access.write(self._access.serialize_key(key), key, value, record._timestamp)
        self.forward(record.withValue(subscription))


class TableReadingPart(JoinPart):
    """A processor that reads one of the tables."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._getter = self._settings.reads[0].open(context)

    def close(self) -> None:
        self._getter.close()


class AnswerSubscription(TableReadingPart):
    """Answers a subscription with the right row, as its instruction says."""

    def init(self, context: Any) -> None:
        super().init(context)
        names = self._settings.reads[0].stores
        accesses = (context.getStateStore(name).access() for name in names)
        self._cached = any(getattr(access, "cached", False) for access in accesses)

    def process(self, record: AnyRecord) -> None:
        foreign_key, subscription, timestamp = record._key, record._value, record._timestamp
        cell = None if foreign_key is None else self._getter.get(foreign_key)
        value = None
        if cell is not None:
            value = cell[0]
            timestamp = max(timestamp, cell[1])
        instruction = subscription.instruction
        if instruction is Instruction.DELETE_SILENTLY or (
            instruction is Instruction.ANSWER_IF_FOUND and value is None
        ):
            return
        if instruction is Instruction.DELETE_AND_ANSWER:
            value = None
        row_hash, partition = subscription.row_hash, subscription.partition
        response = JoinResponse(row_hash, value, partition, of_cached=self._cached)
        self.forward(make_record(subscription.primary_key, response, timestamp, record._headers))


class AnswerAll(JoinPart):
    """Sends an updated right row to all its subscribers."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._store = context.getStateStore(self._join.store)
        self._read_key = deserializer_call(self._key_serde.deserializer())

    def process(self, record: AnyRecord) -> None:
        """Forward responses in the order of the primary keys' bytes."""
        foreign_key, change = record._key, record._value
        if foreign_key is None:
            self.context.drop(_NO_KEY)
            return
        if self.outdated(change):
            return
        prefix = self.prefix(foreign_key)
        with self._store.range(prefix, _next_prefix(prefix)) as found:
            for entry in found:
                if not entry.key.startswith(prefix):
                    continue
                primary = entry.key[len(prefix) :]
                primary_key = self._read_key(self._names["pk"], self._headers(), primary)
                subscription = self._subscriptions.decode(
                    self._join.topic, record.headers(), entry.value.value()
                )
                response = JoinResponse(subscription.row_hash, change.new, subscription.partition)
                self.forward(make_record(primary_key, response, record._timestamp, record._headers))


class Resolve(TableReadingPart):
    """Joins responses with their left rows, unless those have changed meanwhile."""

    def process(self, record: AnyRecord) -> None:
        """Forward the joined row; None where the join has none."""
        response = record._value
        cell = self._getter.get(record._key)
        row = None if cell is None else cell[0]
        if self.row_hash(row) != response.row_hash:
            return
        result = None
        if response.foreign_value is not None or (self._join.left and row is not None):
            result = self._join.joiner(row, response.foreign_value)
        self.forward(record.withValue(result))


def _next_prefix(prefix: bytes) -> bytes:
    """Return the first bytes after all that begin with ``prefix``."""
    return (int.from_bytes(prefix, "big") + 1).to_bytes(len(prefix), "big")
