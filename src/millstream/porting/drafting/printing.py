"""Formats and lines of text that are printed."""

from __future__ import annotations

import re

from tree_sitter import Node

from millstream.porting.drafting import formats, texts
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import text

FIXED = '''
def fixed(value, digits):
    """Round for a text as Java does: the number as it is written, halves away from zero."""
    if value is None:
        return "null"[:digits]
    return f"{Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
'''


def formatted(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``String.format(...)``, or ``"%d of %s".formatted(...)``.

    Raises:
        UntranslatedError: It is given a locale that may write numbers otherwise.
    """
    own = text(node.child_by_field_name("name")) == "formatted"
    if own and kind(receiver, context) not in ("", "String"):
        return None
    pattern, *values = [receiver, *nodes] if own else formats.without_locale(node, nodes, context)
    if len(values) == 1 and kind(values[0], context).endswith("[]"):
        return formats.written(context.express(pattern), [], context)[:-1] + (
            f", *{tightened(context.express(values[0]))})"
        )
    mark = context.mark()
    try:
        if pattern.type == "string_literal":
            return _of_python(context.express(pattern), values, context)
    except UntranslatedError:
        context.back(mark)
    return formats.written(context.express(pattern), values, context)


def _of_python(written: str, values: list[Node], context: Context) -> str:
    """Return a format of Python.

    Raises:
        UntranslatedError: It has signs that Python's do not have, or is given too little.
    """
    written = written.replace("%n", "\\n")
    kinds = re.findall(r"%(?!%)[-+ 0#]*\d*(?:\.\d+)?(\w)", written.replace("%%", ""))
    if re.search(r"%[^%\d.\-+sdfcbeE0]|%,|%\d*\$", written.replace("%%", "")):
        raise UntranslatedError
    if len(kinds) > len(values):
        raise UntranslatedError
    for sign, each in zip(kinds, values, strict=False):
        if sign not in "sbf" and (text(each) in context.nullable or texts.may_be_null(each)):
            raise UntranslatedError
    given = [
        texts.shown(each, context.express(each), context)
        if kinds[at : at + 1] in (["s"], ["b"])
        else context.express(each)
        for at, each in enumerate(values[: len(kinds)])
    ]
    if not given:
        return written.replace("%%", "%")
    written, given = _rounded(written.replace("%b", "%s"), given, context)
    return f"{written} % ({', '.join(given)}{',' if len(given) == 1 else ''})"


def println(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``System.out.println(...)``, or of the errors."""
    made = ", ".join(texts.shown(each, context.express(each), context) for each in nodes)
    if text(receiver).endswith("err"):
        context.use("sys")
        return f"print({made}, file=sys.stderr)" if made else "print(file=sys.stderr)"
    return f"print({made})"


def printf(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``System.out.printf(...)``."""
    made = formatted(node, receiver, nodes, context)
    return None if made is None else f'print({made}, end="")'


def _rounded(written: str, given: list[str], context: Context) -> tuple[str, list[str]]:
    """Return a format and its arguments with decimals rounded as Java does.

    Raises:
        UntranslatedError: A number of decimals has signs of its own, or not all have arguments.
    """
    made = list(given)
    count = -1

    def replaced(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] == "%%":
            return found[0]
        count += 1
        if found[4] != "f":
            return found[0]
        if found[1].strip("-") or count >= len(made):
            raise UntranslatedError
        context.helpers.add("fixed")
        context.use("decimal", "Decimal")
        context.use("decimal", "ROUND_HALF_UP")
        made[count] = f"fixed({made[count]}, {found[3] or 6})"
        return f"%{found[1]}{found[2]}s"

    return re.sub(r"%%|%([-+ 0#]*)(\d*)(?:\.(\d+))?([a-zA-Z])", replaced, written), made


def logger(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str:
    """Return a logger, named after the module."""
    context.use("logging")
    return "logging.getLogger(__name__)"


def log(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return a line that a logger writes."""
    if kind(receiver, context) not in ("Logger", "Log"):
        return None
    if not nodes:
        raise UntranslatedError(node)
    level = {"warn": "warning", "trace": "debug"}.get(
        method := text(node.child_by_field_name("name")), method
    )
    given = [context.express(each) for each in nodes]
    if len(nodes) > 1:  # without arguments, Python formats nothing
        given[0] = given[0].replace("%", "%%").replace("{}", "%s")
    if nodes and nodes[0].type == "string_literal" and len(nodes) == text(nodes[0]).count("{}") + 2:
        given[-1] = f"exc_info={given[-1]}"
    return f"{context.express(receiver)}.{level}({', '.join(given)})"
