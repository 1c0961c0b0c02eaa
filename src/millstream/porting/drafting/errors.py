"""Errors that Java throws and catches, as Python raises and catches them."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context
from millstream.porting.drafting.kinds import kind, simple
from millstream.porting.drafting.names import bases, class_reference
from millstream.porting.reading.nodes import inner, text

ERRORS = ("Exception", "Error", "Throwable")
# What programs call an error that they catch.
NAMES = ("e", "ex", "exc", "err", "t", "th", "thrown")
# What Java raises, and Python raises in its place.
UNCHECKED = [
    "RuntimeError", "ValueError", "TypeError", "LookupError", "ArithmeticError", "AttributeError",
]  # fmt: skip
CAUGHT = {
    "RuntimeException": ["Exception"], "IllegalArgumentException": ["ValueError"],
    "NullPointerException": ["TypeError", "AttributeError"],
    "NoSuchElementException": ["LookupError", "StopIteration"],
}  # fmt: skip


def caught(java: str, node: Node, context: Context) -> list[str]:
    """Return what Python raises where Java raises an error, which the program catches."""
    if java in context.shapes:
        return [class_reference(java, context)]
    if java == "IllegalArgumentException" and ".valueOf(" in text(node.parent):
        return ["ValueError", "KeyError"]  # no constant of an enum has the name
    later = node.next_named_sibling
    if java == "RuntimeException" and later is not None and later.type == "catch_clause":
        context.use("millstream", "KafkaException")
        return [*UNCHECKED, "KafkaException"]  # what it does not catch is another clause's
    return CAUGHT.get(java) or [class_reference(java, context)]


def with_cause(nodes: list[Node], given: list[str], context: Context) -> list[str]:
    """Return how an error of the program is made by its base with a cause; [] if without one.

    Args:
        nodes: What Java's base is given.
        given: The same in Python.
    """
    base = context.around[-1].base if context.around else ""
    cause = kind(nodes[-1], context) if nodes and len(nodes) <= 2 else ""
    of_java = base.endswith(ERRORS) and context.known(base) is None
    if not of_java or not cause.endswith(ERRORS):
        return []
    message = given[0] if len(nodes) == 2 else f"str({given[0]})"
    return [f"super().__init__({message})", f"self.__cause__ = {given[-1]}"]


def thrown(node: Node, context: Context) -> str:
    """Return what is raised, with the error that caused it behind ``from``."""
    nodes = inner(node.child_by_field_name("arguments"))
    cause = nodes[-1] if nodes and node.type == "object_creation_expression" else None
    held = kind(cause, context)
    if cause is None or not held.endswith(ERRORS) or len(nodes) > 2:
        return f"raise {context.express(node)}"
    made = class_reference(simple(node.child_by_field_name("type")), context)
    error, first_ = context.express(cause), context.express(nodes[0])
    if simple(node.child_by_field_name("type")) in (*context.shapes, *context.near):
        return f"raise {context.express(node)}"
    return f"raise {made}({first_ if len(nodes) == 2 else f'str({error})'}) from {error}"


def is_error(node: Node, context: Context) -> bool:
    """Tell whether an expression is an error: by its type or, where that is not known, its name."""
    held = kind(node, context)
    if held:
        shape = context.known(held)
        line = [] if shape is None else [shape, *bases(shape, context)]
        return (line[-1].base if line else held).endswith(ERRORS)
    if node.type == "method_invocation":
        name = text(node.child_by_field_name("name"))
        return name == "getCause" or name.endswith(ERRORS)
    last = text(node).rpartition(".")[2]
    return last in NAMES or last.lower().endswith(("exception", "error", "cause", "throwable"))
