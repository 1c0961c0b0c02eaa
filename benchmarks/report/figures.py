"""Figures of rounds, and the file that keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.vs_kafka_streams.costs import KINDS
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.rounds import Drain


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFigures:
    """What one side did in one round."""

    rate: float
    """Records a second."""
    cpu_s: Mapping[str, float]
    """Kind of process -> CPU seconds for a million records."""
    peak_mb: float
    others: float
    """Cores that were busy with something else."""

    @classmethod
    def of(cls, drain: Drain) -> SideFigures:
        """Return the figures of a drain."""
        used = drain.costs.cpu_s
        return cls(
            rate=drain.rate,
            cpu_s={
                kind: used[kind] * 1e6 / drain.records for kind in KINDS if used.get(kind, 0) > 0
            },
            peak_mb=drain.costs.peak_mb,
            others=drain.costs.others,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What both sides did in one round of a workload."""

    workload: str
    guarantee: str
    cache: int
    records: int
    ours: SideFigures
    theirs: SideFigures

    @property
    def ratio(self) -> float:
        """Our rate by that of Kafka Streams."""
        return self.ours.rate / self.theirs.rate

    def line(self) -> str:
        """Return the round as one line of JSON."""
        return json.dumps(asdict(self))


def read_rounds(file: Path) -> list[Round]:
    """Return the rounds that a file has; none if it is not there.

    Raises:
        BenchmarkError: A line is no round.
    """
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_round(line, file, number) for number, line in enumerate(lines, 1) if line.strip()]


def _round(line: str, file: Path, number: int) -> Round:
    try:
        fields: dict[str, Any] = json.loads(line)
        ours, theirs = (SideFigures(**fields.pop(side)) for side in ("ours", "theirs"))
        return Round(**fields, ours=ours, theirs=theirs)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BenchmarkError(
            f"line {number} of {file} is no round of this report",
            detail=f"{error}",
            hint="Name another file with --rounds-in, or delete that line.",
        ) from error
