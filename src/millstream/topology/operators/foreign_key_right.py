"""Processors of a foreign-key join on the right: subscriptions, and responses to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.records import make_record
from millstream.core.serdes.base import deserialize_column, deserializer_call, serialize_column
from millstream.core.serdes.checks import deserializer_of, serializer_of
from millstream.core.state import Headed
from millstream.topology.operators.flat import fanned_out
from millstream.topology.operators.foreign_key import JoinPart, TableReadingPart, prefix_of
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.subscriptions import Instruction, JoinResponse, Subscription

_NO_KEY = "null key"
_NO_FOREIGN_KEY = "null foreign key"
_FEW = 4
"""So many responses are faster one by one."""
_DELETES = frozenset({Instruction.DELETE_SILENTLY, Instruction.DELETE_AND_ANSWER})


class StoreSubscription(JoinPart):
    """Stores subscriptions by foreign key and primary key."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._access = context.getStateStore(self._join.store).access()
        self._keys = serializer_of(self._key_serde, "the key serde of a foreign-key join")
        access = self._access
        self.by_records = self.by_records or access.cached or access.keeps_headers

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

    def process_chunk(self, chunk: Chunk) -> None:
        always = Instruction.ANSWER_ALWAYS
        pairs = zip(chunk.keys, chunk.values, strict=True)
        chunk = self.kept(
            chunk, [key is not None or s.instruction is always for key, s in pairs], _NO_FOREIGN_KEY
        )
        rows = [index for index, key in enumerate(chunk.keys) if key is not None]
        try:
            keys, values = self._entries(chunk, rows)
            raw_keys = self._access.serialize_keys(keys)
        except Exception:  # noqa: BLE001 - one by one finds the record that a serializer refuses
            self.context.each(chunk)
            return
        times = [chunk.timestamps[index] for index in rows]
        self._access.write_many(raw_keys, keys, values, times, chunk, rows)
        self.context.forward_chunk(chunk)

    def _entries(self, chunk: Chunk, rows: Sequence[int]) -> tuple[list[bytes], list[Any]]:
        """Return keys and values for the store."""
        found: list[Subscription] = [chunk.values[index] for index in rows]
        foreign = self.foreign_keys_bytes([chunk.keys[index] for index in rows])
        primary = serialize_column(
            self._keys, self._names["pk"], [each.primary_key for each in found]
        )
        kept = [None if each.instruction in _DELETES else each for each in found]
        return (
            [prefix_of(key) + (own or b"") for key, own in zip(foreign, primary, strict=True)],
            self._subscriptions.serialize_column(self._join.topic, kept),
        )


class AnswerSubscription(TableReadingPart):
    """Answers a subscription with the right row, as its instruction says."""

    def init(self, context: Any) -> None:
        super().init(context)
        stores = map(context.getStateStore, self._settings.reads[0].stores)
        # The buffer of a suppress above is read as well; it has no cache.
        tables = (store for store in stores if hasattr(store, "access"))
        self._cached = any(getattr(table.access(), "cached", False) for table in tables)
        self._taken_back = self.taken_back()

    def process(self, record: AnyRecord) -> None:
        foreign_key, subscription, timestamp = record._key, record._value, record._timestamp
        cell = None if foreign_key is None else self._getter.get(foreign_key)
        response = self._response(subscription, None if cell is None else cell[0])
        if response is None:
            return
        if cell is not None:
            timestamp = max(timestamp, cell[1])
        self.forward(make_record(subscription.primary_key, response, timestamp, record._headers))

    def process_chunk(self, chunk: Chunk) -> None:
        wanted = [index for index, key in enumerate(chunk.keys) if key is not None]
        try:
            found = self._getter.get_many([chunk.keys[index] for index in wanted])
        except Exception:  # noqa: BLE001 - one by one finds the record that a serializer refuses
            found = None
        if found is None:
            self.context.each(chunk)
            return
        cells: list[Any] = found
        if len(wanted) < len(chunk):
            cells = [None] * len(chunk)
            for index, cell in zip(wanted, found, strict=True):
                cells[index] = cell
        responses = [
            self._response(subscription, None if cell is None else cell[0])
            for subscription, cell in zip(chunk.values, cells, strict=True)
        ]
        answered = chunk.replace(
            keys=[subscription.primary_key for subscription in chunk.values], values=responses
        ).at(
            [
                time if cell is None else max(time, cell[1])
                for time, cell in zip(chunk.timestamps, cells, strict=True)
            ]
        )
        if None in responses:
            answered = answered.select([response is not None for response in responses])
        self.context.forward_chunk(answered)

    def _response(self, subscription: Subscription, value: Any) -> JoinResponse | None:
        """Return the response; None if there is to be none."""
        instruction = subscription.instruction
        if instruction is Instruction.DELETE_SILENTLY:
            return None
        if instruction is Instruction.ANSWER_IF_FOUND and value is None:
            if not self._taken_back:
                return None
            primary = self._write_key(self._names["pk"], self._headers(), subscription.primary_key)
            if primary not in self._taken_back:
                return None
        if instruction is Instruction.DELETE_AND_ANSWER:
            value = None
        return JoinResponse(subscription.row_hash, value, subscription.partition, self._cached)


