"""Numbers as Java computes and converts them."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.generics import STORES
from millstream.porting.drafting.kinds import CHARS, FLOATS, MAPS, WHOLE, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

QUOTIENT = '''
def quotient(a, b):
    """Divide as Java does: whole numbers towards zero."""
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
'''
REMAINDER = '''
def remainder(a, b):
    """Return what a division leaves as Java does: with the sign of the first number."""
    if isinstance(a, float) or isinstance(b, float):
        return math.fmod(a, b)
    return abs(a) % abs(b) * (-1 if a < 0 else 1)
'''
PARSE_INT = r'''
def parse_int(text, radix=10, bits=32):
    """Read a whole number as Java does: no blanks, no underscores, and within its bits."""
    if isinstance(text, (int, float)):
        return int(text)
    number = None
    if text is not None and re.fullmatch(r"[+-]?[^\W_]+", text):
        with contextlib.suppress(ValueError):
            number = int(text, radix)
    if number is None or not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ValueError(f'For input string: "{text}"')
    return number
'''
PARSE_DOUBLE = r'''
def parse_double(text):
    """Read a number as Java does: no underscores, and the only words are NaN and Infinity."""
    if isinstance(text, (int, float)):
        return float(text)
    digits = r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    found = re.fullmatch(rf"\s*([+-]?(NaN|Infinity|{digits}))[dDfF]?\s*", text, re.ASCII)
    if not found:
        raise ValueError(f'For input string: "{text}"')
    return float(found[1])
'''
READS = [
    *(f"{each}.valueOf" for each in ("Integer", "Long", "Short", "Double", "Float")),
    "Integer.parseInt", "Long.parseLong", "Short.parseShort", "Double.parseDouble",
    "Float.parseFloat",
]  # fmt: skip
PRIMITIVE = ("int", "long", "short", "double", "float", "boolean")
# What is never below zero.
COUNTS = (
    "length", "size", "count", "ordinal", "timestamp", "currentTimeMillis", "toEpochMilli",
    "nextInt",
)  # fmt: skip


def not_negative(node: Node) -> bool:
    """Tell whether a whole number cannot be below zero."""
    match node.type:
        case "decimal_integer_literal":
            return True
        case "parenthesized_expression":
            return not_negative(inner(node)[0])
        case "method_invocation":
            return text(node.child_by_field_name("name")) in COUNTS
        case "field_access":
            return text(node.child_by_field_name("field")) == "length"
        case "binary_expression":
            sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
            known = all(side is not None and not_negative(side) for side in sides)
            return known and text(node.child_by_field_name("operator")) in ("+", "*", "/", "%")
    return False


def _compared_with_zero(node: Node | None) -> bool:
    """Tell whether only this matters of a number: whether it is 0."""
    parent = None if node is None else node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    if parent is None or text(parent.child_by_field_name("operator")) not in ("==", "!="):
        return False
    sides = (parent.child_by_field_name("left"), parent.child_by_field_name("right"))
    return "0" in map(text, sides)


def divided(left: Node, right: Node, operator: str, context: Context) -> str | None:
    """Return a division that Python would do otherwise; None if it does the same.

    Args:
        operator: ``/`` or ``%``.
    """
    kinds = [kind(side, context) for side in (left, right)]
    if operator == "/" and any(each in FLOATS for each in kinds):
        return None
    if all(each in WHOLE for each in kinds) and not_negative(left) and not_negative(right):
        return None
    if operator == "%" and _compared_with_zero(left.parent):
        return None
    helper = "quotient" if operator == "/" else "remainder"
    context.helpers.add(helper)
    if helper == "remainder":
        context.use("math")
    return f"{helper}({context.express(left)}, {context.express(right)})"


def parsed(held: str, context: Context) -> str:
    """Return the function that reads a number of a class of Java from a text."""
    context.use("re")
    if held in ("Double", "Float"):
        context.helpers.add("parse_double")
        return "parse_double"
    context.use("contextlib")
    context.helpers.add("parse_int")
    return "parse_int"


def read(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``Integer.parseInt(text)`` and its like; of a number, the number."""
    held, given = text(receiver), [context.express(each) for each in nodes]
    if not given or (len(given) == 1 and kind(nodes[0], context) in (*WHOLE, *FLOATS)):
        return None
    bits = {"Long": "bits=64", "Short": "bits=16"}.get(held)
    return f"{parsed(held, context)}({', '.join([*given, bits] if bits else given)})"


