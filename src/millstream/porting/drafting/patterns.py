"""Patterns of Python's expressions, filled with arguments that hold together."""

from __future__ import annotations

from string import Formatter

from millstream.porting.drafting.layout import tightened


def placed(pattern: str, given: list[str]) -> list[str]:
    """Return arguments with parentheses where a pattern has an operator or a dot beside them."""
    parts = [(before, field) for before, field, _, _ in Formatter().parse(pattern)]
    following = [before for before, _ in parts[1:]] + [""]
    bound = {
        field
        for (before, field), after in zip(parts, following, strict=True)
        if field is not None and not (_opens(before) and _closes(after))
    }
    return [tightened(each) if str(at) in bound else each for at, each in enumerate(given)]


def _opens(before: str) -> bool:
    assigned = before.endswith(" = ")
    return not before or assigned or before.rstrip()[-1:] in ("(", "[", "{", ",", ":")


def _closes(after: str) -> bool:
    return after[:1] in ("", ")", "]", "}", ",", ":")
