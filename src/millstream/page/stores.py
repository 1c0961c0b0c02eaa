"""Stores and suppression buffers as the page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.page.facts import PageFacts
from millstream.page.readings import Readings
from millstream.topology.spark.progress import state_size

_PUTS = ("put-rate", "put-all-rate", "put-if-absent-rate", "delete-rate", "remove-rate")
_GETS = ("get-rate", "fetch-rate", "range-rate", "all-rate")
Row = dict[str, Any]


def store_rows(facts: PageFacts) -> list[Row]:
    """Return every store; rates and hits are known at recording level DEBUG."""
    sizes = _sizes(facts)
    readings = facts.readings if facts.detailed else Readings({})
    found = [(part.id, node) for part in facts.plan.subtopologies for node in part.stores]
    found += [(each.subtopology, each.store) for each in facts.plan.globals]
    return [
        {
            "name": node.name,
            "subtopology": number,
            # Counting the entries would read every store.
            "entries": None,
            "bytes": sizes.get(node.name),
            "puts_per_s": _rate(readings, _PUTS, node.name),
            "gets_per_s": _rate(readings, _GETS, node.name),
            "cache_hit_ratio": _hits(readings, node.name),
        }
        for number, node in found
    ]


def buffer_rows(facts: PageFacts) -> list[Row]:
    """Return the suppression buffers of each task; their sizes are known at level DEBUG."""
    found: dict[tuple[str, str], Row] = {}
    columns = (
        ("records", "suppression-buffer-count-current"),
        ("bytes", "suppression-buffer-size-current"),
    )
    for column, metric in columns:
        for tags, value in facts.readings.all(metric):
            name, task = tags.get("buffer-id", ""), tags.get("task-id", "")
            empty: Row = {"name": name, "task": task, "records": None, "bytes": None}
            row = found.setdefault((name, task), empty)
            row[column] = int(value) if facts.detailed else None
    return [found[key] for key in sorted(found)]


def _sizes(facts: PageFacts) -> dict[str, int]:
    """Return the bytes of stores that are alone in their stage: Spark measures stages."""
    operators = list((facts.last or {}).get("stateOperators") or ())[::-1]
    stages = () if facts.layout is None else facts.layout.stages
    found: dict[str, int] = {}
    if len(operators) != len(stages):
        return found
    parts = {part.id: part for part in facts.plan.subtopologies}
    for stage, operator in zip(stages, operators, strict=True):
        stores = parts[stage.subtopology].stores if stage.subtopology in parts else ()
        if len(stores) == 1 and not stage.has_globals and operator.get("customMetrics"):
            found[stores[0].name] = state_size(operator)
    return found


def _rate(readings: Readings, names: tuple[str, ...], store: str) -> float | None:
    rates = [
        value for name in names for tags, value in readings.all(name) if _store_of(tags) == store
    ]
    return sum(rates) if rates else None


def _hits(readings: Readings, store: str) -> float | None:
    ratios = [value for _, value in readings.all("hit-ratio-avg", record_cache_id=store)]
    return sum(ratios) / len(ratios) if ratios else None


def _store_of(tags: Mapping[str, str]) -> str | None:
    return next((value for tag, value in tags.items() if tag.endswith("-state-id")), None)
