"""docs/licences.md, from the metadata of what is installed and from licences.toml.

``python -m tools.releasing.page`` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from millstream.jars.lock import LockedJar, lock_names, read_lock
from tools.releasing.closure import closure, user_extras
from tools.releasing.licences import Licences, read_licences

PAGE = Path(__file__).parents[2] / "docs" / "licences.md"
_TOP = Path(__file__).with_name("licences_top.md")
_NAMES = {
    "spark": "Spark's connector for Kafka: every application on Spark",
    "kafka": "The embedded broker: `millstream broker`, tests",
    "registry": "The embedded schema registry: `millstream broker --registry`, tests",
    "streams": "Kafka Streams itself: millstream's own tests and benchmarks compare with it",
}


def page(licences: Licences) -> str:
    """Return the page's text."""
    allowed = ", ".join(sorted(licences.allowed))
    top = _TOP.read_text(encoding="utf-8").replace("{allowed}", allowed)
    parts = [top, "## Python packages\n\n", _packages(licences)]
    parts.append("\n## Jars\n\nThey are fetched once and checked ([command](command.md)).\n")
    for name in sorted(lock_names(), key=list(_NAMES).index):
        parts += [f"\n**{_NAMES[name]}** (`millstream jars {name}`)\n\n", _jars(name, licences)]
    return "".join(parts)


def _packages(licences: Licences) -> str:
    rows = {
        name: (licence, "some versions of Python") for name, licence in licences.sometimes.items()
    }
    for extra in user_extras():
        for name, each in closure(extras=[extra]).items():
            if name not in rows:
                rows[name] = licences.of_package(each), f"extra `{extra}`"
    for name, each in closure().items():
        if name not in licences.sometimes:
            rows[name] = licences.of_package(each), ""
    del rows["millstream"]
    return _table("package", [f"| {name} | {a} | {b} |" for name, (a, b) in sorted(rows.items())])


def _jars(lock: str, licences: Licences) -> str:
    return _table("jar", [_row(jar, licences) for jar in _in_order(read_lock(lock))])


def _row(jar: LockedJar, licences: Licences) -> str:
    found = licences.of_jar(jar)
    return f"| {jar.group}:{jar.artifact} | {found.licence} | {'add it' if found.bare else ''} |"


def _in_order(jars: Iterable[LockedJar]) -> list[LockedJar]:
    return sorted(jars, key=lambda jar: jar.coordinate)


def _table(first: str, rows: list[str]) -> str:
    return "\n".join([f"| {first} | licence | |", "|---|---|---|", *rows]) + "\n"


def main() -> int:
    """Write the page."""
    licences = read_licences()
    jars = (jar for name in lock_names() for jar in read_lock(name))
    licences.check(closure(extras=user_extras()).values(), jars)
    PAGE.write_text(page(licences), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
