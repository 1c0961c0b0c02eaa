"""Builder of the store of ids that were seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from millstream.core.serdes import Serdes
from millstream.core.state import DslKeyValueParams, DslStoreFormat, KeyValueStore
from millstream.core.state.identity import StoreIdentity
from millstream.plugins.registry import store_kinds
from millstream.topology.dsl.join_stores import JoinStoreBuilder


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SeenStoreBuilder(JoinStoreBuilder):
    """Bytes to bytes, in the kind of store that the application has chosen; never cached."""

    made_of: str
    """What an id is made of, in words."""
    id_serdes: Mapping[str, Any] = field(default_factory=dict)
    """Serdes of an id's parts, by roles that a note about the store knows."""

    def identity(self) -> StoreIdentity | None:
        # Its rows are bytes; an id that is written otherwise would not be found among them.
        found = JoinStoreBuilder.identity(self)
        if found is None:
            return None
        layout = {**found.layout, "id": self.made_of}
        return replace(found, layout=layout, serdes={**found.serdes, **self.id_serdes})

    def plain_builder(self) -> Any:
        params = DslKeyValueParams(self.store, DslStoreFormat.PLAIN)
        supplier = self._suppliers().keyValueStore(params)
        data = Serdes.ByteArray()
        return store_kinds().builder(KeyValueStore, supplier, data, data)
