"""The table of all public forms: the test that exercises each, or why it is not here.

``python -m compat_tests.api.table RECORD...`` makes it anew from what the plugin `recording` wrote.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from compat_tests.api.absent import reason
from compat_tests.api.generate import groups
from compat_tests.api.names import python_class
from compat_tests.api.surface import Form, forms, kinds

HERE = Path(__file__).parent
FILE = HERE / "table.json"
PAGE = HERE / "TABLE.md"
CALLS = "compat_tests/api/test_calls.py"
CONSTANTS = "compat_tests/api/test_constants.py"
# What only runs on Spark, where no recorder is, and what is called by an object of another class.
BY_HAND = HERE / "by_hand.json"


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of a form: a test and how many there are, or why there is none."""

    test: str | None = None
    tests: int = 0
    absent: str | None = None


@cache
def rows() -> dict[str, Row]:
    """Return the table, by the names of forms."""
    read = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Row(absent=row) if isinstance(row, str) else Row(test=row[1], tests=row[0])
        for name, row in read.items()
    }


@cache
def claims() -> dict[str, frozenset[str]]:
    """Return for each test that the table names the forms that it must call."""
    found: dict[str, set[str]] = defaultdict(set)
    hand = by_hand()
    for name, row in rows().items():
        # The id of these names what they call.
        of_itself = row.test is not None and row.test.startswith((CALLS, CONSTANTS))
        if row.test is not None and not of_itself and name not in hand:
            found[row.test].add(name)
    return {test: frozenset(names) for test, names in found.items()}


def by_hand() -> dict[str, str]:
    return json.loads(BY_HAND.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@cache
def _asked() -> dict[str, int]:
    """The forms that Kafka was asked about, and in how many ways."""
    found: dict[str, int] = defaultdict(int)
    for calls in groups().values():
        for name in calls:
            found[name.partition(" / ")[0].partition(" on ")[0]] += 1
    return found


def by_construction(form: Form) -> str | None:
    """Return the test that calls a form because it is made for it."""
    kind = kinds()[form.owner]
    if form.parameters is None and form.static:
        return f"{CONSTANTS}::test_a_constant_is_kafkas[{form}]"
    if kind.kind == "enum" and form.name in ("values", "valueOf", "name"):
        return f"{CONSTANTS}::test_an_enum_has_kafkas_values[{form.owner}]"
    if form.name in ("equals", "hashCode") and "equality" in groups().get(form.owner, {}):
        return f"{CALLS}::test_values_are_equal_as_in_kafka[{form.owner}]"
    if str(form) in _asked() and python_class(form.owner) is not None:
        return f"{CALLS}::test_a_call_answers_as_in_kafka[callable-{form}]"
    if form.parameters is None and (makers := _makers(form.owner)):
        return f"{CALLS}::test_a_call_answers_as_in_kafka[callable-{makers[0]}]"
    return None


def _makers(owner: str) -> list[str]:
    """Calls whose result is of a class: its fields are looked at there."""
    short = owner.rpartition(".")[2]
    return [
        str(form)
        for form in forms().values()
        if str(form) in _asked()
        and (form.gives in (short, owner) or str(form).startswith(f"{owner}#<"))
    ]


def build(records: list[dict[str, list[str]]]) -> dict[str, Any]:
    """Return the table as JSON; a form without a test is missing in it."""
    seen: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for record in records:
        for test, called in record.items():
            for name in called:
                seen[name].append((_rank(test), len(called), test))
    table: dict[str, Any] = {}
    for name, form in forms().items():
        absent, made = reason(form), by_construction(form)
        if absent is not None:
            table[name] = absent
        elif made is not None:
            table[name] = [max(1, _asked().get(name, 1)) + len(seen[name]), made]
        elif seen[name]:
            table[name] = [len(seen[name]), min(seen[name])[2]]
        elif name in by_hand():
            table[name] = [1, by_hand()[name]]
    return table


def _rank(test: str) -> int:
    """Tests that are made for this table change least, then recorded scenarios."""
    if test.startswith("compat_tests/api/"):
        return 0
    return 1 if test.startswith("compat_tests/conformance/test_on_driver.py") else 2


def page() -> str:
    """Return the table as Markdown."""
    lines = [
        "# Kafka Streams' public API, form by form",
        "",
        "Each way to call a public method or constructor of kafka-streams and",
        "kafka-streams-test-utils 4.3.1 (packages `org.apache.kafka.streams`, without internals),",
        "and each public field: how many recorded calls and tests exercise it, and one of them.",
        "Made by `python -m compat_tests.api.table`; the test beside it keeps it complete.",
        "",
        *_summary(),
    ]
    for kind in kinds().values():
        if kind.forms:
            lines += ["", f"## {kind.name}", "", "| form | tests | one of them, or why none |"]
            lines += ["|---|---|---|", *(_line(form) for form in kind.forms)]
    return "\n".join(lines) + "\n"


def _summary() -> list[str]:
    here = [row for row in rows().values() if row.test is not None]
    methods = [form for form in forms().values() if form.parameters is not None]
    return [
        "| | |",
        "|---|---|",
        f"| classes | {len(kinds())} |",
        f"| forms | {len(forms())} |",
        f"| of them methods and constructors | {len(methods)} |",
        f"| with a test | {len(here)} |",
        f"| not here, with a reason | {len(rows()) - len(here)} |",
    ]


def _line(form: Form) -> str:
    row = rows().get(str(form), Row(absent="MISSING"))
    name = str(form).removeprefix(form.owner).lstrip("#.").replace("<init>", "new ")
    if row.test is None:
        return f"| `{name}` | | not here: {row.absent} |"
    return f"| `{name}` | {row.tests} | `{row.test.removeprefix('compat_tests/')}` |"


def main() -> None:
    records = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
    table = build(records)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in table.items())
    FILE.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    without = [name for name in forms() if name not in table]
    print(f"{len(table)} of {len(forms())}; without a test: {len(without)}")
    print("\n".join(without))


if __name__ == "__main__":
    main()
