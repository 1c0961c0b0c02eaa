"""Command for the checklist of Kafka's tests: counts, or the classes and methods of a jar.

python -m compat_tests.kafka_tests                  # the table of docs/kafka-tests.md
python -m compat_tests.kafka_tests compare JAR ...  # what the lists lack of test-sources jars
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator

from compat_tests.kafka_tests.checklist import KINDS, Entry, lists, read

_TEST = re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest)\b(?:.|\n)*?\bvoid\s+(\w+)\s*\(")


def table() -> str:
    """Return the counts by list and kind, as a Markdown table."""
    rows = [f"| list | methods | {' | '.join(KINDS)} |", "|---|" + "---|" * (len(KINDS) + 1)]
    total: Counter[str] = Counter()
    for path in lists():
        counts = _counted(read(path))
        total += counts
        rows.append(_row(path.stem, counts))
    return "\n".join([*rows, _row("**all**", total)])


def methods(jar: str) -> Iterator[tuple[str, str]]:
    """Yield class and method of every test in a test-sources jar."""
    with zipfile.ZipFile(jar) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".java"):
                text = archive.read(name).decode()
                for found in dict.fromkeys(_TEST.findall(text)):
                    yield name.removesuffix(".java").replace("/", "."), found


def compare(jars: Iterable[str]) -> list[str]:
    """Return a line for each method that no list has, and each class whose ``*`` counts wrong."""
    listed: dict[str, dict[str, int]] = {}
    for path in lists():
        for entry in read(path):
            listed.setdefault(entry.kafka_class, {})[entry.method] = entry.count
    left: dict[str, list[str]] = {}
    for jar in jars:
        for kafka_class, method in methods(jar):
            left.setdefault(kafka_class, [])
            if method not in listed.get(kafka_class, {}):
                left[kafka_class].append(method)
    wrong = []
    for kafka_class, names in left.items():
        rest = listed.get(kafka_class, {}).get("*", 0)
        if rest != len(names):
            wrong.append(f"{kafka_class}: * has {rest}, is {len(names)}: {' '.join(names)}")
    return wrong


def _counted(entries: Iterable[Entry]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for entry in entries:
        counts[entry.kind] += entry.count
    return counts


def _row(name: str, counts: Counter[str]) -> str:
    cells = " | ".join(f"{counts[kind]:,}" for kind in KINDS)
    return f"| {name} | {counts.total():,} | {cells} |"


if __name__ == "__main__":
    if sys.argv[1:2] == ["compare"]:
        found = compare(sys.argv[2:])
        print("\n".join(found) or "the lists have every method")
        sys.exit(bool(found))
    print(table())
