"""Decision which tasks to move, and when: a pure function of what was observed."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.assignment import AssignmentConfigs
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.spark.placement.cluster_view import cluster_view
from millstream.topology.spark.placement.facts import Executor, Facts, Move, TaskPlace

START = "the application started"
PROBING = "the probing interval has passed"
_SURE_AFTER = 2
"""Batches. The current one may have been placed before Spark is told."""


@dataclass(slots=True)
class _Known:
    """What is known of one task."""

    seen: str | None = None
    """Where it ran last; that executor may be gone."""
    wanted: str | None = None
    why: str = START
    """Why it is wanted there."""
    home: str | None = None
    told: int | None = None
    """The last complete batch when Spark was told; None if nothing is under way."""
    idle: bool = True
    """It has not run since the query began."""
    moves: bool = False
    """What is under way takes it from an executor that is still there."""
    evicted: bool = False
    """Its executor was lost and no other has replaced it yet."""
    moved: Move | None = None


class Steering:
    """Keeps an assignment up to date and says what Spark should be told.

    A task is *at home* where the assignor wanted it and where it then ran. One whose executor was
    lost has no home until another executor joins. Wherever it runs meanwhile, it is the first to
    move again; so a lost executor that is replaced costs the tasks of the others nothing.

    On Spark no copy is built beforehand. Where an assignor asks for a learner, the task moves at
    once and restores within the batch; ``max.warmup.replicas`` bounds how many do so in one batch.
    Tasks that run nowhere are not held back by that.

    Args:
        tasks: All tasks.
        stateful: Those that have state.
        assignor: Decides; None to look on only.
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
        """The executors of the last look."""
        return list(self._executors.values())

    def places(self) -> list[TaskPlace]:
        """Return where every task is."""
        return [
            TaskPlace(task=task, executor=known.seen, wanted=known.wanted, moved=known.moved)
            for task, known in self._tasks.items()
        ]

    def awaited(self) -> list[TaskId]:
        """Return the tasks that Spark was told of and that have not been seen to follow."""
        return [task for task, known in self._tasks.items() if known.told is not None]

    def restarted(self) -> None:
        """Take note that a new query has begun: Spark knows nothing of where tasks were."""
        for known in self._tasks.values():
            known.told, known.idle = None, True

    def look(self, facts: Facts) -> dict[TaskId, str]:
        """Return what to tell Spark: executors by task.

        In the middle of a batch it is enough to look at the tasks that are awaited: a batch that
        was planned before Spark was told makes it forget.

        Args:
            facts: What there is to see.

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
            self._ask(self._assignor, reason, facts, settles=joined or due is not None)
        return self._orders(facts.batch)

    def _compare(self, executors: tuple[Executor, ...]) -> tuple[str | None, bool]:
        """Take note of who has come and gone; return it in words, and whether anybody came."""
        before, now = self._executors, {each.id: each for each in executors}
        gone, come = sorted(before.keys() - now.keys()), sorted(now.keys() - before.keys())
        self._executors = now
        for executor in gone:
            self._copies.pop(executor, None)
        for known in self._tasks.values():
            if known.home in gone:
                known.home, known.evicted = None, True
            if known.wanted in gone:
                known.wanted = known.told = None
        if come and self._asked_ms is None:
            return START, True
        words = [f"executor {each} was lost" for each in gone]
        words += [f"executor {each} joined" for each in come]
        return ", ".join(words) or None, bool(come)

    def _observe(self, facts: Facts) -> bool:
        """Take note of where tasks ran; return whether one without a home ran elsewhere."""
        strayed = False
        for task, known in self._tasks.items():
            place = facts.located.get(task)
            if place not in self._executors or facts.batch < 0:
                continue
            told = known.told
            if told is not None and place == known.wanted and facts.batch < told + _SURE_AFTER:
                continue  # That may be an echo of what Spark was told.
            known.told, known.idle = None, False
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
            elif told is not None and known.home is None:
                strayed = True
        return strayed

    def _why(self, known: _Known, place: str) -> str:
        if place == known.wanted:
            return known.why
        if known.seen is None and self._assignor is None:
            return "Spark placed it"
        if known.seen is None:
            return "Spark placed it before it was told where to"
        if known.seen not in self._executors:
            return f"executor {known.seen} was lost in the middle of a batch"
        return f"Spark did not wait for executor {known.seen} (spark.locality.wait)"

    def _due(self, facts: Facts) -> str | None:
        if self._asked_ms is None:
            return None
        if facts.now_ms - self._asked_ms >= self._configs.probingRebalanceIntervalMs():
            return PROBING
        if self._followup and facts.batch > self._asked_batch:
            settled = all(known.seen == known.wanted for known in self._tasks.values())
            return self._reason if settled else None
        return None

    def _ask(self, assignor: Assignor, reason: str, facts: Facts, *, settles: bool) -> None:
        """Ask for a new assignment.

        Args:
            assignor: Whom.
            reason: Why.
            facts: What there is to see.
            settles: Whether tasks are at home where they now go.
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
                known.wanted, known.why, known.told = owner, reason, None
            known.evicted = known.evicted and not settles
        self._reason, self._followup = reason, answer.followup
        self._asked_ms, self._asked_batch = facts.now_ms, facts.batch

    def _orders(self, batch: int) -> dict[TaskId, str]:
        """Return what to tell Spark now, and remember it."""
        orders: dict[TaskId, str] = {}
        moving = sum(known.moves for known in self._tasks.values() if known.told is not None)
        for task, known in self._tasks.items():
            stays = known.wanted == known.seen and not known.idle
            if stays or known.wanted is None or known.told is not None:
                continue
            moves = known.seen in self._executors and not known.idle
            if moves and moving >= self._configs.maxWarmupReplicas():
                continue
            moving += moves
            known.moves, known.told = moves, batch
            orders[task] = known.wanted
        return orders
