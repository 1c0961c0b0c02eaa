"""Operators of plugins as methods of streams and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any, TypeVar

from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.errors import PluginError
from millstream.core.wording import a_kind
from millstream.plugins.kinds import OPERATORS
from millstream.plugins.offers import import_path
from millstream.plugins.operators import (
    NodeInfo,
    NodeOverrides,
    OperatorTraits,
    StreamOperator,
)
from millstream.plugins.registry import offered
from millstream.topology.dsl.arguments import ABSENT, sort_options
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.options import Named
from millstream.topology.dsl.options.named import validate_name
from millstream.topology.graph.nodes import OldValues, PluggedOperation
from millstream.topology.graph.repartition import repartition_node
from millstream.topology.supplied import Supplied

F = TypeVar("F", bound=Callable[..., Any])
Wrap = Callable[[Flow], Any]
_DECLARED = "__declares_operator__"
REMOVED = {
    "branch": "split",
    "flatTransform": "process",
    "flatTransformValues": "processValues",
    "through": "repartition",
    "transform": "process",
    "transformValues": "processValues",
}
"""Methods of streams that Kafka Streams 4.0 took away, and what replaced each."""


@dataclass(frozen=True, slots=True)
class OperatorSupplier:
    """Makes the processors of one node of an operator, and names its stores."""

    operator: StreamOperator
    node: NodeInfo

    def get(self) -> Any:
        """Return a new processor.

        Raises:
            PluginError: It saves a state that would be lost: nobody would ask for it.
        """
        made: Any = self.operator.processor(self.node)
        saves = all(callable(getattr(made, method, None)) for method in ("save", "restore"))
        if saves and not isinstance(made, ChunkProcessor):
            raise PluginError(
                f'save() and restore() of operator "{self.operator.name}" would never be called',
                detail=f"Its processor is {import_path(type(made))}, which is no ChunkProcessor: "
                "what it saves would be lost with its task.",
                hint="Derive it from ChunkProcessor, which need not override process_chunk(), or "
                "keep the state in a store. Name the methods otherwise if they do something else.",
            )
        return made

    def stores(self) -> Any:
        """Return the builders of its stores."""
        return self.operator.stores(self.node)


# What streams alone have, and tables of earlier versions of Kafka had in part.
ON_STREAMS = (
    "flatMap", "flatMapValues", "foreach", "map", "merge", "peek", "print", "process",
    "processValues", "repartition", "selectKey", "split", "to",
)  # fmt: skip


def plugged(receiver: Any, name: str, wrap: Wrap | None = None) -> Callable[..., Any]:
    """Return the operator called ``name`` as a method of a stream or table.

    Args:
        receiver: The stream or table.
        name: What was asked for and is no method of its own.
        wrap: Makes a stream of where it stands; None where operators have to expand.

    Raises:
        AttributeError: No plugin offers it for this kind of receiver.
        PluginError: A plugin offers one under the name of a method that is there.
    """
    kind = type(receiver)
    # Copying and pickling look up such names.
    operator = None if name.startswith("_") else offered(OPERATORS).get(name)
    if operator is None or kind.__name__ not in _receivers(operator.traits):
        raise AttributeError(
            f"'{kind.__name__}' object has no attribute '{name}', and "
            + (_instead(kind, name) if operator is None else _offered_to(kind, name, operator)),
            name=name,
            obj=receiver,
        )
    return partial(_applied, receiver, operator, wrap)


def _instead(kind: type, name: str) -> str:
    """Return that no plugin has it, and what to write: other capitals, or what Kafka has now."""
    same = name.replace("_", "").lower()
    found = next((each for each in dir(kind) if each.lower() == same), REMOVED.get(name))
    instead = "" if found is None or not hasattr(kind, found) else f". Write {found}()"
    asked = found or next((each for each in ON_STREAMS if each.lower() == same), name)
    if kind.__name__ == "KTable" and asked in ON_STREAMS:
        instead = f". Write toStream().{asked}()"
    return f"no plugin offers it{instead}"


def _offered_to(kind: type, name: str, operator: type[StreamOperator]) -> str:
    """Return which streams or tables have the operator that this one does not have."""
    receivers = _receivers(operator.traits)
    above = kind.__name__ == "KTable" and "KStream" in receivers
    instead = f". Write toStream().{name}()" if above else ""
    return f"a plugin offers it to {' and '.join(receivers)} only{instead}"


def declares_operator(method: F) -> F:
    """Mark a method that only calls the operator of its name, for type checkers and ``help``."""
    setattr(method, _DECLARED, True)
    return method


def check_unhidden(kind: type) -> None:
    """Raise if an operator could never be called: a method has its name, or it is no such name.

    Raises:
        PluginError: There is one.
    """
    for name, operator in offered(OPERATORS).items():
        if not name.isidentifier() or name.startswith("_"):
            raise PluginError(
                f'operator {import_path(operator)} cannot be a method called "{name}"',
                hint="Give it a name of letters, digits and underscores that begins with a letter.",
            )
        method = getattr(kind, name, None)
        if method is None or kind.__name__ not in _receivers(operator.traits):
            continue
        if not getattr(method, _DECLARED, False):
            raise PluginError(
                f"operator {import_path(operator)} has the name of a method of {kind.__name__}",
                detail=f"{kind.__name__}.{name}() would be called instead.",
                hint="Rename the operator.",
            )


def _receivers(traits: OperatorTraits) -> tuple[str, ...]:
    if traits.of_windows:
        return "TimeWindowedKStream", "SessionWindowedKStream"
    return ("KTable",) if traits.of_tables else ("KStream",)


def _names_itself(operator: type[StreamOperator]) -> bool:
    own = {field.name for field in fields(operator)} if is_dataclass(operator) else set[str]()
    return "named" in own or operator.overrides is not StreamOperator.overrides


def _applied(
    receiver: Any,
    operator: type[StreamOperator],
    wrap: Wrap | None,
    *arguments: Any,
    **keywords: Any,
) -> Any:
    named: Any = ABSENT
    if not _names_itself(operator):
        named = keywords.pop("named", ABSENT)
        if named is ABSENT and arguments and isinstance(arguments[-1], Named):
            *most, named = arguments
            arguments = tuple(most)
    (chosen,) = sort_options(operator.name, {"named": named}, Named)
    use = operator(*arguments, **keywords)
    expanded = use.expand(receiver)
    if expanded is not None:
        return expanded
    if wrap is None:
        raise PluginError(
            f"operator {import_path(operator)} does not expand",
            detail="An operator of windowed streams has no node of its own.",
            hint="Override expand(upstream).",
        )
    overrides = _overrides(use)
    name = overrides.name if chosen is None else chosen.name
    return wrap(_placed(receiver._flow, use, name, overrides))


def _overrides(use: StreamOperator) -> NodeOverrides:
    """Return what an operator's arguments say of its node, with a name that topics can have.

    Raises:
        PluginError: It has returned something else.
        TopologyException: The name breaks the rules for topics' names.
    """
    found: Any = use.overrides()
    if not isinstance(found, NodeOverrides):
        raise PluginError(
            f'overrides() of operator "{use.name}" returned {a_kind(found)}',
            detail=f"The class is {import_path(type(use))}.",
            hint="Return NodeOverrides(...), without arguments if there is nothing to say.",
        )
    validate_name(f"{use.label}-")
    return found if found.name is None else replace(found, name=validate_name(found.name))


def _placed(flow: Flow, use: StreamOperator, given: str | None, overrides: NodeOverrides) -> Flow:
    traits, names = use.traits, flow.graph.names
    prefix = "KTABLE" if traits.of_tables else "KSTREAM"
    name = names.operator(f"{prefix}-{use.label or use.name.upper()}-", given)
    key_serde = flow.key_serde if overrides.key_serde is None else overrides.key_serde
    value_serde = flow.value_serde if overrides.value_serde is None else overrides.value_serde
    if traits.by_key and flow.repartition_required:
        topic = repartition_node(
            names,
            name,
            key_serde=key_serde,
            value_serde=value_serde,
            drops_null_keys=not traits.keeps_null_keys,
            named=given is not None,
        )
        flow = flow.then(topic, sources=frozenset({topic.name}), repartition_required=False)
    info = NodeInfo(name=name, key_serde=key_serde, value_serde=value_serde)
    node = PluggedOperation(
        name=name,
        supplier=Supplied(OperatorSupplier(use, info)),
        changes_key=traits.changes_key,
        changes_value=traits.changes_value,
        old_values=OldValues.NEEDED if traits.of_tables else OldValues.UNUSED,
        named=given is not None,
    )
    changes: dict[str, Any] = {
        "key_serde": None if traits.changes_key else key_serde,
        "value_serde": None if traits.changes_value else value_serde,
    }
    if traits.changes_key:
        changes.update(repartition_required=True)
    return flow.then(node, **changes)
