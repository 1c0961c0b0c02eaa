"""Graph node of ``suppress``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millstream.core.errors import TopologyException
from millstream.topology.graph.nodes import NodeInputs, TableOperation


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedTable(TableOperation):
    """A table whose updates are buffered."""

    buffer: Any
    """The builder of the store that buffers them."""
    named: bool
    """The user gave the name, and so the store's."""

    def write(self, given: NodeInputs) -> None:
        if given.settings.versioned_input:
            raise versioned_above(self.name)
        TableOperation.write(self, given)


def versioned_above(name: str) -> TopologyException:
    """Return the error for a ``suppress`` below a table in a versioned store."""
    return TopologyException(
        "suppress() is only supported for non-versioned KTables",
        detail=f'Above "{name}" is a table in a versioned store.',
        hint="Materialize that table in another kind of store.",
    )
