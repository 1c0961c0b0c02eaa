"""Java's streams over collections as comprehensions of Python."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError
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
            return _made(node, method, source, list(reversed(steps)), context)
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
        return made[0] if len(made) == 1 else f"[{', '.join(made)}]"
    return None


def _made(node: Node, method: str, source: str, steps: list[Node], context: Context) -> str:
    value, tests, loops = "each", [], source
    for step in steps:
        name = text(step.child_by_field_name("name"))
        given = inner(step.child_by_field_name("arguments"))
        if name == "filter":
            tests.append(_applied(given[0], value, context))
        elif name == "distinct":
            raise UntranslatedError(node)
        elif given:
            made = _applied(given[0], value, context)
            if tests or value != "each":
                # What follows is about the new value: a comprehension of a comprehension.
                loops, tests, value = f"[{made} for each in {loops}{_where(tests)}]", [], "each"
            else:
                value = made
    return _ended(node, method, f"{value} for each in {loops}{_where(tests)}", value, context)


def _where(tests: list[str]) -> str:
    return f" if {' and '.join(tests)}" if tests else ""


def _ended(node: Node, method: str, body: str, value: str, context: Context) -> str:
    given = inner(node.child_by_field_name("arguments"))
    if method in ("anyMatch", "allMatch", "noneMatch"):
        loops = body.removeprefix(f"{value} for each in ")
        test = _applied(given[0], value, context)
        found = f"{'all' if method == 'allMatch' else 'any'}({test} for each in {loops})"
        return f"not {found}" if method == "noneMatch" else found
    if method == "count":
        return f"sum(1 for each in {body.removeprefix(f'{value} for each in ')})"
    if method == "sum":
        return f"sum({body})"
    collector = text(given[0]).removeprefix("Collectors.") if given else "toList()"
    if collector.startswith("toList") or method == "toArray":
        return f"[{body}]"
    if collector.startswith("toSet"):
        return "{" + body + "}"
    if collector.startswith("joining"):
        between = inner(given[0].child_by_field_name("arguments"))
        with_ = context.express(between[0]) if between else '""'
        return f"{with_}.join({body})"
    raise UntranslatedError(node)


def _applied(function: Node, value: str, context: Context) -> str:
    """Return a function of one value, applied to it."""
    body = function.child_by_field_name("body")
    declared = function.child_by_field_name("parameters")
    if function.type == "lambda_expression" and body is not None and declared is not None:
        if body.type == "block":
            raise UntranslatedError(function)
        names = [declared] if declared.type == "identifier" else inner(declared)
        with context.scope():
            java = text(names[0].child_by_field_name("name") or names[0])
            context.declare(java, "")
            made = context.express(body)
        if value == "each":
            return _renamed(made, words.name(java))
        raise UntranslatedError(function)
    made = context.express(function)
    if made.startswith("lambda it: "):
        return re.sub(r"\bit\b", value, made.removeprefix("lambda it: "))
    if made.startswith("str."):
        return f"{value}.{made.removeprefix('str.')}()"
    return f"{made}({value})"


def _renamed(made: str, name: str) -> str:
    return re.sub(rf"(?<![\w.\"']){re.escape(name)}\b(?=[^\"']*(?:[\"'][^\"']*[\"'][^\"']*)*$)",
                  "each", made)  # fmt: skip
