"""Kinds of nodes of the logical graph: frozen, inert, each able to write itself.

Traits (``changes_key``, ``outputs_versioned``, ...) are what passes read; no pass looks at what a
processor does.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.topology.builder import TopologyBuilder
from millstream.topology.operators.getters import View
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.supplied import Supplied


class OldValues(enum.Enum):
    """Use that a node makes of a table's old values."""

    UNUSED = "unused"
    IF_STORED = "if stored"
    """It uses them where the table has a store anyway."""
    NEEDED = "needed"
    """It needs them, and the table gets a store for them."""


class TableRole(enum.Enum):
    """Where a table's values come from."""

    TOPIC = "topic"
    """From a topic or a stream, as they are; stored only where needed."""
    AGGREGATE = "aggregate"
    """From an aggregation, which always stores them."""
    DERIVED = "derived"
    """From another table, record by record; stored only where the user asks."""
    JOINED = "joined"
    """From two tables, which it reads; stored only where the user asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInputs:
    """Arguments of a node's ``write``."""

    topology: TopologyBuilder
    """What is being built."""
    parents: Sequence[str]
    """Names of the nodes above."""
    settings: TableSettings
    """What the graph around it demands of this node, if it is a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One step of the graph."""

    name: str
    """Under which its children know it."""
    reads: tuple[int, ...] = ()
    """Ids of the tables whose current values it looks up, wherever they are in the graph."""

    def write(self, given: NodeInputs) -> None:
        """Add what this node stands for to the topology."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Node):
    """A processor, and the stores it uses."""

    supplier: Any
    stores: tuple[Any, ...] = ()
    """Builders of stores that it brings; a shared one is added by the first node that has it."""
    connected: tuple[str, ...] = ()
    """Stores that are in the topology already."""
    changes_key: bool = False
    changes_value: bool = False
    merges: bool = False
    old_values: OldValues = OldValues.UNUSED
    """Use that it makes of the old values of the tables above."""

    def write(self, given: NodeInputs) -> None:
        given.topology.add_processor(
            self.name, self.supplied(given.settings), given.parents, stores=self.stores
        )
        connect_views(given.topology, self.name, given.settings.reads)
        if self.connected:
            given.topology.connect(self.name, self.connected)

    def supplied(self, settings: TableSettings) -> Any:
        """Return the supplier of the processor."""
        return self.supplier


@dataclass(frozen=True, slots=True, kw_only=True)
class PluggedOperation(Operation):
    """An operator of a plugin, with the stores that it brings."""

    named: bool = False
    """The user gave its name."""

    def unnamed_stores(self) -> tuple[Any, ...]:
        """Return the builders of its stores whose names were generated."""
        if self.named:
            return ()
        return tuple(each for each in self.supplier.stores() if each.name().startswith(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReader(Operation):
    """A processor that depends on the graph around it, mostly because it ``reads`` tables.

    ``supplier`` is called with ``settings``, whose ``reads`` are the views of the tables, and
    returns the processor.
    """

    def supplied(self, settings: TableSettings) -> Supplied:
        """Return the supplier, which knows the settings."""
        return Supplied(partial(self.supplier, settings=settings))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOperation(Node):
    """A processor whose output is a table."""

    processor: Callable[..., Any]
    """Called with ``settings``, returns the processor."""
    role: TableRole
    store: Any = None
    """The builder of the store that the table has, or would have."""
    queryable: bool = False
    """The user named the store, so it is always there."""
    outputs_versioned: bool | None = None
    """None: as the tables above."""
    old_values: OldValues | tuple[OldValues, ...] = OldValues.UNUSED
    """A tuple: for each of the tables above."""
    view: Callable[..., View] | None = None
    """Of a table that may have no store: given the views of the tables above, returns its own."""
    connected: tuple[str, ...] = ()
    """Other stores that the processor uses and that are in the topology already."""
    own_stores: tuple[Any, ...] = ()
    """Builders of other stores that it brings."""

    def write(self, given: NodeInputs) -> None:
        supplier = partial(self.processor, settings=given.settings)
        stores = self.own_stores if given.settings.store is None else (*self.own_stores, self.store)
        given.topology.add_processor(self.name, Supplied(supplier), given.parents, stores=stores)
        if self.connected:
            given.topology.connect(self.name, self.connected)


def connect_views(topology: TopologyBuilder, processor: str, views: Sequence[View]) -> None:
    """Give a processor access to the stores behind tables."""
    stores = dict.fromkeys(store for view in views for store in view.stores)
    if stores:
        topology.connect(processor, stores)
