"""Operators of plugins as methods of streams and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.core.errors import PluginError
from millstream.plugins.kinds import OPERATORS
from millstream.plugins.operators import OperatorPlace, StreamOperator
from millstream.plugins.registry import import_path, offered
from millstream.topology.arguments import ABSENT, sort_options
from millstream.topology.builder import Supplied
from millstream.topology.flow import Flow
from millstream.topology.graph.nodes import OldValues, Operation
from millstream.topology.graph.repartition import repartition_node
from millstream.topology.options import Named


@dataclass(frozen=True, slots=True)
class OperatorSupplier:
    """Makes the processors of one operator in one place, and names its stores."""

    operator: StreamOperator
    place: OperatorPlace

    def get(self) -> Any:
        """Return a new processor."""
        return self.operator.processor(self.place)

    def stores(self) -> list[Any]:
        """Return the builders of its stores."""
        return list(self.operator.stores(self.place))


def plugged(receiver: Any, name: str, wrap: Callable[[Flow], Any]) -> Callable[..., Any]:
    """Return the operator called ``name`` as a method of a stream or table.

    Args:
        receiver: The stream or table.
        name: What was asked for and is no method of its own.
        wrap: Makes a stream of where it stands.

    Raises:
        AttributeError: No plugin offers it for this kind of receiver.
        PluginError: A plugin offers one under the name of a method that is there.
    """
    kind = type(receiver)
    # Whoever copies or pickles an object asks it for such names.
    operator = None if name.startswith("_") else offered(OPERATORS).get(name)
    if operator is None or operator.traits.of_tables is not (kind.__name__ == "KTable"):
        raise AttributeError(
            f"'{kind.__name__}' object has no attribute '{name}', and no plugin offers it",
            name=name,
            obj=receiver,
        )
    return partial(_applied, receiver, operator, wrap)


def check_unhidden(kind: type) -> None:
    """Raise if an operator could never be called because a method has its name.

    Raises:
        PluginError: There is one.
    """
    for name, operator in offered(OPERATORS).items():
        if hasattr(kind, name) and operator.traits.of_tables is (kind.__name__ == "KTable"):
            raise PluginError(
                f"operator {import_path(operator)} has the name of a method of {kind.__name__}",
                detail=f"{kind.__name__}.{name}() would be called instead.",
                hint="Rename the operator.",
            )


def _applied(
    receiver: Any,
    operator: type[StreamOperator],
    wrap: Callable[[Flow], Any],
    *arguments: Any,
    named: Named = ABSENT,
    **keywords: Any,
) -> Any:
    if named is ABSENT and arguments and isinstance(arguments[-1], Named):
        *most, named = arguments
        arguments = tuple(most)
    (chosen,) = sort_options(operator.name, {"named": named}, Named)
    use = operator(*arguments, **keywords)
    expanded = use.expand(receiver)
    if expanded is not None:
        return expanded
    return wrap(_placed(receiver._flow, use, None if chosen is None else chosen.name))


def _placed(flow: Flow, use: StreamOperator, given: str | None) -> Flow:
    traits, names = use.traits, flow.graph.names
    prefix = "KTABLE" if traits.of_tables else "KSTREAM"
    name = names.operator(f"{prefix}-{use.name.upper()}-", given)
    if traits.by_key and flow.repartition_required:
        topic = repartition_node(
            names,
            name,
            key_serde=flow.key_serde,
            value_serde=flow.value_serde,
            named=given is not None,
        )
        flow = flow.then(topic, sources=frozenset({topic.name}), repartition_required=False)
    place = OperatorPlace(name=name, key_serde=flow.key_serde, value_serde=flow.value_serde)
    node = Operation(
        name=name,
        supplier=Supplied(OperatorSupplier(use, place)),
        changes_key=traits.changes_key,
        changes_value=traits.changes_value,
        old_values=OldValues.NEEDED if traits.of_tables else OldValues.UNUSED,
    )
    changes: dict[str, Any] = {}
    if traits.changes_key:
        changes.update(key_serde=None, repartition_required=True)
    if traits.changes_value:
        changes.update(value_serde=None)
    return flow.then(node, **changes)
