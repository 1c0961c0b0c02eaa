"""Leader of a simulated group: from the target assignment to the next step towards it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from millstream.core.assignment import AssignmentConfigs
from millstream.core.processor import TaskId
from millstream.testing.rebalance.member import NO_TASKS, Member
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.numbered import is_ready


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The tasks of an application, and what assignors know of them."""

    tasks: tuple[TaskId, ...]
    stateful: frozenset[TaskId] | None = None
    sizes: Mapping[TaskId, int] = field(default_factory=dict)
    racks: Mapping[TaskId, tuple[frozenset[str], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RebalancePlan:
    """The outcome of one rebalance, by member."""

    assigned: dict[str, set[TaskId]]
    learning: dict[str, set[TaskId]]
    standby: dict[str, frozenset[TaskId]]
    followup: bool = False


class Leader:
    """Plans one rebalance.

    Args:
        members: All members that joined.
        work: All tasks.
        held: Tasks reserved for a lost member: no member is assigned them, and nothing moves.
        assignor: Who decides where tasks should be.
        configs: What it is configured with.
        patient: Whether members that leave keep tasks until others have learned them.
    """

    def __init__(
        self,
        members: Mapping[str, Member],
        work: Work,
        held: frozenset[TaskId],
        assignor: Assignor,
        configs: AssignmentConfigs,
        *,
        patient: bool = True,
    ) -> None:
        self._patient = patient
        self._members = members
        self._work = work
        self._held = held
        self._assignor = assignor
        self._configs = configs
        self._owner = {task: name for name, each in members.items() for task in each.has()}

    def plan(self) -> RebalancePlan:
        """Return who is to run, learn and keep what after this rebalance.

        Raises:
            TaskAssignmentException: The assignor cannot assign the tasks.
        """
        stay = {name: each for name, each in self._members.items() if not each.leaving}
        if not stay:
            return self._nothing()
        back = {
            name: [task for task in member.ran if task not in self._owner]
            for name, member in stay.items()
        }
        if not self._held:
            return self._step(self._target(stay, back))
        placed = {task: name for name, tasks in back.items() for task in tasks}
        if len(self._owner) + len(placed) + len(self._held) < len(self._work.tasks):
            placed = self._target(stay, back).owners() | placed
        return self._as_it_is(placed)

    def _nothing(self) -> RebalancePlan:
        """Return a plan without tasks: all members leave."""
        return RebalancePlan(
            assigned={name: set() for name in self._members},
            learning={name: set() for name in self._members},
            standby=dict.fromkeys(self._members, NO_TASKS),
        )

    def _target(self, stay: Mapping[str, Member], back: Mapping[str, list[TaskId]]) -> Assignment:
        work, held = self._work, self._held
        return self._assignor.assign(
            Cluster(
                instances=tuple([each.instance(back[name]) for name, each in stay.items()]),
                tasks=tuple([task for task in work.tasks if task not in held])
                if held
                else work.tasks,
                stateful=work.stateful,
                sizes=work.sizes,
                racks=work.racks,
            ),
            self._configs,
        )

    def _as_it_is(self, placed: Mapping[TaskId, str]) -> RebalancePlan:
        """Move nothing; only tasks without an owner go where ``placed`` says."""
        members = self._members
        assigned = {name: each.has() for name, each in members.items()}
        for task, name in placed.items():
            if task not in self._owner:
                assigned[name].add(task)
        return RebalancePlan(
            assigned=assigned,
            learning={
                name: set() if each.leaving else set(each.learning) - assigned[name]
                for name, each in members.items()
            },
            standby={name: each.standby - assigned[name] for name, each in members.items()},
        )

    def _step(self, target: Assignment) -> RebalancePlan:
        members = self._members
        assigned: dict[str, set[TaskId]] = {name: set() for name in members}
        learning = {name: set(target.warmup.get(name, ())) for name in members}
        followup = target.followup
        for name, tasks in target.active.items():
            wanted, member = set(tasks), members[name]
            kept = wanted & member.has()
            assigned[name] |= kept
            for task in wanted - kept:
                last = self._owner.get(task)
                if last is None or self._moves_now(task, member, members[last]):
                    assigned[name].add(task)
                elif self._waits(task, member, members[last]):
                    assigned[last].add(task)
                    learning[name].add(task)
                    followup = True
                # Else its owner gives it up after this rebalance, and it moves in the next.
        return RebalancePlan(
            assigned=assigned,
            learning=learning,
            standby={name: frozenset(target.standby.get(name, ())) for name in members},
            followup=followup,
        )

    def _moves_now(self, task: TaskId, to: Member, last: Member) -> bool:
        return task in last.suspended and not self._waits(task, to, last)

    def _waits(self, task: TaskId, to: Member, last: Member) -> bool:
        """Whether a member that leaves keeps a task, as the new owner has yet to learn it."""
        stateful = self._work.stateful
        if not last.leaving or not self._patient:
            return False
        if stateful is not None and task not in stateful:
            return False
        lag = to.copies.get(task, self._work.sizes.get(task, -1))
        return not is_ready(lag, self._configs.acceptableRecoveryLag())
