"""A table's store, as the processor uses it that fills it."""

from __future__ import annotations

from typing import Any

from millstream.core.state import VersionedKeyValueStore
from millstream.core.state.access import VersionedAccess
from millstream.topology.operators.forwarding import forwards_at_once
from millstream.topology.operators.table_settings import TableSettings

_NOT_PUT = VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT
_LATEST = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED


class KeptTable:
    """Reads and writes rows; knows whether the processor or the store's cache forwards them."""

    def __init__(self, context: Any, settings: TableSettings) -> None:
        assert settings.store is not None
        store = context.getStateStore(settings.store)
        self.access: Any = store.access()
        self.versioned = isinstance(self.access, VersionedAccess)
        self.at_once = forwards_at_once(context, store, sends_old=settings.sends_old)

    def write(self, key_bytes: bytes, key: Any, value: Any, timestamp: int) -> bool | None:
        """Set a row and tell whether this is its latest version.

        Returns:
            None if there is nothing to forward: the store refused it, or its cache will forward.
        """
        code = self.access.write(key_bytes, key, value, timestamp)
        if not self.at_once or code == _NOT_PUT:
            return None
        return code is None or code == _LATEST
