"""Null and booleans in texts, and regular expressions, as Java has them."""

from __future__ import annotations

import json
import re

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import TEXTS, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

BOOLEANS = ("boolean", "Boolean")
CLASSES_OF_SIGNS = re.compile(r"\\[wWdDsSbB]")
TEXT_OF = '''
def text_of(value):
    """Write a value as Java does: null, true, false."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
'''


def shown(node: Node, made: str, context: Context) -> str:
    """Return what stands in a text for a value: booleans and null as Java writes them."""
    null = node.type == "identifier" and text(node) in context.nullable
    if not null and kind(node, context) not in BOOLEANS:
        return made
    context.helpers.add("text_of")
    return f"text_of({made})"


def built(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a text that a new StringBuilder is given in parts, within one expression."""
    parts: list[Node] = []
    held: Node | None = receiver
    while held is not None and held.type == "method_invocation" and _name(held) == "append":
        given = inner(held.child_by_field_name("arguments"))
        if len(given) != 1:
            return None
        parts.insert(0, given[0])
        held = held.child_by_field_name("object")
    if held is None or held.type != "object_creation_expression" or not parts:
        return None
    if text(held.child_by_field_name("type")) not in ("StringBuilder", "StringBuffer"):
        return None
    parts = [*inner(held.child_by_field_name("arguments"))[:1], *parts]
    return " + ".join(_as_text(each, context) for each in parts)


def _as_text(node: Node, context: Context) -> str:
    made = context.express(node)
    if kind(node, context) in TEXTS or node.type == "string_literal":
        return tightened(made)
    written = shown(node, made, context)
    return written if written != made else f"str({made})"


def _name(node: Node) -> str:
    return text(node.child_by_field_name("name"))


def pattern(made: str) -> str:
    """Return a regular expression, as a raw text where that reads better."""
    made = re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", made)
    doubled = "\\\\" in made and not re.search(r"(?<!\\)\\(?:\\\\)*[^\\]", made)
    return "r" + made.replace("\\\\", "\\") if doubled else made


def flags(made: str) -> str:
    """Return the flags that make a pattern mean what it does in Java: signs of ASCII only."""
    plain = made.startswith(('"', 'r"')) and not CLASSES_OF_SIGNS.search(made)
    return "" if plain else ", flags=re.ASCII"


def replacement(node: Node, context: Context) -> str:
    """Return what replaces a match: groups are written otherwise in Python."""
    made = context.express(node)
    if node.type != "string_literal" or text(node).startswith('"""'):
        return made
    if "\\" not in made and "$" not in made:
        return made
    try:
        value = json.loads(words.string(node))
    except ValueError as error:
        raise UntranslatedError(node) from error
    parts = re.findall(r"\\.|\$\{\w+\}|\$\d|[^\\$]+", value, re.DOTALL)
    if "".join(parts) != value:
        raise UntranslatedError(node)
    return json.dumps("".join(_part(each) for each in parts), ensure_ascii=False)


def _part(part: str) -> str:
    if part.startswith("$"):
        return f"\\g<{part.strip('${}')}>"
    return part[1:].replace("\\", "\\\\") if part.startswith("\\") else part
