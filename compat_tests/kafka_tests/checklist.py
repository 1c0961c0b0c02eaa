"""Reader of the lists of Kafka's tests, and the check that what they refer to exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import filter as filter_names
from functools import cache
from pathlib import Path

from compat_tests import ROOT

TESTS = ROOT / "compat_tests"
LISTS = Path(__file__).parent / "lists"
SCENARIOS = TESTS / "oracle" / "scenarios"

KINDS = {
    "shown": "a test or recorded scenario here shows the same promise",
    "internal": "of a part of Kafka Streams that no program sees and that is not here",
    "differs": "Spark or Python makes it otherwise; `docs/compatibility.md` says how",
    "absent": "of an API that is not here; `docs/compatibility.md` says so",
}
_ENTRY = re.compile(r"^(\w+|\* \((\d+)\)) = (.+)$")
_REASON = re.compile(r"^(internal|differs|absent): (.{10,})$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One test method of Kafka's, or all the others of its class."""

    kafka_class: str
    method: str
    """Name of the method; ``*`` for all methods of the class that have no entry of their own."""
    count: int
    kind: str
    """A key of ``KINDS``."""
    references: tuple[str, ...]
    """Tests and scenarios that show it; empty unless ``kind`` is ``shown``."""
    place: str
    """File and line of the entry."""


def lists() -> list[Path]:
    """Return the files of the checklist, one for each group of Kafka's packages."""
    return sorted(LISTS.glob("*.txt"))


def read(path: Path) -> Iterator[Entry]:
    """Yield the entries of one list.

    Raises:
        ValueError: A line is no class, entry or comment.
    """
    kafka_class = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.name}:{number}"
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            kafka_class = line.strip("[]")
            continue
        found = _ENTRY.match(line)
        if found is None or not kafka_class:
            raise ValueError(f"{place}: no class, entry or comment: {line}")
        name, many, verdict = found.groups()
        reason = _REASON.match(verdict)
        yield Entry(
            kafka_class=kafka_class,
            method="*" if many else name,
            count=int(many or 1),
            kind=reason[1] if reason else "shown",
            references=() if reason else tuple(verdict.split(", ")),
            place=place,
        )


def exists(reference: str) -> bool:
    """Tell whether ``path.py::test_name`` below compat_tests, or a scenario's path, is there.

    Both may be patterns with ``*``.
    """
    path, is_test, name = reference.partition("::")
    if is_test:
        return bool(filter_names(_tests_of(path), name))
    return any(SCENARIOS.glob(f"{reference}.json"))


@cache
def _tests_of(path: str) -> frozenset[str]:
    file = TESTS / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))
