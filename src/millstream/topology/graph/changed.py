"""Format of a table's updates in a repartition topic: new value, old value, or both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.records import Change
from millstream.core.serdes import Serde
from millstream.core.serdes.checks import written
from millstream.core.serdes.varint import read_varint, varint
from millstream.topology.operators.internal_serde import InnerSerde, InternalSerde, broken

_OLD, _NEW, _BOTH = b"\x00", b"\x01", b"\x02"


@dataclass(frozen=True, slots=True)
class ChangeSerde(InternalSerde[Change[Any]]):
    """Writes the values and, as the last byte, which of them there are.

    ``old 0``, ``new 1``, or ``length-of-new new old 2`` with the length as a varint (KIP-904).

    Source: Kafka's ``ChangedSerializer`` and ``ChangedDeserializer``.
    """

    value: Serde[Any] | None
    """Of one value; None until the application's default is known."""

    def with_defaults(self, settings: TaskSettings) -> ChangeSerde:
        """Return a copy that knows the application's default."""
        return replace(self, inners=InnerSerde.all_of(self.value or settings.value_serde))

    def encode(self, topic: str, headers: Headers, data: Change[Any]) -> bytes:
        new = None if data.new is None else self._written(topic, headers, data.new)
        old = None if data.old is None else self._written(topic, headers, data.old)
        if new is not None and old is not None:
            return varint(len(new)) + new + old + _BOTH
        if new is not None:
            return new + _NEW
        if old is not None:
            return old + _OLD
        raise StreamsException("an update of a table has neither a new nor an old value")

    def _written(self, topic: str, headers: Headers, value: Any) -> bytes:
        inner = self.inners[0]
        data = inner.write(topic, headers, value)
        # Without bytes it would be read as an empty text or list.
        return written(data, inner.serializer, topic, "a value of a table that is grouped")

    def decode(self, topic: str, headers: Headers, data: bytes) -> Change[Any]:
        read = self.inners[0].read
        body, flag = data[:-1], data[-1:]
        if flag == _NEW:
            return Change(read(topic, headers, body), None)
        if flag == _OLD:
            return Change(None, read(topic, headers, body))
        if flag != _BOTH:
            raise broken("an update of a table", data)
        length, start = read_varint(body)
        if not 0 <= length <= len(body) - start:
            raise broken("an update of a table", data)
        new, old = body[start : start + length], body[start + length :]
        return Change(read(topic, headers, new), read(topic, headers, old))