def as_declared(made: str, value: Node, wanted: str, context: Context) -> str:
    """Return a value for a variable of a type: Java makes a whole number a double, a sign a number.

    It raises where a map or a store has no value for a variable that cannot be null.
    """
    if wanted in PRIMITIVE and value.type == "method_invocation" and _may_be_null(value, context):
        context.helpers.add("required")
        made = f"required({made})"
    if wanted in ("int", "long", *FLOATS) and kind(value, context) in CHARS:
        return f"float(ord({made}))" if wanted in FLOATS else f"ord({made})"
    if wanted not in FLOATS or kind(value, context) not in WHOLE:
        return made
    return f"{made}.0" if re.fullmatch(r"-?\d+", made) else f"float({made})"


def common(nodes: list[Node], context: Context) -> str:
    """Return "double" where Java makes one of them all: of whole numbers beside decimals."""
    kinds = {kind(each, context) for each in nodes}
    return "double" if kinds & {*FLOATS} and kinds & {*WHOLE} else ""


def extreme(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``Math.max(a, b)`` or ``Math.min(a, b)``."""
    wanted, way = common(nodes, context), text(node.child_by_field_name("name"))
    given = [as_declared(context.express(each), each, wanted, context) for each in nodes]
    return f"{way}({', '.join(given)})"


def _may_be_null(value: Node, context: Context) -> bool:
    """Tell whether a call asks a map or a store for a value that it need not have."""
    of = kind(value.child_by_field_name("object"), context)
    asked = text(value.child_by_field_name("name")) in ("get", "remove", "fetch")
    return asked and of in (*MAPS, *STORES, "ReadOnlyWindowStore", "WindowStore")


def cut(left: Node, right: Node, operator: str, context: Context) -> str:
    """Return what ``n *= 1.5`` gives a whole number or a sign: Java cuts it; "" if as it is."""
    held, given = kind(left, context), kind(right, context)
    if held in CHARS and given in (*WHOLE, *CHARS):
        other = f"ord({context.express(right)})" if given in CHARS else context.express(right)
        return f"chr(ord({context.express(left)}) {operator} ({other}))"
    if held not in WHOLE or given not in FLOATS:
        return ""
    return f"int({context.express(left)} {operator} ({context.express(right)}))"


def cast(node: Node, value: Node, wanted: str, context: Context) -> str:
    """Return a value cast to a number or a sign.

    Raises:
        UntranslatedError: It may be cut to a few bits.
    """
    now, made = kind(value, context), context.express(value)
    if wanted == "char" and now != "char":
        if now not in WHOLE:
            raise UntranslatedError(node)
        return f"chr({made})"
    if wanted == "byte" and now not in ("byte", "Byte"):
        if not re.fullmatch(r"-?\d+", made) or not -128 <= int(made) < 128:
            raise UntranslatedError(node, "a number that is cut to 8 bits")
        return made
    if wanted in ("int", "long", "short") and now in CHARS:
        return f"ord({made})"
    if wanted in ("int", "long", "short") and now not in WHOLE:
        return f"int({made})"
    if wanted in ("double", "float") and now not in FLOATS:
        return f"float({f'ord({made})' if now in CHARS else made})"
    return tightened(made)


def of_sign(node: Node, other: Node, operator: str, context: Context) -> str | None:
    """Return the number of a char that Java computes with; None if it is no such char."""
    if kind(node, context) not in CHARS:
        return None
    compares = operator in ("==", "!=", "<", ">", "<=", ">=")
    if compares and kind(other, context) not in WHOLE:
        return None
    return None if operator in ("&&", "||") else f"ord({context.express(node)})"


def refuse_sign(node: Node, context: Context) -> None:
    """Refuse to read one byte, which has a sign in Java."""
    around = node.parent
    written = around is not None and around.type == "assignment_expression"
    if around is not None and written and around.child_by_field_name("left") == node:
        return
    if kind(node.child_by_field_name("array"), context) == "byte[]":
        raise UntranslatedError(node, "a byte of Java has a sign")
