"""What a smoke test has found: one line, and JSON.

``python -m compat_tests.smoke.report FILES``: the one line of several runs, from their JSON.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from compat_tests.smoke.verifier import Verdict

COUNTS = ("lost", "duplicated", "out_of_order", "wrong", "hanging")
"""Kinds of damage."""


@dataclass(frozen=True, slots=True)
class Strike:
    """One fault that has struck."""

    fault: str
    took_s: float
    """From its beginning until it was mended."""
    recovery_s: float
    """From then until output was committed again."""
    problem: str = ""


@dataclass(slots=True)
class Report:
    """The whole run."""

    seed: int
    guarantee: str
    without: str = ""
    strikes: list[Strike] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Fault -> why it cannot be done here."""
    verdict: Verdict = field(default_factory=Verdict)
    problem: str = ""
    """Why the run could not be completed."""
    aborted: int = 0
    """Records that were written and not committed."""

    def is_clean(self) -> bool:
        """Tell whether nothing was found."""
        problems = [strike.problem for strike in self.strikes if strike.problem]
        exactly_once = self.guarantee == "exactly_once_v2"
        return not (problems or self.problem) and self.verdict.is_clean(exactly_once=exactly_once)

    def line(self) -> str:
        """Return the result in one line."""
        found = self.verdict
        counts = (getattr(found, name) for name in COUNTS)
        return line_of(counts, [strike.recovery_s for strike in self.strikes])

    def text(self) -> str:
        """Return the line and what explains it."""
        recoveries = defaultdict(list)
        for strike in self.strikes:
            recoveries[strike.fault].append(strike.recovery_s)
        lines = [f"seed {self.seed}, {self.guarantee}"]
        lines[0] += f", without {self.without}" if self.without else ""
        lines += [
            f"  {name}: {len(took)}, recovery {median(took):.1f}, at most {max(took):.1f} s"
            for name, took in sorted(recoveries.items())
        ]
        lines += [f"  {name}: skipped, {why}" for name, why in self.skipped.items()]
        lines += [f"FAILED {each.fault}: {each.problem}" for each in self.strikes if each.problem]
        lines += [f"FAILED {self.problem}"] if self.problem else []
        lines += [f"  {each}" for each in self.verdict.examples]
        return "\n".join([*lines, self.line()])

    def json(self) -> str:
        """Return everything as JSON."""
        found = self.verdict
        return json.dumps(
            {
                "seed": self.seed,
                "guarantee": self.guarantee,
                "without": self.without,
                "kills": len(self.strikes),
                "lost": found.lost,
                "duplicated": found.duplicated,
                "out_of_order": found.out_of_order,
                "wrong": found.wrong,
                "hanging_transactions": found.hanging,
                "aborted": self.aborted,
                "recovery_s": percentiles([each.recovery_s for each in self.strikes]),
                "strikes": [
                    [each.fault, each.took_s, each.recovery_s, each.problem]
                    for each in self.strikes
                ],
                "skipped": self.skipped,
                "problem": self.problem,
                "examples": found.examples,
                "clean": self.is_clean(),
            }
        )


def line_of(counts: Iterable[int], recoveries: Sequence[float]) -> str:
    """Return the one line, of counts in the order of ``COUNTS`` and seconds until output."""
    lost, duplicated, out_of_order, wrong, hanging = counts
    p50, p95 = percentiles(recoveries)
    return (
        f"kills {len(recoveries)}, lost {lost}, duplicated {duplicated}, out of order "
        f"{out_of_order}, wrong {wrong}, hanging transactions {hanging}, recovery p50/p95 "
        f"{p50:.1f}/{p95:.1f} s"
    )


def added_up(reports: Iterable[str]) -> str:
    """Return the one line of several runs, from their JSON."""
    found = [json.loads(report) for report in reports]
    names = ("hanging_transactions" if name == "hanging" else name for name in COUNTS)
    counts = [sum(each[name] for each in found) for name in names]
    return line_of(counts, [strike[2] for each in found for strike in each["strikes"]])


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile; zeros without values."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (0.0, 0.0)
    cuts = quantiles(values, n=20, method="inclusive")
    return cuts[9], cuts[18]


if __name__ == "__main__":
    print(added_up(Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]))