class AnswerAll(JoinPart):
    """Sends an updated right row to all its subscribers."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._store = context.getStateStore(self._join.store)
        self._keys = deserializer_of(self._key_serde, "the key serde of a foreign-key join")
        self._read_key = deserializer_call(self._keys)
        self._taken_back = self.taken_back()
        if self._taken_back is not None:
            lasting = self.subscriptions_come_later()
            context.at_commit(partial(self._taken_back.committed, lasting=lasting))

    def save(self) -> bytes | None:
        """Return the rows that may have to be told once more."""
        return None if self._taken_back is None else self._taken_back.save()

    def combine(self, saved: Sequence[bytes]) -> bytes:
        return b"".join(saved)

    def restore(self, data: bytes) -> None:
        if self._taken_back is not None:
            self._taken_back.restore(data)

    def process(self, record: AnyRecord) -> None:
        """Forward responses in the order of the primary keys' bytes."""
        foreign_key, change = record._key, record._value
        if foreign_key is None:
            self.context.drop(_NO_KEY)
            return
        if self.outdated(change):
            return
        found = self._subscribers(self.prefix(foreign_key))
        if len(found) > _FEW and self._sent_by_columns(record, found):
            return
        for primary, data in found:
            primary_key = self._read_key(self._names["pk"], self._headers(), primary)
            subscription = self._subscriptions.decode(self._join.topic, record.headers(), data)
            response = JoinResponse(subscription.row_hash, change.new, subscription.partition)
            if change.new is None and self._taken_back is not None:
                self._taken_back.tell((primary,))
            self.forward(make_record(primary_key, response, record._timestamp, record._headers))

    def _sent_by_columns(self, record: AnyRecord, found: list[tuple[bytes, bytes]]) -> bool:
        """Forward the responses to one right row as a run; False if they have to go one by one."""
        current = self.context.record_context
        if self.by_records or record._headers or current is None:
            return False
        place = current._topic, current._partition, [current._offset], [record._timestamp]
        row = Chunk(*place, [record._key], [record._value.new])
        primary, data = map(list, zip(*found, strict=True))
        try:
            answers = self._answers(row, [0] * len(found), primary, data)
        except Exception:  # noqa: BLE001 - one by one finds the one that a serializer refuses
            return False
        self.context.forward_chunk(answers)
        return True

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self.kept(chunk, [key is not None for key in chunk.keys], _NO_KEY)
        rows, primary, data = list[int](), list[bytes](), list[bytes]()
        try:
            for index, foreign_key in enumerate(self.foreign_keys_bytes(chunk.keys)):
                for own, subscription in self._subscribers(prefix_of(foreign_key)):
                    rows.append(index)
                    primary.append(own)
                    data.append(subscription)
            answers = self._answers(chunk, rows, primary, data)
        except Exception:  # noqa: BLE001 - one by one finds the record that a serializer refuses
            self.context.each(chunk)
            return
        self.context.forward_chunk(answers)

    def _answers(
        self, chunk: Chunk, rows: Sequence[int], primary: list[bytes], data: list[bytes]
    ) -> Chunk:
        """Return the responses to subscribers, each with the index of the right row for it."""
        keys = deserialize_column(self._keys, self._names["pk"], primary)
        subscriptions = self._subscriptions.deserialize_column(self._join.topic, data)
        responses = [
            JoinResponse(each.row_hash, chunk.values[index], each.partition)
            for index, each in zip(rows, subscriptions, strict=True)
        ]
        if self._taken_back is not None:
            self._taken_back.tell(
                own for own, index in zip(primary, rows, strict=True) if chunk.values[index] is None
            )
        made = fanned_out(chunk, rows).replace(keys=keys, values=responses)
        made.olds = None
        return made

    def _subscribers(self, prefix: bytes) -> list[tuple[bytes, bytes]]:
        """Return the primary key and the subscription of each subscriber, as bytes."""
        start = len(prefix)
        with self._store.range(prefix, _next_prefix(prefix)) as found:
            return [
                (entry.key[start:], entry.value.value())
                for entry in found
                if entry.key.startswith(prefix)
            ]


def _next_prefix(prefix: bytes) -> bytes:
    """Return the first bytes after all that begin with ``prefix``."""
    return (int.from_bytes(prefix, "big") + 1).to_bytes(len(prefix), "big")
