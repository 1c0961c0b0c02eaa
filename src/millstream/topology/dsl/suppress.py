"""Addition of ``suppress`` to the graph, with Kafka's names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.errors import IllegalArgumentException, TopologyException
from millstream.core.state import StateStore
from millstream.core.state.identity import StoreIdentity
from millstream.plugins.registry import buffer_class
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.join_stores import JoinStoreBuilder
from millstream.topology.dsl.materialize import SessionTableBuilder, WindowTableBuilder
from millstream.topology.dsl.options import BufferConfig, Suppressed
from millstream.topology.dsl.options.suppressed import WhenFull
from millstream.topology.graph.graph import Graph
from millstream.topology.graph.nodes import OldValues, TableOperation, TableRole
from millstream.topology.graph.suppressed import SuppressedTable, versioned_above
from millstream.topology.operators.suppress import SuppressedView, Suppression, SuppressTable
from millstream.topology.operators.suppression_store import BufferKind, SuppressionStore

_PREFIX = "KTABLE-SUPPRESS-"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SuppressionStoreBuilder(JoinStoreBuilder):
    """Builder of the store of the buffered updates."""

    kind: BufferKind
    key_serde: Any
    value_serde: Any

    def build(self) -> StateStore:
        return SuppressionStore(
            self.store,
            self.kind,
            logged=self.logged,
            key_serde=self.key_serde,
            value_serde=self.value_serde,
        )

    def identity(self) -> StoreIdentity | None:
        # These two have the same bytes for their entries, on disk as well.
        ours = self.kind.name in ("memory", "spill")
        return StoreIdentity(
            type="suppression buffer",
            values="held back",
            layout={"buffer": "rows" if ours else self.kind.name},
            serdes={"key": self.key_serde, "value": self.value_serde},
        )


def add_suppression(flow: Flow, suppressed: Suppressed[Any]) -> Flow:
    """Add a ``suppress`` below a table.

    Raises:
        TopologyException: Updates are to go out when windows close, and there are none; or the
            table itself has a versioned store.
        PluginError: The buffer's plugin is not installed.
        IllegalArgumentException: The buffer is to spill to disk, and its plugin cannot.
    """
    # Kafka's early check. Of tables further up only the build knows, and asks again.
    above = flow.graph.node(flow.node)
    if isinstance(above, TableOperation) and above.outputs_versioned:
        raise versioned_above(suppressed.name or "suppress()")
    names, given, config = flow.graph.names, suppressed.name, suppressed.buffer
    name = names.operator(_PREFIX) if given is None else given
    final = suppressed.wait_ms is None
    wait_ms = _grace(flow) if suppressed.wait_ms is None else suppressed.wait_ms
    kind = _buffer_kind(config)
    store = SuppressionStoreBuilder(
        store=names.store(_PREFIX) if given is None else f"{given}-store",
        logged=config.logging_enabled,
        topic_config=config.topic_config,
        kind=kind,
        key_serde=flow.key_serde,
        value_serde=flow.value_serde,
    )
    rule = Suppression(
        store=store.store,
        wait_ms=wait_ms,
        final=final,
        max_records=LONG_MAX if config.spills else config.max_records,
        max_bytes=LONG_MAX if config.spills else config.max_bytes,
        emits_early=config.when_full is WhenFull.EMIT_EARLY,
        wall_clock=suppressed.wall_clock,
    )
    node = SuppressedTable(
        name=name,
        processor=partial(SuppressTable, rule),
        role=TableRole.DERIVED,
        outputs_versioned=False,
        # The buffer has to know the value that the nodes below have seen.
        old_values=OldValues.NEEDED,
        view=lambda above: SuppressedView(above=above, store=store.store),
        own_stores=(store,),
        buffer=store,
        named=given is not None,
    )
    return flow.then(node)


def _buffer_kind(config: BufferConfig) -> BufferKind:
    """Return the buffer's plugin and its limits; only one that spills has some."""
    name = config.buffer or ("spill" if config.spills else "memory")
    spills = buffer_class(name).traits.spills
    if config.spills and not spills:
        raise IllegalArgumentException(
            f'suppression buffer "{name}" cannot spill to disk',
            hint="Leave out withBuffer(), or spillToDiskWhenFull().",
        )
    if not config.spills:
        return BufferKind(name=name)
    return BufferKind(
        name=name,
        max_records=config.max_records,
        max_bytes=config.max_bytes,
        byte_store=config.byte_store,
    )


def _grace(flow: Flow) -> int:
    """Return how long after a window's end the windows above may still change.

    Source: ``graph.GraphGraceSearchUtil``.
    """
    return _grace_at(flow.graph.freeze(), flow.node, "")


def _grace_at(graph: Graph, number: int, chain: str) -> int:
    node, parents = graph.nodes[number], graph.parents[number]
    store = node.store if isinstance(node, TableOperation) else None
    if isinstance(store, SessionTableBuilder):
        return int(store.windows.gracePeriodMs() + store.windows.inactivityGap())
    if isinstance(store, WindowTableBuilder):
        return int(store.windows.gracePeriodMs())
    chain = f"{node.name}->{chain}" if chain else node.name
    if not parents:
        raise TopologyException(
            f"Window close time is only defined for windowed computations. Got [root->{chain}].",
            hint="Put windowedBy() above suppress(), or use Suppressed.untilTimeLimit().",
        )
    return max(_grace_at(graph, parent, chain) for parent in parents)
