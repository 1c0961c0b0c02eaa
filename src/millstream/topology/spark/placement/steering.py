"""Decision which tasks to move, and when; a pure function of the observations."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.assignment import AssignmentConfigs
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.spark.placement.cluster_view import cluster_view
from millstream.topology.spark.placement.facts import ClusterFacts, Executor, Move, TaskPlace

START = "the application started"
PROBING = "the probing interval has passed"
_SURE_AFTER = 2
"""Number of batches. The current one may have been placed before Spark got the hint."""


@dataclass(slots=True)
class _Known:
    """What is known of one task."""

    seen: str | None = None
    """The executor that ran it last; it may be lost by now."""
    wanted: str | None = None
    why: str = START
    """Reason why it should run there."""
    home: str | None = None
    hinted: int | None = None
    """The last complete batch when Spark got the hint; None without a pending hint."""
    idle: bool = True
    """Whether it has not run since the query began."""
    moves: bool = False
    """Whether the pending hint moves it away from a living executor."""
    evicted: bool = False
    """Whether its executor was lost and not replaced yet."""
    moved: Move | None = None


class Steering:
    """Keeps an assignment up to date and returns the hints for Spark.

    The *home* of a task is the executor where the assignor placed it and where it then ran. A task
    whose executor was lost has no home until another executor joins; then it is the first to move,
    so that the replacement of a lost executor does not move other tasks.

    On Spark no copy is built beforehand. Where an assignor asks for a learner, the task moves at
    once and restores within the batch; ``max.warmup.replicas`` bounds how many do so in one batch.
    Tasks without an executor are not limited.

    Args:
        tasks: All tasks.
        stateful: Those that have state.
        assignor: The task assignor; None to observe only.
        configs: Its settings.
    """

    def __init__(
        self,
        tasks: tuple[TaskId, ...],
        stateful: frozenset[TaskId],
        assignor: Assignor | None,
        configs: AssignmentConfigs,
    ) -> None:
        self._tasks = {task: _Known() for task in sorted(tasks)}
        self._stateful = stateful
        self._assignor = assignor
        self._configs = configs
        self._executors: dict[str, Executor] = {}
        self._copies: dict[str, dict[TaskId, int]] = {}
        self._reason = START
        self._asked_ms: int | None = None
        self._asked_batch = -1
        self._followup = False

    @property
    def executors(self) -> list[Executor]:
        """The executors of the last observation."""
        return list(self._executors.values())

    def places(self) -> list[TaskPlace]:
        """Return the place of every task."""
        return [
            TaskPlace(task=task, executor=known.seen, wanted=known.wanted, moved=known.moved)
            for task, known in self._tasks.items()
        ]

    def awaited(self) -> list[TaskId]:
        """Return the tasks with a pending hint."""
        return [task for task, known in self._tasks.items() if known.hinted is not None]

    def restarted(self) -> None:
        """Handle the start of a new query: Spark has forgotten the executors of tasks."""
        for known in self._tasks.values():
            known.hinted, known.idle = None, True

    def look(self, facts: ClusterFacts) -> dict[TaskId, str]:
        """Return the hints for Spark: executors by task.

        During a batch only the tasks with a pending hint need to be observed: a batch planned
        before the hint overwrites it.

        Args:
            facts: The observation.

        Raises:
            TaskAssignmentException: The assignor failed.
        """
        changes, joined = self._compare(facts.executors)
        strayed = self._observe(facts)
        if not self._executors or self._assignor is None:
            return {}
        due = self._due(facts)
        reason = changes or due or (self._reason if strayed else None)
        if reason is not None:
            self._assign(self._assignor, reason, facts, settles=joined or due is not None)
        return self._orders(facts.batch)

    def _compare(self, executors: tuple[Executor, ...]) -> tuple[str | None, bool]:
        """Compare the executors; return the changes as text, and whether an executor joined."""
        before, now = self._executors, {each.id: each for each in executors}
        gone, come = sorted(before.keys() - now.keys()), sorted(now.keys() - before.keys())
        self._executors = now
        for executor in gone:
            self._copies.pop(executor, None)
        for known in self._tasks.values():
            if known.home in gone:
                known.home, known.evicted = None, True
            if known.wanted in gone:
                known.wanted = known.hinted = None
        if come and self._asked_ms is None:
            return START, True
        words = [f"executor {each} was lost" for each in gone]
        words += [f"executor {each} joined" for each in come]
        return ", ".join(words) or None, bool(come)

    def _observe(self, facts: ClusterFacts) -> bool:
        """Record where tasks ran; return whether one without a home ran elsewhere."""
        strayed = False
        for task, known in self._tasks.items():
            place = facts.located.get(task)
            if place not in self._executors or facts.batch < 0:
                continue
            hinted = known.hinted
            if hinted is not None and place == known.wanted and facts.batch < hinted + _SURE_AFTER:
                continue  # The location may be the hint itself.
            known.hinted, known.idle = None, False
            if known.seen != place:
                reason = self._why(known, place)
                known.moved = Move(
                    source=known.seen,
                    target=place,
                    batch=facts.batch,
                    at_ms=facts.now_ms,
                    reason=reason,
                )
            known.seen = place
            self._copies.setdefault(place, {})[task] = facts.processed.get(task, 0)
            if place == known.wanted:
                known.home = None if known.evicted else place
            elif hinted is not None and known.home is None:
                strayed = True
        return strayed

    def _why(self, known: _Known, place: str) -> str:
        if place == known.wanted:
            return known.why
        if known.seen is None and self._assignor is None:
            return "Spark placed it"
        if known.seen is None:
            return "Spark placed it before it got a hint"
        if known.seen not in self._executors:
            return f"executor {known.seen} was lost in the middle of a batch"
        return f"Spark did not wait for executor {known.seen} (spark.locality.wait)"

    def _due(self, facts: ClusterFacts) -> str | None:
        if self._asked_ms is None:
            return None
        if facts.now_ms - self._asked_ms >= self._configs.probingRebalanceIntervalMs():
            return PROBING
        if self._followup and facts.batch > self._asked_batch:
            settled = all(known.seen == known.wanted for known in self._tasks.values())
            return self._reason if settled else None
        return None

    def _assign(
        self, assignor: Assignor, reason: str, facts: ClusterFacts, *, settles: bool
    ) -> None:
        """Compute a new assignment.

        Args:
            assignor: The task assignor.
            reason: Reason for the new assignment.
            facts: The observation.
            settles: Whether the new executors become the homes of their tasks.
        """
        view = cluster_view(
            self._executors.values(),
            tuple(self._tasks),
            self._stateful,
            {task: known.home for task, known in self._tasks.items() if known.home},
            self._copies,
            facts.processed,
            self._configs.acceptableRecoveryLag(),
        )
        answer = assignor.assign(view, self._configs)
        owners = answer.owners()
        for executor, learners in answer.warmup.items():
            owners |= dict.fromkeys(learners, executor)
        for task, known in self._tasks.items():
            owner = owners.get(task, known.wanted)
            if owner != known.wanted:
                known.wanted, known.why, known.hinted = owner, reason, None
            known.evicted = known.evicted and not settles
        self._reason, self._followup = reason, answer.followup
        self._asked_ms, self._asked_batch = facts.now_ms, facts.batch

    def _orders(self, batch: int) -> dict[TaskId, str]:
        """Return the hints to pass to Spark now, and record them."""
        orders: dict[TaskId, str] = {}
        moving = sum(known.moves for known in self._tasks.values() if known.hinted is not None)
        for task, known in self._tasks.items():
            stays = known.wanted == known.seen and not known.idle
            if stays or known.wanted is None or known.hinted is not None:
                continue
            moves = known.seen in self._executors and not known.idle
            if moves and moving >= self._configs.maxWarmupReplicas():
                continue
            moving += moves
            known.moves, known.hinted = moves, batch
            orders[task] = known.wanted
        return orders
