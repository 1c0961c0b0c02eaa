"""The look of a draft: parentheses where they are needed, long chains with a call in each line."""

from __future__ import annotations

from collections.abc import Iterator

# Stands before each call of a chain until it is known whether the chain fits into one line.
MARK = "\x01"
WIDTH = 96
OPPOSITE = {"==": "!=", "!=": "==", "in": "not in", "is": "is not"}


def outside(made: str) -> Iterator[tuple[int, str]]:
    """Yield the characters of an expression that are in no bracket and in no text."""
    depth, quote, skip = 0, "", False
    for index, sign in enumerate(made):
        if skip:
            skip = False
        elif quote:
            skip = sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif depth == 0:
            yield index, sign


def is_loose(made: str) -> bool:
    """Tell whether an expression needs parentheses before a dot or an operator."""
    return any(sign == " " for _, sign in outside(made)) or made.startswith("-")


def tightened(made: str) -> str:
    """Return an expression in parentheses where it needs them."""
    return f"({made})" if is_loose(made) else made


def negated(made: str) -> str:
    """Return the opposite of a condition."""
    spaces = [index for index, sign in outside(made) if sign == " "]
    if len(spaces) == 2:
        left, operator, right = (
            made[: spaces[0]],
            made[spaces[0] + 1 : spaces[1]],
            made[spaces[1] :],
        )
        if operator in OPPOSITE:
            return f"{left} {OPPOSITE[operator]}{right}"
    if len(spaces) == 1 and made.startswith("not "):
        return made.removeprefix("not ")
    return f"not ({made})" if spaces else f"not {made}"


def laid_out(row: str) -> list[str]:
    """Return a line, or a chain of calls that does not fit into one as several lines."""
    if MARK not in row:
        return [row]
    plain = row.replace(MARK, "")
    marks = [index for index, sign in outside(row) if sign == MARK]
    if len(marks) < 2 or plain.endswith(":") or (len(plain) <= WIDTH and len(marks) < 4):
        return [plain]
    begin = _begin(row, marks[0])
    head, first = row[:begin], row[begin : marks[1]]
    rest = [row[at:until] for at, until in zip(marks[1:], [*marks[2:], len(row)], strict=True)]
    pieces = [piece.replace(MARK, "").strip() for piece in (first, *rest)]
    return [f"{head}(".lstrip(), *(f"    {piece}" for piece in pieces), ")"]


def _begin(row: str, mark: int) -> int:
    """Return where the chain begins: after what is assigned, or after ``return``."""
    before = [index for index, sign in outside(row) if sign == " " and index < mark]
    return before[-1] + 1 if before else 0
