"""Java's streams over collections as comprehensions of Python."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.generics import element
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

STEPS = ("map", "filter", "mapToInt", "mapToLong", "mapToDouble", "boxed", "mapToObj", "distinct")
ENDS = ("collect", "toList", "count", "sum", "anyMatch", "allMatch", "noneMatch", "toArray")


def comprehension(node: Node, context: Context) -> str | None:
    """Return ``x.stream().map(f).collect(...)`` as a comprehension; None if it is none."""
    method = text(node.child_by_field_name("name"))
    if method not in ENDS:
        return None
    steps: list[Node] = []
    held = node.child_by_field_name("object")
    while held is not None and held.type == "method_invocation":
        name = text(held.child_by_field_name("name"))
        source = _source(held, name, context)
        if source is not None:
            known = element(kind(held.child_by_field_name("object"), context))
            return _made(node, method, (source, known), list(reversed(steps)), context)
        if name not in STEPS:
            return None
        steps.append(held)
        held = held.child_by_field_name("object")
    return None


def _source(node: Node, name: str, context: Context) -> str | None:
    held, given = node.child_by_field_name("object"), inner(node.child_by_field_name("arguments"))
    if held is None:
        return None
    if name == "stream" and not given:
        return context.express(held)
    if text(held) in ("Arrays", "Stream") and name in ("stream", "of"):
        made = [context.express(each) for each in given]
        whole = name == "stream" or (len(made) == 1 and kind(given[0], context).endswith("[]"))
        return made[0] if whole and len(made) == 1 else f"[{', '.join(made)}]"
    return None


def _item(context: Context) -> str:
    """Return a variable that nothing around has: streams may stand within streams."""
    taken, number, name = set(context.items.values()), 1, "each"
    while name in taken or context.local(name) is not None:
        number += 1
        name = f"each_{number}"
    return name


def _made(node: Node, method: str, of: tuple[str, str], steps: list[Node], context: Context) -> str:
    item, source = _item(context), of[0]
    value, loops, held = item, source, of[1] or ("Entry" if source.endswith(".items()") else "")
    tests: list[str] = []
    for step in steps:
        name = text(step.child_by_field_name("name"))
        given = inner(step.child_by_field_name("arguments"))
        if name == "distinct":
            raise UntranslatedError(node)
        if not given:
            continue
        if value != item:
            # What follows is about the new value: a comprehension of a comprehension.
            loops, tests, value = f"[{value} for {item} in {loops}{_where(tests)}]", [], item
        made = _applied(given[0], item, held, context)
        if name == "filter":
            tests.append(made)
        else:
            value, held = f"float({made})" if name == "mapToDouble" else made, ""
    if value != item and method in ("anyMatch", "allMatch", "noneMatch"):
        loops, tests, value = f"[{value} for {item} in {loops}{_where(tests)}]", [], item
    return _ended(node, method, value, (item, held), f"{loops}{_where(tests)}", context)


def _where(tests: list[str]) -> str:
    return f" if {' and '.join(tests)}" if tests else ""


def _ended(
    node: Node, method: str, value: str, item: tuple[str, str], loops: str, context: Context
) -> str:
    given = inner(node.child_by_field_name("arguments"))
    body = f"{value} for {item[0]} in {loops}"
    if method in ("anyMatch", "allMatch", "noneMatch"):
        test = _applied(given[0], *item, context)
        found = f"{'all' if method == 'allMatch' else 'any'}({test} for {item[0]} in {loops})"
        return f"not {found}" if method == "noneMatch" else found
    if method == "count":
        return f"sum(1 for {item[0]} in {loops})"
    if method == "sum":
        return f"sum(({body}), 0.0)" if value.startswith("float(") else f"sum({body})"
    collector = text(given[0]).removeprefix("Collectors.") if given else "toList()"
    if collector.startswith("toList") or method == "toArray":
        return f"[{body}]"
    if collector.startswith("toSet"):
        return "{" + body + "}"
    between = inner(given[0].child_by_field_name("arguments")) if given else []
    if collector.startswith("joining") and len(between) < 2:
        with_ = context.express(between[0]) if between else '""'
        return f"{with_}.join({body})"
    raise UntranslatedError(node)


def _applied(function: Node, item: str, held: str, context: Context) -> str:
    """Return a function of one value, applied to a variable of the type that is known."""
    body = function.child_by_field_name("body")
    declared = function.child_by_field_name("parameters")
    if function.type == "lambda_expression" and body is not None and declared is not None:
        if body.type == "block":
            raise UntranslatedError(function)
        names = [declared] if declared.type == "identifier" else inner(declared)
        java = text(names[0].child_by_field_name("name") or names[0])
        before = context.items
        try:
            context.items = {**before, java: item}
            with context.scope():
                context.declare(java, held)
                made = context.express(body)
        finally:
            context.items = before
        return tightened(made) if body.type in ("ternary_expression", "lambda_expression") else made
    if held == "Entry" and text(function).startswith(("Map.Entry::get", "Entry::get")):
        return f"{item}[{0 if text(function).endswith('Key') else 1}]"
    made = context.express(function)
    if made.startswith("lambda it: "):
        return re.sub(r"\bit\b", item, made.removeprefix("lambda it: "))
    if made.startswith("str."):
        return f"{item}.{made.removeprefix('str.')}()"
    return f"{tightened(made)}({item})"
