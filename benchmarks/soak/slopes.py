"""Slopes of series of samples: what grows, and how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

TEN_MINUTES_S = 600.0


@dataclass(frozen=True, slots=True)
class Slope:
    """What became of one series after the warm-up."""

    name: str
    first: float
    """Median of the first fifth."""
    last: float
    """Median of the last fifth."""
    most: float
    """The largest value."""
    percent: float
    """Growth of the fitted line in ten minutes, in per cent of the median."""

    def grows(self, limit: float) -> bool:
        """Tell whether it grows by more than ``limit`` per cent in ten minutes."""
        return self.percent > limit and self.last > self.first


def slopes(
    times: Sequence[float], series: Mapping[str, Sequence[float]], warm_up_s: float
) -> list[Slope]:
    """Return the slope of each series that is there from the warm-up's end to the last sample.

    Args:
        times: When each sample was taken, in seconds from the start.
        series: Name -> value of each sample; not a number where there was none.
        warm_up_s: Samples before are left out.
    """
    after = np.asarray(times) >= warm_up_s
    found = []
    for name, values in series.items():
        kept = np.asarray(values, float)[after]
        if len(kept) >= 5 and not np.isnan(kept).any():
            found.append(_slope(name, np.asarray(times, float)[after], kept))
    return found


def _slope(name: str, times: np.ndarray, values: np.ndarray) -> Slope:
    fifth = max(1, len(values) // 5)
    gain = float(np.polyfit(times, values, 1)[0]) * TEN_MINUTES_S
    middle = float(np.median(values))
    percent = 0.0 if abs(gain) < 1e-9 else 100 * gain / middle if middle else float("inf")
    first, last = float(np.median(values[:fifth])), float(np.median(values[-fifth:]))
    return Slope(name, first, last, float(values.max()), percent)
