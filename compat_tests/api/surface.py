"""The public API of Kafka Streams 4.3.1 as a list: classes, and each form (overload) of a method.

``python -m compat_tests.api.surface SOURCES.jar...`` makes the list anew from the sources' jars of
kafka-streams and kafka-streams-test-utils; that needs a JDK.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from compat_tests.oracle.runner import run_java

HERE = Path(__file__).parent
FILE = HERE / "surface.json"
HOME = "org.apache.kafka.streams."


@dataclass(frozen=True, slots=True)
class Form:
    """One way to call a method or a constructor, or a public constant or field.

    Attributes:
        owner: The class, without ``org.apache.kafka.streams.``.
        name: The method; ``<init>`` for a constructor.
        parameters: Erased type and name of each parameter; None for a field.
        gives: The erased type of the result, or of the field.
    """

    owner: str
    name: str
    parameters: tuple[tuple[str, str], ...] | None
    gives: str
    static: bool = False
    deprecated: bool = False
    value: Any = None

    def __str__(self) -> str:
        if self.parameters is None:
            return f"{self.owner}.{self.name}"
        types = ", ".join(kind for kind, _ in self.parameters)
        return f"{self.owner}#{self.name}({types})"


@dataclass(frozen=True, slots=True)
class Kind:
    """A public class, interface or enum with its public members."""

    name: str
    kind: str
    parents: tuple[str, ...]
    forms: tuple[Form, ...]
    abstract: bool = False
    deprecated: bool = False


@cache
def kinds() -> dict[str, Kind]:
    """Return all public classes by name, in order of names."""
    listed = json.loads(FILE.read_text(encoding="utf-8"))
    return {name.removeprefix(HOME): _kind(name, facts) for name, facts in listed.items()}


@cache
def forms() -> dict[str, Form]:
    """Return all public forms by name, in order of classes."""
    return {str(form): form for kind in kinds().values() for form in kind.forms}


def _kind(name: str, facts: dict[str, Any]) -> Kind:
    short = name.removeprefix(HOME)
    return Kind(
        name=short,
        kind=facts["kind"],
        parents=tuple(each.removeprefix(HOME) for each in facts["extends"]),
        forms=tuple(
            _form(short, member, deprecated=facts.get("deprecated", False))
            for member in facts["members"]
            if not member.get("protected") and not _cannot_be_made(facts, member)
        ),
        abstract=facts.get("abstract", False),
        deprecated=facts.get("deprecated", False),
    )


def _cannot_be_made(facts: dict[str, Any], member: dict[str, Any]) -> bool:
    return member["name"] == "<init>" and bool(facts.get("abstract"))


def _form(owner: str, member: dict[str, Any], *, deprecated: bool) -> Form:
    field = "field" in member
    return Form(
        owner=owner,
        name=member["name"],
        parameters=None if field else tuple((kind, name) for kind, name in member["parameters"]),
        gives=member.get("field") or member.get("returns", ""),
        static=member.get("static", False),
        deprecated=deprecated or member.get("deprecated", False),
        value=member.get("value"),
    )


def _lines(listed: dict[str, Any]) -> Iterator[str]:
    """The list as JSON, with a line for each member."""
    yield "{"
    for index, (name, facts) in enumerate(listed.items()):
        members = facts.pop("members")
        head = json.dumps(facts)[:-1]
        yield f"{json.dumps(name)}: {head}, " + '"members": ['
        yield ",\n".join(json.dumps(member) for member in members)
        yield "]}" + ("," if index < len(listed) - 1 else "")
    yield "}"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for jar in sys.argv[1:]:
            ZipFile(jar).extractall(Path(scratch, "sources"))
        found = Path(scratch, "surface.json")
        status = run_java(HERE / "java" / "surface", str(found), str(Path(scratch, "sources")))
        if status == 0:
            listed = json.loads(found.read_text(encoding="utf-8"))
            text = "\n".join(line for line in _lines(listed) if line)
            FILE.write_text(text + "\n", encoding="utf-8")
    raise SystemExit(status)


if __name__ == "__main__":
    main()
