"""Packages that an installation of millstream has, found by the metadata of what is installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement

from tools.releasing.errors import Refused

FOR_WORK = frozenset({"dev", "docs", "release", "test"})
"""Extras for work on millstream itself."""


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package: its name as package indexes write it, version, needs and metadata."""

    name: str
    version: str
    needs: tuple[str, ...]
    """Names of the packages that it needs here, sorted."""
    expression: str | None
    """``License-Expression`` of the metadata."""
    text: str | None
    """``License`` of the metadata: a name, or the licence itself."""
    classifiers: tuple[str, ...]
    """Classifiers of licences, without what they begin with."""


def normal(name: str) -> str:
    """Return a package's name as package indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(
    name: str = "millstream",
    *,
    extras: Iterable[str] = (),
    path: Sequence[str] | None = None,
    markers: Mapping[str, str] | None = None,
) -> dict[str, Package]:
    """Return a package and all that it needs, by name.

    Args:
        name: The package to begin with.
        extras: Its extras.
        path: Where packages are installed; by default, where this Python looks for them.
        markers: Values for the conditions of requirements, such as ``python_version``, where they
            are not those of this Python.

    Raises:
        Refused: A package that is needed is not installed.
    """
    there = {normal(each.name): each for each in _distributions(path)}
    asked: dict[str, set[str]] = {}
    needs: dict[str, set[str]] = {}
    waiting: list[tuple[str, frozenset[str]]] = [(normal(name), frozenset({"", *extras}))]
    while waiting:
        at, wanted = waiting.pop()
        new = wanted - asked.setdefault(at, set())
        if not new:
            continue
        asked[at] |= new
        if at not in there:
            raise Refused(f"{at} is needed, and is not installed; install millstream anew")
        found = list(_needed(there[at], new, markers or {}))
        needs.setdefault(at, set()).update(each.name for each in found)
        waiting += [(normal(each.name), frozenset({"", *each.extras})) for each in found]
    return {at: _package(there[at], needs[at]) for at in sorted(asked)}


def user_extras() -> list[str]:
    """Return the extras of millstream that are for its users, sorted."""
    given = distribution("millstream").metadata.get_all("Provides-Extra") or ()
    return sorted(set(given) - FOR_WORK)


def _distributions(path: Sequence[str] | None) -> Iterable[Distribution]:
    return Distribution.discover() if path is None else Distribution.discover(path=list(path))


def _needed(
    package: Distribution, extras: Iterable[str], markers: Mapping[str, str]
) -> Iterator[Requirement]:
    for line in package.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({**markers, "extra": each}) for each in extras):
            yield requirement


def _package(found: Distribution, needs: Iterable[str]) -> Package:
    metadata = found.metadata
    classifiers = metadata.get_all("Classifier") or ()

    def said(key: str) -> str | None:
        # An index of a key that is not there raises from some version of Python on.
        return str(metadata[key]) if key in metadata else None

    return Package(
        name=normal(found.name),
        version=found.version,
        needs=tuple(sorted({normal(each) for each in needs})),
        expression=said("License-Expression"),
        text=said("License"),
        classifiers=tuple(
            each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")
        ),
    )
