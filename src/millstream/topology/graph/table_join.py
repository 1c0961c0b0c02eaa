"""Graph node of a join of two tables by key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.topology.graph.nodes import NodeInputs, TableOperation, connect_views
from millstream.topology.operators.table_join import JoinKind, JoinSide, side_rules
from millstream.topology.supplied import Supplied


@dataclass(frozen=True, slots=True, kw_only=True)
class TableJoin(TableOperation):
    """Three processors: the left table's updates, the right one's, and the result."""

    left_name: str
    right_name: str
    kind: JoinKind
    joiner: Callable[[Any, Any], Any]

    def write(self, given: NodeInputs) -> None:
        left_view, right_view = given.settings.reads
        left_input, right_input = given.settings.versioned_inputs
        common = partial(JoinSide, sends_old=given.settings.sends_old)
        left = partial(
            common,
            self.joiner,
            side_rules(self.kind, left=True),
            right_view,
            versioned_input=left_input,
        )
        right = partial(
            common,
            Swapped(self.joiner),
            side_rules(self.kind, left=False),
            left_view,
            versioned_input=right_input,
        )
        given.topology.add_processor(self.left_name, Supplied(left), given.parents[:1])
        given.topology.add_processor(self.right_name, Supplied(right), given.parents[-1:])
        result = partial(self.processor, settings=given.settings)
        given.topology.add_processor(
            self.name,
            Supplied(result),
            [self.left_name, self.right_name],
            stores=() if given.settings.store is None else (self.store,),
        )
        connect_views(given.topology, self.left_name, [right_view])
        connect_views(given.topology, self.right_name, [left_view])


@dataclass(frozen=True, slots=True)
class Swapped:
    """A joiner with its arguments exchanged."""

    joiner: Callable[[Any, Any], Any]

    def __call__(self, first: Any, second: Any) -> Any:
        """Call the joiner."""
        return self.joiner(second, first)
