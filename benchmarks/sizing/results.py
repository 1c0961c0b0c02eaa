"""The file that keeps what was measured, so that each part can be run alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.sizing.batches import Point
from benchmarks.sizing.check import Drained
from benchmarks.sizing.state import Held
from benchmarks.vs_kafka_streams.errors import BenchmarkError


@dataclass(slots=True)
class Results:
    """What was measured so far."""

    points: list[Point] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    drains: list[Drained] = field(default_factory=list)

    def sorted_points(self) -> Sequence[Point]:
        """Return the points by their number of partitions."""
        return sorted(self.points, key=lambda each: each.partitions)

    def line(self) -> str:
        """Return everything as one line of JSON."""
        return json.dumps(asdict(self))


def read_results(file: Path) -> Results:
    """Return what a file has; nothing if it is not there.

    Raises:
        BenchmarkError: It has something else.
    """
    if not file.exists():
        return Results()
    try:
        found: dict[str, list[dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
        return Results(
            points=[Point(**each) for each in found["points"]],
            held=[Held(**each) for each in found["held"]],
            drains=[Drained(**each) for each in found["drains"]],
        )
    except (ValueError, TypeError, KeyError) as error:
        raise BenchmarkError(
            f"{file} has no results of benchmarks.sizing",
            detail=f"{error}",
            hint="Name another file with --results, or delete it.",
        ) from error
