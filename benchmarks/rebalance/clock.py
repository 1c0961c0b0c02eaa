"""Simulated time."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

Act = Callable[[float], None]


class Clock:
    """Calls what is due, in the order of time, then of asking."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Act]] = []
        self._asked = 0

    def at(self, when: float, act: Act) -> None:
        """Have something called at a time, with the time."""
        self._asked += 1
        heappush(self._due, (when, self._asked, act))

    def tick(self) -> float | None:
        """Call what is due next and return the time; None if nothing is."""
        if not self._due:
            return None
        now, _, act = heappop(self._due)
        act(now)
        return now
