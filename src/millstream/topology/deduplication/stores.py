"""The store of what has been seen."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.serdes import Serdes
from millstream.core.state import DslKeyValueParams, DslStoreFormat, StateStore
from millstream.plugins.registry import store_kinds
from millstream.topology.join_stores import JoinStoreBuilder


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SeenStoreBuilder(JoinStoreBuilder):
    """Bytes to bytes, in the kind of store that the application has chosen; never cached."""

    def build(self) -> StateStore:
        """Return a new store."""
        params = DslKeyValueParams(self.store, DslStoreFormat.PLAIN)
        supplier = self._suppliers().keyValueStore(params)
        data = Serdes.ByteArray()
        builder = store_kinds().key_value(supplier, data, data)
        return self._logging(builder).build()  # type: ignore[no-any-return]
