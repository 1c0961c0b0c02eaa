"""Builder of the store of ids that were seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millstream.core.serdes import Serdes
from millstream.core.state import DslKeyValueParams, DslStoreFormat, KeyValueStore
from millstream.plugins.registry import store_kinds
from millstream.topology.dsl.join_stores import JoinStoreBuilder


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SeenStoreBuilder(JoinStoreBuilder):
    """Bytes to bytes, in the kind of store that the application has chosen; never cached."""

    def plain_builder(self) -> Any:
        params = DslKeyValueParams(self.store, DslStoreFormat.PLAIN)
        supplier = self._suppliers().keyValueStore(params)
        data = Serdes.ByteArray()
        return store_kinds().builder(KeyValueStore, supplier, data, data)
