"""Moments and lengths of time that Java gives in units."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

UNITS = {
    "MILLIS": "ofMillis", "SECONDS": "ofSeconds", "MINUTES": "ofMinutes", "HOURS": "ofHours",
    "DAYS": "ofDays",
}  # fmt: skip
TO_UNITS = [f"?.to{unit}" for unit in ("Millis", "Seconds", "Minutes", "Hours", "Days")]


def _length(nodes: list[Node], context: Context) -> str:
    """Return a duration that is given as a number and a unit.

    Raises:
        UntranslatedError: Its unit is a variable, or one without a fixed length.
    """
    unit = text(nodes[1]).rpartition(".")[2]
    if unit not in UNITS:
        raise UntranslatedError(nodes[1], "a unit of time that Duration does not have")
    context.use("millstream", "Duration")
    return f"Duration.{UNITS[unit]}({context.express(nodes[0])})"


def _has_unit(nodes: list[Node], context: Context) -> bool:
    if len(nodes) != 2:
        return False
    written = text(nodes[1])
    return written.startswith("ChronoUnit.") or (
        written in UNITS and context.local(written) is None
    )


def moved(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``moment.plus(5, ChronoUnit.MINUTES)`` with a duration."""
    if not _has_unit(nodes, context):
        return None
    held = tightened(context.express(receiver))
    return f"{held}.{text(node.child_by_field_name('name'))}({_length(nodes, context)})"


SHIFTS = [
    f"{way}{unit}"
    for way in ("plus", "minus")
    for unit in ("Days", "Hours", "Minutes", "Seconds", "Millis")
]


def shifted(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``duration.plusMinutes(5)``; moments have these methods, as far as Java's have."""
    if kind(receiver, context) != "Duration" and not text(receiver).startswith("Duration."):
        return None
    method = text(node.child_by_field_name("name"))
    way = "plus" if method.startswith("plus") else "minus"
    context.use("millstream", "Duration")
    length = f"Duration.of{method.removeprefix(way)}({context.express(nodes[0])})"
    return f"{tightened(context.express(receiver))}.{way}({length})"


def of_unit(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``Duration.of(5, ChronoUnit.MINUTES)``."""
    return _length(nodes, context) if len(nodes) == 2 else None


def of_time_unit(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``TimeUnit.SECONDS.toMillis(30)``."""
    unit = text(receiver).removeprefix("TimeUnit.").replace("MILLISECONDS", "MILLIS")
    if len(nodes) != 1 or unit not in UNITS or context.local(unit) is not None:
        return None
    context.use("millstream", "Duration")
    method = text(node.child_by_field_name("name"))
    return f"Duration.{UNITS[unit]}({context.express(nodes[0])}).{method}()"


def of_date(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return the time of a ``new Date()``, which is now."""
    made = receiver
    while made.type == "parenthesized_expression":
        made = inner(made)[0]
    if made.type != "object_creation_expression" or nodes or kind(made, context) != "Date":
        return None
    given = inner(made.child_by_field_name("arguments"))
    if given:
        return context.express(given[0]) if len(given) == 1 else None
    context.use("millstream", "Instant")
    return "Instant.now().toEpochMilli()"
