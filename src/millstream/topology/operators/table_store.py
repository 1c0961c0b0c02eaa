"""Store of a table, as the processor that writes it uses it."""

from __future__ import annotations

from typing import Any

from millstream.core.records import Change, make_record
from millstream.core.state import VersionedKeyValueStore
from millstream.core.state.access import VersionedAccess
from millstream.topology.operators.forwarding import forwards_at_once
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.table_settings import TableSettings

_NOT_PUT = VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT
_LATEST = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED


class TableStore:
    """Writes rows, and forwards the updates unless a record cache does that when it flushes."""

    def __init__(self, context: Any, settings: TableSettings) -> None:
        assert settings.store is not None
        store = context.getStateStore(settings.store)
        self.access: Any = store.access()
        self.versioned = isinstance(self.access, VersionedAccess)
        self.at_once = forwards_at_once(context, store, sends_old=settings.sends_old)
        self._sends_old = settings.sends_old
        self._context = context

    def update(
        self, key_bytes: bytes, record: AnyRecord, new: Any, old: Any, timestamp: int
    ) -> None:
        """Set the row of a record's key, and forward the update with the record's headers.

        Args:
            key_bytes: The key as the store has it.
            record: The record that makes the update.
            new: The new value; None deletes the row.
            old: The value before, forwarded if old values are asked for.
            timestamp: The time of the update.
        """
        code = self.access.write(key_bytes, record._key, new, timestamp)
        if self.at_once and code != _NOT_PUT:
            is_latest = code is None or code == _LATEST
            change = Change(new, old if self._sends_old else None, is_latest)
            self._context.forward(make_record(record._key, change, timestamp, record._headers))
