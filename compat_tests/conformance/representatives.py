"""Which scenarios stand for all where only some can be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from compat_tests.conformance.corpus import read_scenario

_VARIANTS = ("how", "emit", "until", "full", "extractor", "ts", "agg", "storeType", "kind", "type")
"""Arguments of which every value counts as an operator of its own."""


def representatives(files: Sequence[Path], share: int = 3) -> list[Path]:
    """One file of `share` in each folder, and what it takes to have every operator once.

    The choice depends on the names of the files and on what is in them, on nothing else.
    """
    chosen = [
        file
        for _, folder in groupby(sorted(files), key=lambda file: file.parent)
        for file in list(folder)[::share]
    ]
    covered = {trait for file in chosen for trait in traits(read_scenario(file))}
    for file in sorted(set(files) - set(chosen)):
        new = traits(read_scenario(file)) - covered
        if new:
            chosen.append(file)
            covered |= new
    return sorted(chosen)


def traits(scenario: dict[str, Any]) -> set[str]:
    """What a scenario has of operators, their variants, processors and stores."""
    found = set()
    for step in scenario["topology"]:
        found.add(step["op"])
        found |= {f"{step['op']} {text}" for text in _variants(step)}
    return found | {f"config {name}" for name in scenario.get("config", {})}


def _variants(part: Any) -> Iterator[str]:
    if not isinstance(part, dict):
        return
    for name, value in part.items():
        if name in _VARIANTS or name in ("processor", "transformer"):
            yield f"{name} {value[0] if isinstance(value, list) else value}"
        elif name in ("window", "windows", "materialized", "store"):
            yield name
            yield from _variants(value)
        elif name == "supplierStores":
            for each in value:
                yield from _variants(each)
