"""Table of what a soak has found."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.soak.slopes import Slope

_NOT_JUDGED = frozenset(
    f"application: {name}"
    for name in ("batch", "batch_ms", "heap_committed_mb", "heap_used_mb", "lag", "queried", "read")
)
"""Series that grow by themselves, or say how the load was borne."""


def judged(slope: Slope) -> bool:
    """Tell whether a series should be flat."""
    return slope.name not in _NOT_JUDGED


def table(found: Sequence[Slope], limit: float) -> str:
    """Return a line for each series.

    Args:
        found: The slopes.
        limit: Growth in ten minutes, in per cent, above which a line is marked.
    """
    width = max((len(each.name) for each in found), default=0)
    head = f"{'':{width}}  {'first':>10}  {'last':>10}  {'most':>10}  {'per ten minutes':>15}"
    lines = [head]
    for each in sorted(found, key=lambda slope: slope.name):
        mark = "  GROWS" if judged(each) and each.grows(limit) else ""
        numbers = f"{each.first:>10,.1f}  {each.last:>10,.1f}  {each.most:>10,.1f}"
        lines.append(f"{each.name:{width}}  {numbers}  {each.percent:>+14.2f}%{mark}")
    return "\n".join(lines)
