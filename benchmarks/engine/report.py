"""Report of the benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.engine.measure import Timing
from benchmarks.engine.workloads import WORKLOADS

Timings = Mapping[str, Sequence[Timing]]


def summary(
    records: int, batch: int, workloads: Timings, floors: Timings, driver_ms: float | None
) -> dict[str, Any]:
    """Return the medians in the shape that ``--json`` prints."""
    return {
        "records": records,
        "batch": batch,
        "floors": {name: _medians(timings) for name, timings in floors.items()},
        "workloads": {
            name: _medians(timings)
            | {"floor": WORKLOADS[name].floor, "ratio": _ratio(name, timings, floors)}
            for name, timings in workloads.items()
        },
        "driver_ms": None if driver_ms is None else round(driver_ms, 3),
    }


def print_summary(found: dict[str, Any], *, as_json: bool) -> None:
    """Print a summary as one line of JSON, or as a table."""
    if as_json:
        print(json.dumps(found))
        return
    print(f"{'':32}{'records/s':>12}{'per CPU s':>12}{'outputs':>10}  ratio to floor")
    for name, row in found["floors"].items():
        print(f"{'floor: ' + name:32}{_rates(row)}")
    for name, row in found["workloads"].items():
        print(f"{name:32}{_rates(row)}  {row['ratio']:.2f} {row['floor']}")
    if found["driver_ms"] is not None:
        print(f"TopologyTestDriver, a word count of 10 records: {found['driver_ms']:.2f} ms")


def _rates(row: dict[str, Any]) -> str:
    return f"{row['rps']:>12,}{row['cpu_rps']:>12,}{row['outputs']:>10,}"


def _medians(timings: Sequence[Timing]) -> dict[str, Any]:
    return {
        "rps": round(median(timing.rate for timing in timings)),
        "cpu_rps": round(median(timing.cpu_rate for timing in timings)),
        "outputs": timings[0].outputs,
    }


def _ratio(name: str, timings: Sequence[Timing], floors: Timings) -> float:
    pairs = zip(timings, floors[WORKLOADS[name].floor], strict=True)
    return round(median(ours.cpu_rate / floor.cpu_rate for ours, floor in pairs), 3)
