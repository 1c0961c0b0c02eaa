"""Decision which tasks to move, and when; a pure function of the observations."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.assignment import AssignmentConfigs
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment
from millstream.topology.spark.placement.cluster_view import cluster_view
from millstream.topology.spark.placement.facts import ClusterFacts, Executor, Move, TaskPlace

START = "the application started"
PROBING = "the probing interval has passed"
PATIENCE_MS = 120_000
"""How long a task waits for a copy on the executor that it is to move to."""
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

    A task with state that is to leave a living executor is a *learner* on the new one first, and
    moves when the copy there is no more than ``acceptable.recovery.lag`` behind, or when that takes
    longer than ``PATIENCE_MS``; ``max.warmup.replicas`` bounds how many do so at a time. Where
    executors keep no copies it moves at once, and restores within the batch. No task leaves a
    living executor for one whose workers are being started. Tasks without an executor are not
    limited.

    Args:
        tasks: All tasks.
        stateful: Those that have state.
        assignor: The task assignor; None to observe only.
        configs: Its settings.
        learns: Whether executors can keep copies of tasks that run elsewhere.
    """

    def __init__(
        self,
        tasks: tuple[TaskId, ...],
        stateful: frozenset[TaskId],
        assignor: Assignor | None,
        configs: AssignmentConfigs,
        *,
        learns: bool = False,
    ) -> None:
        self._tasks = {task: _Known() for task in sorted(tasks)}
        self._stateful = stateful
        self._assignor = assignor
        self._configs = configs
        self._learns = learns
        self._learning: dict[TaskId, int] = {}
        """Tasks that wait for a copy where an assignor has put them, with the time since when."""
        self._standbys: dict[str, tuple[TaskId, ...]] = {}
        self._learners: dict[tuple[TaskId, str], int] = {}
        """Copies that the assignor wants to be warmed up, with the time since when."""
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

    def copies(self) -> dict[str, tuple[TaskId, ...]]:
        """Return the tasks of which each executor is to keep a copy: standbys and learners."""
        if not self._learns:
            return {}
        found = {each: set(tasks) for each, tasks in self._standbys.items()}
        for task, executor in self._learners:
            found.setdefault(executor, set()).add(task)
        for task, known in self._tasks.items():
            target = known.wanted
            # A copy stays until the task has run there.
            arrives = known.hinted is not None and task in self._copies.get(target or "", ())
            if target is not None and (task in self._learning or arrives):
                found.setdefault(target, set()).add(task)
            if known.seen in found:
                found[known.seen].discard(task)
        return {e: tuple(sorted(found[e])) for e in sorted(found) if e in self._executors}

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
        return self._orders(facts)

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
        for executor in facts.copies.keys() & self._executors.keys():
            for task in facts.copies[executor] & self._tasks.keys():
                self._copies.setdefault(executor, {})[task] = facts.processed.get(task, 0)
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
        self._give_up_learning(facts)
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
        if self._learns:
            self._learn(answer, facts.now_ms)
        else:
            for executor, learners in answer.warmup.items():
                owners |= dict.fromkeys(learners, executor)
        self._reason, self._followup = reason, answer.followup
        for task, known in self._tasks.items():
            owner = owners.get(task, known.wanted)
            if owner != known.wanted and self._goes_on(task, known, owner, facts):
                # It gets its new owner when it has run there.
                self._followup = True
                continue
            if owner != known.wanted:
                known.wanted, known.why, known.hinted = owner, reason, None
            known.evicted = known.evicted and not settles
        self._asked_ms, self._asked_batch = facts.now_ms, facts.batch

    def _goes_on(self, task: TaskId, known: _Known, owner: str | None, facts: ClusterFacts) -> bool:
        """Return whether a lost task first runs where Spark was told, not at a new owner.

        The batch waits for it, and the new owner has to start its workers or to restore.
        """
        if known.hinted is None or known.moves or known.wanted is None:
            return False
        return owner in facts.cold or task in self._copies.get(known.wanted, ())

    def _learn(self, answer: Assignment, now_ms: int) -> None:
        """Note the copies that an assignment asks for; of learners no more than are allowed."""
        self._standbys = dict(answer.standby)
        pairs = sorted((task, each) for each, tasks in answer.warmup.items() for task in tasks)
        known, self._learners = self._learners, {}
        for pair in pairs[: self._configs.maxWarmupReplicas()]:
            self._learners[pair] = known.get(pair, now_ms)

    def _give_up_learning(self, facts: ClusterFacts) -> None:
        """Treat a copy as complete that has not caught up for too long."""
        for (task, executor), since in self._learners.items():
            if facts.now_ms - since > PATIENCE_MS:
                self._copies.setdefault(executor, {})[task] = facts.processed.get(task, 0)

    def _orders(self, facts: ClusterFacts) -> dict[TaskId, str]:
        """Return the hints to pass to Spark now, and record them."""
        orders: dict[TaskId, str] = {}
        learning, self._learning = self._learning, {}
        moving = sum(known.moves for known in self._tasks.values() if known.hinted is not None)
        for task, known in self._tasks.items():
            stays = known.wanted == known.seen and not known.idle
            if stays or known.wanted is None or known.hinted is not None:
                continue
            moves = known.seen in self._executors and not known.idle
            if moves and moving >= self._configs.maxWarmupReplicas():
                continue
            if moves and known.wanted in facts.cold | facts.fresh:
                continue
            moving += moves
            since = learning.get(task, facts.now_ms)
            if moves and self._must_learn(task, known.wanted, facts, since):
                self._learning[task] = since
                continue
            known.moves, known.hinted = moves, facts.batch
            orders[task] = known.wanted
        return orders

    def _must_learn(self, task: TaskId, target: str, facts: ClusterFacts, since: int) -> bool:
        """Return whether a task has to wait until the executor that it moves to has its state."""
        if not self._learns or task not in self._stateful or facts.now_ms - since > PATIENCE_MS:
            return False
        had = self._copies.get(target, {}).get(task)
        lag = None if had is None else facts.processed.get(task, 0) - had
        return lag is None or lag > self._configs.acceptableRecoveryLag()
