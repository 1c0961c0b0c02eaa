"""Costs of a history so far."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

GB = 1_000_000_000


@dataclass(slots=True, kw_only=True)
class Costs:
    """What one strategy has cost in one history."""

    moved: int = 0
    """Tasks that went on somewhere else, each time that they did."""
    downtime_s: float = 0.0
    """Task-seconds in which a task did not run."""
    restored_bytes: float = 0.0
    rebalances: int = 0
    most_rebalances: int = 0
    """Between a step and the stable state after it."""
    balance_s: list[float] = field(default_factory=list)
    """From a step to the stable state after it; steps before the group had settled are not here."""
    imbalance: float = 1.0
    """Tasks of the executor that has most, per mean; the worst stable state."""
    imbalance_bytes: float = 1.0
    downtime_at: list[tuple[float, float]] = field(default_factory=list)
    """When, and the task-seconds until then."""

    def summary(self, tasks: int) -> dict[str, Any]:
        """Return the numbers that are printed."""
        found = asdict(self)
        times = found.pop("balance_s")
        found.pop("downtime_at")
        found["moved_share"] = self.moved / tasks
        found["restored_gb"] = found.pop("restored_bytes") / GB
        found["balance_s_mean"] = sum(times) / len(times) if times else 0.0
        found["balance_s_max"] = max(times, default=0.0)
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in found.items()
        }


class Ledger:
    """Keeps account of tasks that run, stop and move; at first all of them run."""

    def __init__(self) -> None:
        self.costs = Costs()
        self.moved_tasks: set[int] = set()
        self._last: dict[int, str] = {}
        self._down: dict[int, float] = {}

    def begin(self, task: int, owner: str) -> None:
        """Note who has a task at the start."""
        self._last[task] = owner

    def stop(self, task: int, now: float) -> None:
        """Note that a task does not run from now on."""
        self._down.setdefault(task, now)

    def run(self, task: int, now: float) -> None:
        """Note that a task runs again."""
        since = self._down.pop(task, None)
        if since is not None:
            self.costs.downtime_s += now - since

    def give(self, task: int, owner: str) -> None:
        """Note to whom a task was given."""
        if self._last[task] != owner:
            self._last[task] = owner
            self.costs.moved += 1
            self.moved_tasks.add(task)

    def down(self) -> int:
        """Return how many tasks do not run."""
        return len(self._down)

    def mark(self, now: float) -> None:
        """Note how much downtime there has been until now."""
        open_s = sum(now - since for since in self._down.values())
        self.costs.downtime_at.append((now, self.costs.downtime_s + open_s))
