"""Owners and states of the tasks of a simulated group, and their changes in a rebalance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from millstream.core.processor import TaskId
from millstream.testing.rebalance.leader import RebalancePlan
from millstream.testing.rebalance.life_cycles import (
    MEMBER,
    TASK,
    LearnerEvent,
    MemberEvent,
    MemberState,
    TaskEvent,
    TaskState,
)
from millstream.testing.rebalance.member import NO_TASKS, Member, Protocol
from millstream.testing.rebalance.records import Start

WITH_OWNER = frozenset({TaskState.RUNNING, TaskState.LEARNED, TaskState.SUSPENDED})


class Standing:
    """The members, those that are gone, and the state of every task.

    Args:
        tasks: All tasks.
        protocol: What members stop when a rebalance begins.
    """

    def __init__(self, tasks: Iterable[TaskId], protocol: Protocol) -> None:
        self.members: dict[str, Member] = {}
        self.states: dict[TaskId, TaskState] = dict.fromkeys(tasks, TASK.initial)
        self._protocol = protocol
        self._gone: dict[str, Member] = {}
        self._last_owner: dict[TaskId, str] = {}

    def everybody(self) -> Iterable[Member]:
        """Return the members, and those that are gone: they may come back with their disks."""
        return (*self.members.values(), *self._gone.values())

    def without_owner(self) -> frozenset[TaskId]:
        """Return the tasks that no member runs."""
        return frozenset(task for task, state in self.states.items() if state not in WITH_OWNER)

    def lost(self) -> frozenset[TaskId]:
        """Return the tasks whose owners are lost."""
        states = self.states.items()
        return frozenset(task for task, state in states if state is TaskState.LOST)

    def comes(self, member: Member, copies: Mapping[TaskId, int] | None) -> None:
        """A member starts, with its own disk if ``copies`` is None."""
        before = self._gone.pop(member.name, None)
        if copies is not None:
            member.copies = dict(copies)
        elif before is not None:
            member.copies, member.ran = before.copies, before.ran
        member.state = MEMBER.after(member.state, MemberEvent.STARTS)
        self.members[member.name] = member

    def goes(self, member: Member, event: TaskEvent) -> None:
        """A member is there no more; ``event`` is what that is to its tasks."""
        self._step(member.has(), event)
        for task in list(member.learning):
            member.learner(task, LearnerEvent.LOST)
        member.ran = frozenset(member.has())
        member.copies.update(dict.fromkeys(member.ran, 0))
        member.state = MEMBER.after(member.state, MemberEvent.LOST)
        self._gone[member.name] = self.members.pop(member.name)

    def gather(self) -> None:
        """All members join: they finish what they were to stop, and suspend what may move."""
        for member in self.members.values():
            if member.state is MemberState.REVOKING:
                member.state = MEMBER.after(member.state, MemberEvent.REVOKED)
            elif member.state is not MemberState.JOINING:
                member.state = MEMBER.after(member.state, MemberEvent.REBALANCE)
            stopped = NO_TASKS
            if self._protocol is Protocol.EAGER:
                stopped = frozenset(member.owned)
            elif self._protocol is Protocol.LEARNERS:
                stopped = member.learned & member.owned
            self._step(stopped, TaskEvent.REBALANCE)
            member.owned -= stopped
            member.suspended |= stopped

    def apply(self, plan: RebalancePlan) -> tuple[dict[TaskId, Start], bool]:
        """Give members their shares; return what starts, and whether a member stops something."""
        started: dict[TaskId, Start] = {}
        revoking = self._take(plan)
        for name, member in self.members.items():
            gets = plan.assigned[name]
            new = gets - member.has()
            _learn(member, plan.learning[name], gets)
            self._step(new, TaskEvent.ASSIGNED)
            for task in new:
                last = self._last_owner.get(task)
                started[task] = Start(name, last, member.copies.pop(task, None))
                self._last_owner[task] = name
            member.owned, member.suspended = set(gets), set()
            member.standby = plan.standby[name] - gets
            member.ran = NO_TASKS
            event = MemberEvent.ASSIGNED
            if name in revoking:
                event = MemberEvent.ASSIGNED_LESS
            elif member.leaving and not gets:
                event = MemberEvent.DRAINED
            member.state = MEMBER.after(member.state, event)
        self._mark_learned(plan)
        return started, bool(revoking)

    def release(self) -> None:
        """Who left and has nothing more to do is not a member any more."""
        gone = [name for name, each in self.members.items() if each.state is MemberState.OUT]
        for name in gone:
            self._gone[name] = self.members.pop(name)

    def _take(self, plan: RebalancePlan) -> set[str]:
        """Take from members what is not in their shares; return those that ran some of it."""
        revoking = set()
        for name, member in self.members.items():
            gets = plan.assigned[name]
            lost = member.has() - gets
            self._step(lost, TaskEvent.REVOKED)
            self._step(member.suspended & gets, TaskEvent.RETURNED)
            if lost & member.owned:
                revoking.add(name)
            member.copies.update(dict.fromkeys(lost, 0))
        return revoking

    def _mark_learned(self, plan: RebalancePlan) -> None:
        """Tell owners which of their tasks others learn."""
        learned = frozenset(task for tasks in plan.learning.values() for task in tasks)
        states = self.states
        for member in self.members.values():
            known = member.learned & member.owned
            before = {task for task in known if states[task] is TaskState.LEARNED}
            member.learned = learned & member.owned
            self._step(before - member.learned, TaskEvent.LEARNER_GONE)
            self._step(member.learned - before, TaskEvent.LEARNER_ASSIGNED)

    def _step(self, tasks: Iterable[TaskId], event: TaskEvent) -> None:
        states = self.states
        for task in tasks:
            states[task] = TASK.after(states[task], event)


def _learn(member: Member, learning: set[TaskId], gets: set[TaskId]) -> None:
    for task in list(member.learning):
        if task in gets:
            member.learner(task, LearnerEvent.PROMOTED)
        elif task in learning:
            member.learner(task, LearnerEvent.KEPT)
        else:
            member.learner(task, LearnerEvent.WITHDRAWN)
    for task in learning - member.learning.keys():
        member.learner(task, LearnerEvent.ASSIGNED)
