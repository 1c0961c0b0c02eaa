"""Java's instanceof in Python, and the tests of a switch over types."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.errors import CAUGHT
from millstream.porting.drafting.kinds import WHOLE, simple
from millstream.porting.drafting.layout import tightened
from millstream.porting.drafting.names import class_reference
from millstream.porting.reading.nodes import text


def express(node: Node, context: Context) -> str:
    """Return ``x instanceof Y``, also with a variable for it.

    Raises:
        UntranslatedError: Python cannot tell the class from another one that is asked for.
    """
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or right.type.startswith("record"):
        raise UntranslatedError(node)
    held, wanted = context.express(left), simple(right)
    if wanted in WHOLE and _asks_for_others(node, left, wanted):
        raise UntranslatedError(node, "Python has one class of whole numbers")
    made = test(held, wanted, context)
    bound = node.child_by_field_name("name")
    if bound is None:
        return made
    new = context.declare(text(bound), simple(right))
    return f"{made} and (({new} := {context.express(left)}) is not None)"


def test(held: str, wanted: str, context: Context) -> str:
    """Return the test whether a value is of a class of Java's, or of the program."""
    kinds = words.OF_OBJECTS.get(wanted) or words.TYPES.get(wanted)
    if wanted in WHOLE:
        return f"type({held}) is int"  # True and False are an int, too
    if wanted == "Object":
        return f"{tightened(held)} is not None"
    if context.known(wanted) is None and wanted in CAUGHT:
        return f"isinstance({held}, ({', '.join(CAUGHT[wanted])},))"
    if wanted == "UUID":
        context.use("uuid")
        return f"isinstance({held}, uuid.UUID)"
    if wanted == "BigDecimal":
        context.use("decimal", "Decimal")
    made = f"isinstance({held}, {kinds or class_reference(wanted, context)})"
    return f"{made} and type({held}) is not bool" if wanted == "Number" else made


def _asks_for_others(node: Node, left: Node, wanted: str) -> bool:
    """Tell whether a method asks of the same value whether it is of another whole type."""
    around: Node | None = node
    while around is not None and around.type not in ("method_declaration", "lambda_expression"):
        around = around.parent
    asked = re.findall(rf"\b{re.escape(text(left))}\s+instanceof\s+(\w+)", text(around))
    return bool({each for each in asked if each in WHOLE} - {wanted})
