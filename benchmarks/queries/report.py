"""What a run has shown, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.queries.measure import Outcome


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of all values does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def summary(found: Outcome) -> dict[str, Any]:
    """Return the figures of a run by name."""
    quiet = [each.ms for each in found.quiet]
    asked = [each.ms for each in found.asked]
    figures: dict[str, Any] = {
        "first question, s": round(found.first_s, 2),
        "until batches carried changes, s": round(found.followed_s, 2),
    }
    for name, values in (("get", found.gets), ("range", found.ranges)):
        figures[f"{name}, ms p50"] = round(percentile(values, 0.5), 2)
        figures[f"{name}, ms p99"] = round(percentile(values, 0.99), 2)
        figures[f"{name}, ms most"] = round(max(values, default=0.0), 2)
        figures[f"{name}, questions"] = len(values)
    figures["batches behind, most"] = max(found.behind, default=0)
    figures["batches behind, answers judged"] = len(found.behind)
    figures["reads of the checkpoint"] = found.reads
    if quiet and asked:
        figures["batch without questions, ms median"] = round(median(quiet))
        figures["batch with questions, ms median"] = round(median(asked))
        figures["cost to the batch, %"] = round(100 * (median(asked) / median(quiet) - 1), 1)
        figures["records of a batch, median"] = round(
            median(each.records for each in (*found.quiet, *found.asked))
        )
    return figures


def print_report(found: Outcome) -> None:
    """Print the figures, one a line, and the machine's load."""
    for name, value in summary(found).items():
        print(f"{name:36}{value:>14,}")
    print(f"{'load, 1, 5 and 15 minutes':36}{' '.join(f'{each:.1f}' for each in found.load):>14}")
