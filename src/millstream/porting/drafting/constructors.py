"""Constructors that only call another one: values that it takes by default."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import (
    ClassShape,
    Context,
    UntranslatedError,
    indented,
    with_code,
)
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


def fit(names: list[str], before: dict[str, str], more: dict[str, str]) -> bool:
    """Tell whether parameters can have more values by default: the same ones, and behind others."""
    if any(before.get(name, value) != value for name, value in more.items()):
        return False
    having = [name in {**before, **more} for name in names]
    return having == sorted(having)


def with_defaults(rows: list[str], values: dict[str, str]) -> bool:
    """Give fields of a record values by default; tell whether they are its last fields."""
    at = [index for index, row in enumerate(rows) if row.partition(":")[0] in values]
    if len(at) != len(values) or any(" = " in rows[index] for index in at):
        return False
    fields = [index for index, row in enumerate(rows) if row[:1].isidentifier() and ": " in row]
    if fields[len(fields) - len(at) :] != at:
        return False
    for index in at:
        rows[index] += f" = {values[rows[index].partition(':')[0]]}"
    return True


def compact(node: Node, shape: ClassShape, context: Context) -> list[str]:
    """Return a record's constructor without parameters, which may change the fields' values."""
    body = node.child_by_field_name("body")
    if body is None:
        return []
    used = set(re.findall(r"\w+", text(body)))
    names = [java for java in shape.fields if java not in shape.static_fields and java in used]
    set_ = set(re.findall(r"\b(\w+)\s*=(?!=)", text(body)))
    before, context.static = context.static, False
    with context.function():
        given = [
            f"{context.declare(java, shape.fields[java])} = self.{words.method_name(java)}"
            for java in names
        ]
        rows = context.state(body)
    context.static = before
    kept = [
        f'object.__setattr__(self, "{words.method_name(java)}", {words.name(java)})'
        for java in names
        if java in set_
    ]
    return ["def __post_init__(self):", *indented(with_code([*given, *rows, *kept]))]


def _parameters(node: Node) -> list[str]:
    declared = of_kind(node.child_by_field_name("parameters"), "formal_parameter")
    return [text(each.child_by_field_name("name")) for each in declared]
