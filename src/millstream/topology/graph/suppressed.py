"""Graph node of ``suppress``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import TopologyException
from millstream.topology.builder import TopologyBuilder
from millstream.topology.graph.nodes import TableOperation
from millstream.topology.operators.table_settings import TableSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedTable(TableOperation):
    """A table whose updates are buffered."""

    buffer: Any
    """The builder of the store that buffers them."""
    named: bool
    """The user gave the name, and so the store's."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        if settings.versioned_input:
            raise versioned_above(self.name)
        TableOperation.write(self, topology, parents, settings)


def versioned_above(name: str) -> TopologyException:
    """Return the error for a ``suppress`` below a table in a versioned store."""
    return TopologyException(
        "suppress() is only supported for non-versioned KTables",
        detail=f'Above "{name}" is a table in a versioned store.',
        hint="Materialize that table in another kind of store.",
    )
