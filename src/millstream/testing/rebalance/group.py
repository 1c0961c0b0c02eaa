"""Simulated consumer group and its rebalances, without network; the caller gives the time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from millstream.core.assignment import AssignmentConfigs
from millstream.core.errors import IllegalArgumentException, IllegalStateException
from millstream.core.processor import TaskId
from millstream.testing.rebalance.leader import Leader, RebalancePlan, Work
from millstream.testing.rebalance.life_cycles import (
    GROUP,
    MEMBER,
    GroupEvent,
    GroupStage,
    LearnerState,
    MemberEvent,
    MemberState,
    TaskEvent,
    TaskState,
)
from millstream.testing.rebalance.member import NO_TASKS, Member, Protocol, Share
from millstream.testing.rebalance.records import Rebalance
from millstream.testing.rebalance.standing import Standing
from millstream.topology.assign.assignor import Assignor

DEFAULTS = AssignmentConfigs(10_000, 2, 0, 600_000, [])


class SimulatedGroup:
    """Members, tasks and a leader; the caller lets things happen and runs the rebalances.

    Args:
        assignor: Where tasks should be.
        tasks: All tasks, or `Work` that says more about them.
        configs: The assignor's configuration; Kafka's defaults if left out.
        protocol: What members stop when a rebalance begins.
        max_delay_ms: How long the tasks of a lost member wait for its return, at most.

    Source: KIP-429.

    Example:
        >>> from millstream.topology.assign.sticky import Sticky
        >>> group = SimulatedGroup(Sticky(), [TaskId(0, 0), TaskId(0, 1)])
        >>> group.join("a")
        >>> print(group.rebalance().assigned["a"])
        (assigned: [0_0, 0_1], revoked: [], learning: [])
    """

    def __init__(
        self,
        assignor: Assignor,
        tasks: Iterable[TaskId] | Work,
        configs: AssignmentConfigs = DEFAULTS,
        *,
        protocol: Protocol = Protocol.LEARNERS,
        max_delay_ms: int = 0,
    ) -> None:
        self.state = GROUP.initial
        self.now_ms = 0
        self.generation = 0
        self.planned_ms: int | None = None
        self._assignor = assignor
        self._work = tasks if isinstance(tasks, Work) else Work(tasks=tuple(tasks))
        self._configs = configs
        self._standing = Standing(self._work.tasks, protocol)
        self.members = self._standing.members
        self._protocol = protocol
        self._max_delay_ms = max_delay_ms
        self._delay_until: int | None = None
        self._reason = GroupEvent.MEMBER_JOINS
        self._joined: dict[str, Share] = {}

    # What is so.

    @property
    def due(self) -> bool:
        """Whether a rebalance is to be run now."""
        return self.state in (
            GroupStage.JOINING,
            GroupStage.ASSIGNING,
            GroupStage.REVOKING,
        )

    @property
    def leader(self) -> str | None:
        """The member that has been there the longest; None in an empty group."""
        return next(iter(self.members), None)

    def owners(self) -> dict[TaskId, str]:
        """Return the member that runs each task; tasks that no member runs are left out."""
        return {task: name for name, each in self.members.items() for task in each.owned}

    def task_state(self, task: TaskId) -> TaskState:
        """Return the state of a task."""
        return self._standing.states[task]

    def learners(self) -> dict[str, dict[TaskId, LearnerState]]:
        """Return the learners of each member that has some."""
        return {name: dict(each.learning) for name, each in self.members.items() if each.learning}

    # What may happen.

    def join(
        self,
        name: str,
        *,
        threads: int = 1,
        tags: Mapping[str, str] | None = None,
        rack: str | None = None,
        copies: Mapping[TaskId, int] | None = None,
    ) -> None:
        """A member starts.

        Args:
            name: One that was there before comes back with its disk.
            threads: How many tasks it can run side by side.
            tags: Its client tags.
            rack: Its rack.
            copies: The state on its disk, if that is not what it left: entries behind, by task.

        Raises:
            IllegalArgumentException: It is there already.
        """
        if name in self.members:
            raise IllegalArgumentException(f'member "{name}" is in the group already')
        member = Member(name=name, threads=threads, tags=tags or {}, rack=rack)
        self._standing.comes(member, copies)
        self._happens(GroupEvent.MEMBER_JOINS)

    def leave(self, name: str, *, timeout_ms: int | None = None) -> None:
        """A member says that it is leaving. It goes when others have learned its tasks.

        Args:
            name: Who.
            timeout_ms: After this time it goes, whether or not learners are ready.

        Raises:
            IllegalArgumentException: There is no such member.
        """
        member = self._member(name)
        member.state = MEMBER.after(member.state, MemberEvent.LEAVE_ASKED)
        member.leaving = True
        member.leaves_at = None if timeout_ms is None else self.now_ms + timeout_ms
        self._happens(GroupEvent.MEMBER_LEAVES)

    def crash(self, *names: str) -> None:
        """Members are lost without a word; what is on their disks stays there.

        Raises:
            IllegalArgumentException: There is no such member.
        """
        for name in names:
            self._goes(self._member(name), TaskEvent.OWNER_LOST)

    def progress(self, name: str, lags: Mapping[TaskId, int]) -> None:
        """A member's copies are now that many entries behind; a learner may be ready by that.

        Raises:
            IllegalArgumentException: There is no such member.
        """
        member = self._member(name)
        member.copies.update(lags)
        acceptable = self._configs.acceptableRecoveryLag()
        if member.learners_move(lags, acceptable) and self._protocol is Protocol.LEARNERS:
            member.state = MEMBER.after(member.state, MemberEvent.LEARNER_READY)
            self._happens(GroupEvent.LEARNER_READY)

    def catch_up(self, *names: str) -> None:
        """All copies that these members are building are complete; of all members if none is named.

        Raises:
            IllegalArgumentException: There is no such member.
        """
        for name in names or tuple(self.members):
            member = self._member(name)
            self.progress(name, dict.fromkeys([*member.learning, *member.standby], 0))

    def age(self, entries: int) -> None:
        """Copies that are not kept up to date fall behind by so many entries more."""
        for member in self._standing.everybody():
            there = member.state is not MemberState.OUT
            followed = member.standby | member.learning.keys() if there else NO_TASKS
            for task in member.copies.keys() - followed:
                member.copies[task] += entries

    def advance(self, ms: int) -> None:
        """Time passes."""
        self.now_ms += ms
        for member in list(self.members.values()):
            if member.leaves_at is not None and member.leaves_at <= self.now_ms:
                self._goes(member, TaskEvent.REVOKED)
        if self.planned_ms is not None and self.planned_ms <= self.now_ms and self.members:
            self.planned_ms = None
            self._happens(GroupEvent.TIME_COMES)

    # Rebalances.

    def settle(self, *, at_most: int = 100) -> list[Rebalance]:
        """Run rebalances until none is due.

        Raises:
            IllegalStateException: One is due even after ``at_most`` of them.
        """
        done: list[Rebalance] = []
        while self.due and len(done) < at_most:
            done.append(self.rebalance())
        if self.due:
            raise IllegalStateException(
                f"the group does not come to rest in {at_most} rebalances",
                detail=f"The last one was called out because {self._reason.value}.",
            )
        return done

    def rebalance(self) -> Rebalance:
        """Run one rebalance from beginning to end.

        Raises:
            ImpossibleEventError: None is due.
            TaskAssignmentException: The assignor cannot assign the tasks.
        """
        if self.state is not GroupStage.ASSIGNING:
            self.collect()
        return self.assign()

    def collect(self) -> Mapping[str, Share]:
        """Run the first half of a rebalance, until the leader has every subscription.

        Raises:
            ImpossibleEventError: No rebalance is due.
        """
        if self.state is GroupStage.REVOKING:
            self._happens(GroupEvent.REVOKED)
        self.state = GROUP.after(self.state, GroupEvent.ALL_JOINED)
        self._standing.gather()
        self._joined = {name: each.joins_with() for name, each in self.members.items()}
        return self._joined

    def assign(self) -> Rebalance:
        """Run the second half of a rebalance: the leader assigns.

        Raises:
            ImpossibleEventError: The first half has not been run.
            TaskAssignmentException: The assignor cannot assign the tasks.
        """
        held = self._reserved()
        # Fails here if it is not time to assign, before anything has changed.
        GROUP.after(self.state, GroupEvent.ASSIGNED)
        plan = Leader(
            self.members,
            self._work,
            held,
            self._assignor,
            self._configs,
            patient=self._protocol is not Protocol.EAGER,
        ).plan()
        leader = self.leader or ""
        started, revoking = self._standing.apply(plan)
        self._conclude(plan, revoking=revoking)
        self.generation += 1
        record = Rebalance(
            generation=self.generation,
            at_ms=self.now_ms,
            reason=self._reason,
            leader=leader,
            joined=self._joined,
            assigned=self._shares(),
            started=started,
            waiting=self._standing.without_owner(),
            next_ms=self.planned_ms,
        )
        self._standing.release()
        if not self.members:
            self._empty()
        self._ready_at_once()
        return record

    # Inside.

    def _member(self, name: str) -> Member:
        if name not in self.members:
            raise IllegalArgumentException(f'there is no member "{name}"')
        return self.members[name]

    def _happens(self, event: GroupEvent) -> None:
        self.state = GROUP.after(self.state, event)
        self._reason = event

    def _goes(self, member: Member, event: TaskEvent) -> None:
        self._standing.goes(member, event)
        if self.members:
            self._happens(GroupEvent.MEMBER_LOST)
        else:
            self._empty()

    def _empty(self) -> None:
        self._happens(GroupEvent.LAST_MEMBER_GONE)
        self.planned_ms = self._delay_until = None

    def _reserved(self) -> frozenset[TaskId]:
        """Return the tasks reserved for lost members, and begin or end the delay."""
        lost, until = self._standing.lost(), self._delay_until
        if until is None and lost and self._max_delay_ms:
            until = self.now_ms + self._max_delay_ms
        elif until is not None and until <= self.now_ms:
            until = None
        back = {task for each in self.members.values() for task in each.ran}
        held = lost - back if until is not None else NO_TASKS
        self._delay_until = until if held else None
        return held

    def _conclude(self, plan: RebalancePlan, *, revoking: bool) -> None:
        """Bring the group into the state that follows, and plan the next rebalance."""
        result = GroupEvent.ASSIGNED
        if revoking:
            result = GroupEvent.ASSIGNED_WITH_REVOCATIONS
        elif self._delay_until is not None:
            result = GroupEvent.ASSIGNED_WITH_DELAY
        self.state = GROUP.after(self.state, result)
        self.planned_ms = self._delay_until
        # A learner calls out a rebalance when it is ready; a standby that is to take over does not.
        called = self._protocol is Protocol.LEARNERS and any(plan.learning.values())
        if plan.followup and not called:
            probing = self.now_ms + self._configs.probingRebalanceIntervalMs()
            self.planned_ms = min(probing, self.planned_ms or probing)

    def _shares(self) -> dict[str, Share]:
        shares = {}
        for name, member in self.members.items():
            came = self._joined[name]
            revoked = (came.assigned | came.revoked) - member.owned
            shares[name] = Share(frozenset(member.owned), revoked, frozenset(member.learning))
        return shares

    def _ready_at_once(self) -> None:
        """A learner whose copy is good enough already does not wait for news of it."""
        for name, member in tuple(self.members.items()):
            known = member.learning.keys() & member.copies.keys()
            self.progress(name, {task: member.copies[task] for task in known})
