"""A Spark that runs tasks where it was told, as far as it hears of it in time."""

from __future__ import annotations

from dataclasses import dataclass, field

from millstream.core.assignment import AssignmentConfigs
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.sticky import Sticky
from millstream.topology.spark.placement.facts import ClusterFacts, Executor, TaskPlace
from millstream.topology.spark.placement.steering import Steering

PROBING_MS = 600_000


def tasks(count: int) -> tuple[TaskId, ...]:
    return tuple(TaskId(0, number) for number in range(count))


def configs(*, warmups: int = 2, acceptable_lag: int = 100) -> AssignmentConfigs:
    return AssignmentConfigs(acceptable_lag, warmups, 0, PROBING_MS, [])


@dataclass
class Simulated:
    """Runs batches; what Spark remembers of places is ``location``, as its coordinator has it."""

    count: int
    assignor: Assignor | None = field(default_factory=Sticky)
    warmups: int = 2
    location: dict[TaskId, str] = field(default_factory=dict)
    executors: list[str] = field(default_factory=list)
    batch: int = -1
    now_ms: int = 0
    ran: dict[TaskId, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tasks = tasks(self.count)
        self.steering = Steering(
            self.tasks, frozenset(self.tasks), self.assignor, configs(warmups=self.warmups)
        )

    def look(self) -> dict[TaskId, str]:
        """Have the driver look, and tell Spark."""
        facts = ClusterFacts(
            batch=self.batch,
            executors=tuple(Executor(id=each, host="h") for each in self.executors),
            located=dict(self.location),
            processed=dict.fromkeys(self.tasks, 1000 * (self.batch + 1)),
            now_ms=self.now_ms,
        )
        orders = self.steering.look(facts)
        self.location |= orders
        return orders

    def run(self, planned: dict[TaskId, str] | None = None, *, watched: bool = False) -> None:
        """Run a batch: where Spark remembers, and elsewhere if that executor is gone.

        Args:
            planned: Where Spark remembered when it planned the batch; by default, now.
            watched: Whether the driver looks before the batch has ended.
        """
        remembered = self.location if planned is None else planned
        for number, task in enumerate(self.tasks):
            place = remembered.get(task)
            if place not in self.executors:
                place = self.executors[number % len(self.executors)]
            self.location[task] = place
            self.ran.setdefault(task, []).append(place)
        if watched:
            self.look()
        self.batch += 1
        self.now_ms += 1000

    def settle(self, batches: int = 12) -> list[set[TaskId]]:
        """Look and run in turn; return the tasks that changed executors, batch by batch."""
        moves = []
        for _ in range(batches):
            self.look()
            self.run()
            moves.append({t for t, ran in self.ran.items() if len(ran) > 1 and ran[-1] != ran[-2]})
        self.look()
        return moves

    def owners(self) -> dict[str, list[int]]:
        """Return the tasks' numbers by the executor that ran them last."""
        found: dict[str, list[int]] = {each: [] for each in self.executors}
        for task, ran in self.ran.items():
            found.setdefault(ran[-1], []).append(task.partition())
        return found

    def place(self, number: int) -> TaskPlace:
        """Return what is noted of a task."""
        return next(p for p in self.steering.places() if p.task.partition() == number)
