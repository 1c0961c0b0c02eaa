"""Constructors that only set fields or call another one: what they take, and values by default."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import arithmetic, words
from millstream.porting.drafting.context import (
    ClassShape,
    Context,
    UntranslatedError,
    indented,
    with_code,
)
from millstream.porting.drafting.members import members
from millstream.porting.reading.nodes import first, inner, of_kind, text, walk


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


def of(body: Node | None) -> tuple[Node | None, list[Node]]:
    """Return the constructor with most parameters, if any has one, and all, the longest first."""
    made = [each for each in members(body) if each.type == "constructor_declaration"]
    made.sort(key=lambda each: -len(_parameters(each)))
    return (made[0] if made and _parameters(made[0]) else None), made


def is_empty(constructor: Node) -> bool:
    """Tell whether a constructor takes nothing and does nothing."""
    return not _parameters(constructor) and not inner(constructor.child_by_field_name("body"))


def only_sets(constructor: Node, fields: set[str]) -> bool:
    """Tell whether a constructor only gives fields values, or calls another one."""
    given, own = _given(constructor, []), {*_parameters(constructor)}
    if given is None or not given.keys() <= fields:
        return False
    return all(text(each) in own or is_free(each, own | fields) for each in given.values())


def stands_alone(node: Node, shape: ClassShape) -> bool:
    """Tell whether the first values of fields need no object: a dataclass has none yet."""
    fields = {*shape.fields} - shape.static_fields
    for each in of_kind(node.child_by_field_name("body"), "field_declaration"):
        for part in of_kind(each, "variable_declarator"):
            value = part.child_by_field_name("value")
            if value is not None and not is_free(value, fields | shape.methods):
                return False
    return True


def is_free(value: Node, names: set[str]) -> bool:
    """Tell whether a value names none of these, and is no function and no class."""
    for each in walk(value):
        if each.type in ("lambda_expression", "class_body", "this", "method_reference"):
            return False
        if each.type != "identifier" or text(each) not in names:
            continue
        around = each.parent
        # A field or a method of another object may have the name.
        own = around is None or around.type not in ("field_access", "method_invocation")
        if own or around is None or around.child_by_field_name("object") in (None, each):
            return False
    return True


def set_by(full: Node) -> list[str]:
    """Return the fields that a constructor sets, in the order of its parameters."""
    given = _given(full, []) or {}
    fields = {text(value): java for java, value in given.items()}
    return [fields.get(name, "") for name in _parameters(full)]


def implied(
    made: list[Node], order: list[str], own: list[str], shape: ClassShape, context: Context
) -> tuple[dict[str, tuple[str, Node]], list[tuple[Node, list[str]]]]:
    """Return what fields have where a constructor is not given them.

    Args:
        made: The constructors, the one with most parameters first.
        order: The fields in the order in which that one takes them.
        own: All fields.
        shape: The class.
        context: The draft.

    Returns:
        The values by their fields, and the constructors that are not like this: others have other
        values, or they take the fields in another order. With the fields that these take.
    """
    found: dict[str, tuple[str, Node]] = {}
    seen: dict[str, str] = {}
    others: list[tuple[Node, list[str]]] = []
    for each in made[::-1]:  # what is read gets what the one without parameters gives
        given, names = _given(each, order), _parameters(each)
        by_name = {text(value): java for java, value in (given or {}).items()}
        fields = [by_name.get(name, "") for name in names]
        values = None if given is None else _values(given, {*names}, shape, context)
        if values is None:
            others.append((each, fields))
            continue
        rest = [java for java in own if java not in fields]
        now = {java: values[java][0] if java in values else "" for java in rest}
        same = all(seen.get(java, value) == value for java, value in now.items())
        if fields != order[: len(fields)] or not same:
            others.append((each, fields))
            continue
        seen |= now
        found |= values
    return found, others


def _values(
    given: dict[str, Node], names: set[str], shape: ClassShape, context: Context
) -> dict[str, tuple[str, Node]] | None:
    """Return the values that a constructor gives besides its parameters; None if they need more."""
    found: dict[str, tuple[str, Node]] = {}
    for java, value in given.items():
        if text(value) in names:
            continue
        if not is_free(value, names | set(shape.fields) - shape.static_fields | shape.methods):
            return None
        try:
            made = context.express(value)
        except UntranslatedError:
            return None
        found[java] = arithmetic.as_declared(made, value, shape.fields[java], context), value
    return found


def _given(constructor: Node, order: list[str]) -> dict[str, Node] | None:
    """Return what a constructor gives to fields; None if it does anything else.

    Args:
        constructor: It may call the one with most parameters.
        order: The fields in the order in which that one takes them.
    """
    found: dict[str, Node] = {}
    if first(constructor.child_by_field_name("parameters"), "spread_parameter") is not None:
        return None
    for each in inner(constructor.child_by_field_name("body")):
        if each.type == "explicit_constructor_invocation":
            nodes = inner(each.child_by_field_name("arguments"))
            of_base = text(each.child_by_field_name("constructor")) == "super"
            if (of_base and nodes) or (order and not of_base and len(nodes) != len(order)):
                return None
            found.update(zip(order, nodes, strict=False))
            continue
        inside = inner(each)[0] if inner(each) else each
        right, target = inside.child_by_field_name("right"), inside.child_by_field_name("left")
        plain = text(inside.child_by_field_name("operator")) == "="
        if inside.type != "assignment_expression" or right is None or not plain:
            return None
        found[text(target).removeprefix("this.")] = right
    return found
