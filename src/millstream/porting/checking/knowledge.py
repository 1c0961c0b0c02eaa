"""Judgements of the API: same here, different or missing, by a data file, then by reflection."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import EnumMeta
from functools import cache
from typing import Any

from millstream.porting.checking import api
from millstream.porting.checking.counterparts import has_member, python_class, python_name
from millstream.porting.checking.verdicts import Judgement, Status

SAME = Judgement(Status.SAME)
PYTHON = "docs/compatibility.md#different-in-python"
MISSING = "docs/compatibility.md#missing"


@dataclass(frozen=True, slots=True)
class Advice:
    """What is said of a kind of obstacle, wherever it is found."""

    text: str
    link: str
    minutes: float


@cache
def _file() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((api.HERE / "differences.json").read_text(encoding="utf-8"))
    return loaded


@cache
def differences() -> dict[str, Judgement]:
    """Return what is known to differ or to be missing, by full name.

    A name is a class, ``Class#method``, ``Class#method/arguments``, ``Class.CONSTANT`` or
    ``package.*``.
    """
    return {
        _full(entry["what"]): Judgement(
            Status(entry["status"]), entry["how"], entry["link"], entry["minutes"]
        )
        for entry in _file()["entries"]
    }


@cache
def advice() -> dict[str, Advice]:
    """Return what is said of each kind of obstacle."""
    return {kind: Advice(**facts) for kind, facts in _file()["notices"].items()}


def _full(name: str) -> str:
    return name if name.startswith(api.KAFKA) else api.STREAMS + name


def of_type(name: str) -> Judgement:
    """Judge a class by its full Java name."""
    known = differences()
    outer = name
    if not name.startswith(api.STREAMS) and python_class(name) is not None:
        return SAME
    while outer.rpartition(".")[2][:1].isupper():
        if outer in known and (outer == name or known[outer].status is Status.MISSING):
            return known[outer]
        outer = outer.rpartition(".")[0]
    if python_class(name) is not None:
        return SAME
    package = name
    while "." in package:
        package = package.rpartition(".")[0]
        if f"{package}.*" in known:
            return known[f"{package}.*"]
        if package in known:
            return known[package]
    if name in api.classes():
        return Judgement(Status.MISSING, "not here", MISSING, 20)
    return Judgement(Status.MISSING, "neither in Kafka Streams 4.3 nor here", MISSING, 20)


def of_member(owner: str, name: str, count: int | None = None) -> Judgement:
    """Judge a method, a constructor (``<init>``), a constant or a field.

    Args:
        owner: The full name of the Java class.
        name: The member.
        count: How many arguments a call has; None if it is no call.
    """
    holder = api.declaring(owner, name) or owner
    known = differences()
    for place in dict.fromkeys((owner, holder)):
        for key in (f"{place}#{name}/{count}", f"{place}#{name}", f"{place}.{name}"):
            if key in known:
                return known[key]
    kind = of_type(owner)
    if kind.status is Status.MISSING or python_class(owner) is None:
        return kind
    return _by_reflection(owner, holder, name, count, kind)


def _by_reflection(
    owner: str, holder: str, name: str, count: int | None, kind: Judgement
) -> Judgement:
    own, here = python_class(owner), python_name(name)
    if isinstance(own, EnumMeta) and name in ("values", "valueOf", "name", "ordinal"):
        return Judgement(
            Status.DIFFERS, "a Python enum: list(Kind), Kind[text], value.name", PYTHON, 1
        )
    if name == "<init>":
        return kind
    if has_member(own, here):
        if here != name and name not in api.OBJECT:
            return Judgement(Status.DIFFERS, f"is called {here} here", PYTHON)
        if kind.status is Status.SAME and owner in api.classes() and not _declared(holder, name):
            return Judgement(
                Status.DIFFERS, "gone from Kafka Streams 4; here it works and warns", PYTHON, 2
            )
        return SAME
    if _declared(holder, name) or count is None:
        return Judgement(Status.MISSING, f"{own.__name__} has no {name} here", MISSING, 10)
    return Judgement(
        Status.MISSING, f"no method of {own.__name__} in Kafka Streams 4.3, nor here", MISSING, 10
    )


def _declared(holder: str, name: str) -> bool:
    facts = api.classes().get(holder)
    if facts is None:
        return True
    # What comes from Java's own interfaces (an iterator's) is not in the list.
    foreign = any(not api.is_kafka(parent) for parent in api.ancestors(holder))
    return name in facts["methods"] or name in facts["fields"] or foreign
