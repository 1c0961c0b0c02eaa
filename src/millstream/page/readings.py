"""Values of an application's metrics at one moment, by name and tags."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any

from millstream.core.metrics import MetricName

Tags = Mapping[str, str]


class Readings:
    """Numbers by name and tags; values that are no numbers, or NaN, are left out.

    Args:
        values: The values of the metrics.
        names: The metrics that are wanted; None for all.
    """

    def __init__(
        self, values: Mapping[MetricName, Any], names: Collection[str] | None = None
    ) -> None:
        self._by_name: dict[str, list[tuple[Tags, float]]] = {}
        for name, found in values.items():
            if names is None or name.name() in names:
                value = _number(found)
                if value is not None:
                    self._by_name.setdefault(name.name(), []).append((name.tags(), value))

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def all(self, name: str, **tags: str) -> Iterator[tuple[Tags, float]]:
        """Yield tags and values of a metric; of tags, ``_`` in a keyword stands for ``-``."""
        wanted = {key.replace("_", "-"): value for key, value in tags.items()}
        for found, value in self._by_name.get(name, ()):
            if wanted.items() <= found.items():
                yield found, value

    def sum(self, name: str, **tags: str) -> float | None:
        """Return the sum over all tags; None if there is no value."""
        values = [value for _, value in self.all(name, **tags)]
        return sum(values) if values else None

    def sums(self, name: str, tag: str) -> dict[str, float]:
        """Return the sums by the value of a tag."""
        found: dict[str, float] = {}
        for tags, value in self.all(name):
            if tag in tags:
                found[tags[tag]] = found.get(tags[tag], 0.0) + value
        return found

    def least(self, name: str, tag: str) -> dict[str, float]:
        """Return the smallest values by the value of a tag."""
        found: dict[str, float] = {}
        for tags, value in self.all(name):
            if tag in tags:
                found[tags[tag]] = min(found.get(tags[tag], value), value)
        return found


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isfinite(value) else None


class Rates:
    """Rates of counters that grow, from what was noted in the last seconds.

    Args:
        span_ms: How far back the earlier value lies, at most.
    """

    def __init__(self, span_ms: int = 10_000) -> None:
        self._span_ms = span_ms
        self._noted: list[tuple[int, dict[Any, float]]] = []

    def note(self, now_ms: int, counters: Mapping[Any, float]) -> None:
        """Note the counters' values at a time."""
        if self._noted and now_ms <= self._noted[-1][0]:
            # The clock was set back, or this is the same moment.
            self._noted = [each for each in self._noted if each[0] < now_ms]
        self._noted.append((now_ms, dict(counters)))
        # One beyond the span stays, so that there is a rate if nobody looked for a while.
        while len(self._noted) > 2 and self._noted[1][0] <= now_ms - self._span_ms:
            del self._noted[0]

    def per_s(self, counter: Any) -> float | None:
        """Return a counter's rate a second; None before it has been noted twice."""
        if len(self._noted) < 2:
            return None
        (then, before), (now, values) = self._noted[0], self._noted[-1]
        if counter not in values:
            return None
        # A counter that was not there yet has begun at 0.
        grown = values[counter] - before.get(counter, 0.0)
        return max(0.0, grown) * 1000 / (now - then)
