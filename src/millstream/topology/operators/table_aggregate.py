"""Processor of ``count``, ``reduce`` and ``aggregate`` of a grouped table."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import StreamsException
from millstream.topology.operators.folding import Combine, Initial
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.table_store import TableStore


class TableAggregate(Operator):
    """Updates one aggregate per key: takes old values out of it, then adds the new ones.

    The aggregate's time is the largest of its updates.
    """

    def __init__(
        self, initial: Initial, add: Combine, subtract: Combine, *, settings: TableSettings
    ) -> None:
        self._initial = initial
        self._add = add
        self._subtract = subtract
        self._settings = settings

    def init(self, context: Any) -> None:
        super().init(context)
        self._store = TableStore(context, self._settings)
        self._access = self._store.access

    def process(self, record: AnyRecord) -> None:
        key, change, timestamp = record._key, record._value, record._timestamp
        if key is None:
            raise StreamsException(
                f'the key of a record for table store "{self._settings.store}" is null'
            )
        key_bytes = self._access.serialize_key(key)
        cell = self._access.read(key_bytes)
        old = None
        if cell is not None:
            old = cell[0]
            timestamp = max(timestamp, cell[1])
        new = old
        if change.old is not None and old is not None:
            new = self._subtract(key, change.old, old)
        if change.new is not None:
            new = self._add(key, change.new, self._initial() if new is None else new)
        self._store.update(key_bytes, record, new, old, timestamp)


def count_subtract(key: Any, value: Any, count: int) -> int:
    """Count one less."""
    return count - 1
