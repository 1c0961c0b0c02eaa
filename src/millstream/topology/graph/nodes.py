"""The kinds of nodes of the logical graph: frozen, inert, each able to write itself.

Traits (``changes_key``, ``outputs_versioned``, ...) are what passes read; no pass looks at what a
processor does.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.topology.builder import Supplied, TopologyBuilder
from millstream.topology.operators.table_settings import TableSettings


class OldValues(enum.Enum):
    """What a node makes of the values that a table had before."""

    UNUSED = "unused"
    IF_KEPT = "if kept"
    """It uses them where the table's store, which is there anyway, can tell them."""
    NEEDED = "needed"
    """It needs them, and the table gets a store for them."""


class TableRole(enum.Enum):
    """Where a table's values come from."""

    TOPIC = "topic"
    """From a topic or a stream, as they are; kept in a store only where needed."""
    AGGREGATE = "aggregate"
    """From an aggregation, which always keeps them."""
    DERIVED = "derived"
    """From another table, record by record; kept only where the user asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One step of the graph."""

    name: str
    """Under which its children know it."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        """Add what this node stands for to the topology.

        Args:
            topology: What is being built.
            parents: Names of the nodes above.
            settings: What the graph around it demands of this node, if it is a table.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Node):
    """A processor, and the stores it uses."""

    supplier: Any
    connected: tuple[str, ...] = ()
    """Stores that are in the topology already."""
    changes_key: bool = False
    changes_value: bool = False
    merges: bool = False
    old_values: OldValues = OldValues.UNUSED
    """What it makes of the old values of the tables above."""

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        topology.add_processor(self.name, self.supplier, parents)
        if self.connected:
            topology.connect(self.name, self.connected)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOperation(Node):
    """A processor whose output is a table."""

    processor: Callable[..., Any]
    """Called with ``settings``, returns the processor."""
    role: TableRole
    store: Any = None
    """The builder of the store that keeps, or would keep, the table's values."""
    queryable: bool = False
    """The user named the store, so it is always there."""
    outputs_versioned: bool | None = None
    """None: as the tables above."""
    old_values: OldValues = OldValues.UNUSED

    def write(
        self, topology: TopologyBuilder, parents: Sequence[str], settings: TableSettings
    ) -> None:
        supplier = partial(self.processor, settings=settings)
        topology.add_processor(self.name, Supplied(supplier), parents)
        if settings.store is not None:
            topology.add_state_store(self.store, [self.name])
