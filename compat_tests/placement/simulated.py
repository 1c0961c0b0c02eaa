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


def configs(
    *, warmups: int = 2, acceptable_lag: int = 100, standbys: int = 0, apart: bool = False
) -> AssignmentConfigs:
    tags = ["host"] if apart else []
    return AssignmentConfigs(acceptable_lag, warmups, standbys, PROBING_MS, tags)


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
    learning_takes: int | None = None
    """Batches until a copy that an executor is to keep has caught up; None if they keep none."""
    standbys: int = 0
    hosts: dict[str, str] = field(default_factory=dict)
    """Executor -> its host, where that matters; standbys are then on other hosts."""
    copies: dict[str, dict[TaskId, int]] = field(default_factory=dict)
    """Executor -> task -> batches that its copy has followed."""
    cold: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    """Executors whose workers are being started."""

    def __post_init__(self) -> None:
        self.tasks = tasks(self.count)
        self.steering = Steering(
            self.tasks,
            frozenset(self.tasks),
            self.assignor,
            configs(warmups=self.warmups, standbys=self.standbys, apart=bool(self.hosts)),
            learns=self.learning_takes is not None,
        )

    def look(self) -> dict[TaskId, str]:
        """Have the driver look, and tell Spark."""
        facts = ClusterFacts(
            batch=self.batch,
            executors=tuple(
                Executor(id=each, host=self.hosts.get(each, "h")) for each in self.executors
            ),
            located=dict(self.location),
            processed=dict.fromkeys(self.tasks, 1000 * (self.batch + 1)),
            copies=self.caught_up(),
            cold=self.cold,
            fresh=self.fresh,
            now_ms=self.now_ms,
        )
        orders = self.steering.look(facts)
        self.location |= orders
        return orders

    def caught_up(self) -> dict[str, frozenset[TaskId]]:
        """Return the copies that have followed for long enough."""
        needed = self.learning_takes or 0
        return {
            executor: frozenset(task for task, age in found.items() if age >= needed)
            for executor, found in self.copies.items()
            if executor in self.executors
        }

    def follow(self) -> None:
        """Let executors follow for a batch the tasks that they are to have copies of."""
        before, self.copies = self.copies, {}
        for executor, wanted in self.steering.copies().items():
            aged = before.get(executor, {})
            self.copies[executor] = {task: aged.get(task, -1) + 1 for task in wanted}

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
        self.follow()
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
