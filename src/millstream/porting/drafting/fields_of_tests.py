"""Fields of a class of tests: each test has new ones, as JUnit makes an object for each."""

from __future__ import annotations

import re

from millstream.porting.drafting.context import indented

SETUP = "def setup_method(self):"
# What cannot be changed may belong to the class; pytest makes no objects of one with a constructor.
_PLAIN = re.compile(r'self\.(\w+ = (?:None|True|False|-?[\d.]+|"[^"\\]*"))')


def split(rows: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines for the class itself, and those that run before each test.

    Args:
        rows: The body of a constructor that sets the fields.
    """
    plain: list[str] = []
    setup: list[str] = []
    for row in (each.removeprefix("    ") for each in rows):
        found = _PLAIN.fullmatch(row)
        if found:
            plain.append(found[1])
        elif row != "pass":
            setup.append(row)
    return plain, setup


def with_setup(rows: list[str], setup: list[str]) -> list[str]:
    """Return the lines of a class of tests; ``setup`` comes before what is done there already."""
    if not setup:
        return rows
    if SETUP in rows:
        place = rows.index(SETUP) + 1
        return [*rows[:place], *indented(setup), *rows[place:]]
    first = next((at for at, row in enumerate(rows) if row.startswith(("def ", "@"))), len(rows))
    before = rows[:first]
    while before and not before[-1]:
        before.pop()
    return [*before, "", SETUP, *indented(setup), "", *rows[first:]]
