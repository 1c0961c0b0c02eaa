"""Java's Optional, which is the value or None in Python."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting.context import Context
from millstream.porting.drafting.generics import NamedType
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, line, text

MAP_PRESENT = '''
def map_present(value, function):
    """Return what a function makes of a value; None of None."""
    return None if value is None else function(value)
'''
KEEP_PRESENT = '''
def keep_present(value, test):
    """Return a value that a test is true of; else None."""
    return value if value is not None and test(value) else None
'''
OR_ELSE = '''
def or_else(value, other):
    """Return a value, or another one for None."""
    return other if value is None else value
'''
OR_MADE = '''
def or_made(value, function):
    """Return a value, or what a function makes for None."""
    return function() if value is None else value
'''
HELPERS = {
    "map_present": MAP_PRESENT, "keep_present": KEEP_PRESENT, "or_else": OR_ELSE,
    "or_made": OR_MADE,
}  # fmt: skip
# By method and number of arguments: the function that stands in a draft for it.
BY_HELPERS = {
    ("map", 1): "map_present", ("flatMap", 1): "map_present", ("filter", 1): "keep_present",
    ("ifPresent", 1): "map_present", ("orElse", 1): "or_else", ("orElseGet", 1): "or_made",
    ("or", 1): "or_made", ("orElseThrow", 0): "required",
}  # fmt: skip
# What gives an Optional again.
CHAINED = ("map", "flatMap", "filter", "or")
MADE = {("of", 1): "{0}", ("ofNullable", 1): "{0}", ("empty", 0): "None"}
ASKED = {
    ("isPresent", 0): "{o} is not None", ("isEmpty", 0): "{o} is None", ("get", 0): "{o}",
    ("orElse", 1): "{o} if {o} is not None else {0}",
}  # fmt: skip


def is_optional(node: Node, context: Context) -> bool:
    """Tell whether an expression is an Optional: declared so, or what Kafka returns."""
    if kind(node, context) == "Optional":
        return True
    if node.type != "method_invocation":
        return False
    name, held = text(node.child_by_field_name("name")), text(node.child_by_field_name("object"))
    if name in CHAINED and (inside := node.child_by_field_name("object")) is not None:
        return is_optional(inside, context)
    return name == "recordMetadata" or (
        held == "Optional" and name in ("of", "ofNullable", "empty")
    )


def _asked_at_most(node: Node) -> bool:
    """Tell whether what is made is only asked for its value, if anything is called on it."""
    parent = node.parent
    if parent is None or parent.child_by_field_name("object") != node:
        return True
    count = len(inner(parent.child_by_field_name("arguments")))
    asked = text(parent.child_by_field_name("name")), count
    return asked in ASKED or asked in BY_HELPERS


def _content(node: Node, context: Context) -> str:
    """Return the type of the value of an Optional, as far as it is known."""
    known = kind(node, context)
    if isinstance(known, NamedType) and known.inside:
        return known.inside[0]
    held = node.child_by_field_name("object")
    if text(held) == "Optional":
        given = inner(node.child_by_field_name("arguments"))
        return kind(given[0], context) if given else ""
    name = text(node.child_by_field_name("name"))
    return _content(held, context) if held is not None and name in ("filter", "or") else ""


def call(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a call of an Optional; None if it is none, or has no counterpart."""
    nodes = inner(node.child_by_field_name("arguments"))
    key = (method, len(nodes))
    if text(receiver) == "Optional" and context.local("Optional") is None:
        pattern = MADE.get(key) if _asked_at_most(node) else None
        return None if pattern is None else pattern.format(*(context.express(n) for n in nodes))
    if (key not in ASKED and key not in BY_HELPERS) or not is_optional(receiver, context):
        return None
    held = tightened(context.express(receiver))
    pattern = ASKED.get(key, "")
    if pattern.count("{o}") == 1 or (pattern and re.fullmatch(r"[\w.]+", held)):
        return pattern.format(*(tightened(context.express(n)) for n in nodes), o=held)
    for each in nodes:
        taken = each.child_by_field_name("parameters")
        if each.type == "lambda_expression" and taken is not None and taken.type == "identifier":
            at = line(each), text(taken)
            context.parameters[at] = context.parameters.get(at) or _content(receiver, context)
    helper = BY_HELPERS[key]
    context.helpers.add(helper)
    return f"{helper}({', '.join([held, *map(context.express, nodes)])})"
