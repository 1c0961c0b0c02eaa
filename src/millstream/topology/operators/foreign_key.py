"""Parts that the processors of a foreign-key join share: settings, serializers, hashes.

On the left (``foreign_key_left``), ``Subscribe`` sends a subscription for each row, and ``Resolve``
joins the responses. On the right (``foreign_key_right``), ``StoreSubscription`` and
``AnswerSubscription`` take subscriptions, and ``AnswerAll`` sends the updates of a row to all its
subscribers.

All have a form for columns, which they use where every serde is the library's own. Where one of
these refuses a value, or a look into a cache could flush it, they go record by record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.serdes.base import is_stock, serialize_column, serializer_call
from millstream.core.serdes.checks import halves_of, serializer_of, written
from millstream.topology.operators.murmur3 import murmur3_128
from millstream.topology.operators.operator import Operator
from millstream.topology.operators.owed_answers import TakenBack
from millstream.topology.operators.serde_headers import current_headers, want_headers
from millstream.topology.operators.subscriptions import SubscriptionSerde, pseudo_topic
from millstream.topology.operators.table_settings import TableSettings

_OUTDATED = "not the latest version"


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
        self._foreign_key_serde = foreign_key_serde = join.foreign_key_serde or context.keySerde()
        value_serde = join.value_serde or context.valueSerde()
        where = f'serde of the foreign-key join with topic "{join.topic}"'
        keys = serializer_of(self._key_serde, f"the key {where}")
        self._write_key = serializer_call(keys)
        self._foreign_keys = serializer_of(foreign_key_serde, f"the foreign key's {where}")
        self._write_foreign_key = serializer_call(self._foreign_keys)
        self._values = serializer_of(value_serde, f"the value {where}")
        self._write_value = serializer_call(self._values)
        serdes = self._key_serde, foreign_key_serde, value_serde
        self._headers = current_headers(context, wanted=want_headers(*serdes))
        self._subscriptions = SubscriptionSerde(join.topic, None).within(
            context.applicationId(), self._key_serde
        )
        halves = [half for each in serdes for half in halves_of(each, f"a {where}")]
        self.by_records = self._settings.versioned_input or not all(map(is_stock, halves))

    def taken_back(self) -> TakenBack | None:
        """Return what the processors of the right side share; None if answers come at once."""
        if not self.context.answers_come_later or self._join.left:
            return None
        shared: TakenBack = self.context.shared(self._join.store, TakenBack)
        # A task that has been created anew may find what another one left there.
        shared.restore()
        return shared

    def subscriptions_come_later(self) -> bool:
        """Tell whether subscriptions reach the right side with the batch after theirs."""
        return bool(self.context.comes_later(self._join.topic))

    def row_hash(self, value: Any) -> bytes | None:
        """Return the hash of a left row's bytes."""
        if value is None:
            return None
        return self._hash(self._write_value(self._names["vh"], self._headers(), value))

    def _hash(self, data: bytes | None) -> bytes:
        return murmur3_128(written(data, self._values, self._names["vh"], "a row's value"))

    def row_hashes(self, values: Sequence[Any]) -> list[bytes | None]:
        """Return the hashes of many left rows."""
        return [
            None if value is None else self._hash(data)
            for value, data in zip(
                values, serialize_column(self._values, self._names["vh"], values), strict=True
            )
        ]

    def foreign_key_bytes(self, key: Any) -> bytes | None:
        """Return a foreign key's bytes, by which foreign keys are compared."""
        if key is None:
            return None
        return self._write_foreign_key(self._names["fk"], self._headers(), key)

    def foreign_keys_bytes(self, keys: Sequence[Any]) -> list[bytes | None]:
        """Return the bytes of many foreign keys; None where there is no key."""
        if all(key is None for key in keys):
            return [None] * len(keys)
        return serialize_column(self._foreign_keys, self._names["fk"], keys)

    def prefix(self, foreign_key: Any) -> bytes:
        """Return the prefix of the store's keys of a right row's subscriptions."""
        return prefix_of(self.foreign_key_bytes(foreign_key))

    def outdated(self, change: Any) -> bool:
        """Drop an update that is not the row's latest version."""
        if not self._settings.versioned_input or change.is_latest:
            return False
        self.context.drop(_OUTDATED)
        return True


class TableReadingPart(JoinPart):
    """A processor that reads one of the tables."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._getter = self._settings.reads[0].open(context)
        self.by_records = self.by_records or not self._getter.by_columns

    def close(self) -> None:
        self._getter.close()


def prefix_of(foreign_key: bytes | None) -> bytes:
    """Return the prefix for a foreign key's bytes.

    Raises:
        StreamsException: A serializer has made null of a foreign key.
    """
    if foreign_key is None:
        raise StreamsException("a foreign key was serialised to null")
    return len(foreign_key).to_bytes(4, "big") + foreign_key
