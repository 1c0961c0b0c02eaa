"""Constructors that only call another one: values that it takes by default."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.reading.nodes import inner, of_kind, text


def defaults(other: Node, full: Node, context: Context) -> dict[str, str] | None:
    """Return what a constructor gives the full one by ``this(...)``, besides what it is given.

    Returns:
        Parameters of the full constructor and their values; None if it does anything else, or
        gives its own parameters in another order.
    """
    statements = inner(other.child_by_field_name("body"))
    if len(statements) != 1 or statements[0].type != "explicit_constructor_invocation":
        return None
    if text(statements[0].child_by_field_name("constructor")) != "this":
        return None
    own, wanted = _parameters(other), _parameters(full)
    given = inner(statements[0].child_by_field_name("arguments"))
    if len(given) != len(wanted) or [text(each) for each in given[: len(own)]] != own:
        return None
    found: dict[str, str] = {}
    for java, value in zip(wanted[len(own) :], given[len(own) :], strict=True):
        if not value.type.endswith("_literal") and value.type not in ("true", "false"):
            return None  # it may be an object, which calls must not share
        try:
            found[words.name(java)] = context.express(value)
        except UntranslatedError:
            return None
    return found


def fit(names: list[str], values: dict[str, str]) -> bool:
    """Tell whether parameters with these values by default stand behind those without."""
    having = [name in values for name in names]
    return having == sorted(having)


def _parameters(node: Node) -> list[str]:
    declared = of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    return [text(each.child_by_field_name("name")) for each in declared]
