"""Member of a simulated group, and its subscription."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from millstream.core.processor import TaskId
from millstream.testing.rebalance.life_cycles import (
    LEARNER,
    MEMBER,
    LearnerEvent,
    LearnerState,
    MemberState,
)
from millstream.topology.assign.cluster import Instance
from millstream.topology.assign.numbered import is_ready, sort_key

NO_TASKS: frozenset[TaskId] = frozenset()


class Protocol(enum.Enum):
    """What members stop when a rebalance begins."""

    EAGER = "eager"
    """Everything: any task may have another owner afterwards."""
    COOPERATIVE = "cooperative"
    """Nothing: what is to move is revoked at the end, and moves in a second rebalance."""
    LEARNERS = "learners"
    """What others learn: that can move in one rebalance, the rest runs on (KIP-429)."""


@dataclass(frozen=True, slots=True)
class Share:
    """A member's tasks: what it joins with, or what it is assigned.

    Written as KIP-429 writes it.
    """

    assigned: frozenset[TaskId] = NO_TASKS
    revoked: frozenset[TaskId] = NO_TASKS
    learning: frozenset[TaskId] = NO_TASKS

    def __str__(self) -> str:
        parts = ("assigned", self.assigned), ("revoked", self.revoked), ("learning", self.learning)
        return "(" + ", ".join(f"{name}: {_listed(tasks)}" for name, tasks in parts) + ")"


@dataclass(slots=True, kw_only=True)
class Member:
    """State of one member."""

    name: str
    threads: int = 1
    tags: Mapping[str, str] = field(default_factory=dict)
    rack: str | None = None
    state: MemberState = MEMBER.initial
    owned: set[TaskId] = field(default_factory=set)
    """What it runs."""
    suspended: set[TaskId] = field(default_factory=set)
    """What it has stopped for the time of a rebalance."""
    learned: frozenset[TaskId] = NO_TASKS
    """What it owns and others learn."""
    standby: frozenset[TaskId] = NO_TASKS
    learning: dict[TaskId, LearnerState] = field(default_factory=dict)
    copies: dict[TaskId, int] = field(default_factory=dict)
    """State on its disk of tasks that it does not run: how many entries each is behind."""
    ran: frozenset[TaskId] = NO_TASKS
    """What it ran when it was lost; until the next assignment after its return."""
    leaving: bool = False
    leaves_at: int | None = None

    def has(self) -> set[TaskId]:
        """Return the tasks that it owns, running or suspended."""
        return self.owned | self.suspended

    def instance(self, back: Iterable[TaskId] = ()) -> Instance:
        """Return the member as assignors see it.

        Args:
            back: Tasks that it ran until it was lost, and no member has run since.
        """
        return Instance(
            id=self.name,
            threads=self.threads,
            active=(*self.owned, *self.suspended, *back),
            standby=tuple(self.copies.keys() | self.learning.keys() | self.standby),
            lags=self.copies,
            tags=self.tags,
            rack=self.rack,
        )

    def joins_with(self) -> Share:
        """Return what its subscription says."""
        return Share(frozenset(self.owned), frozenset(self.suspended), frozenset(self.learning))

    def learner(self, task: TaskId, event: LearnerEvent) -> LearnerState:
        """Bring a learner into its next state, and return that.

        Raises:
            ImpossibleEventError: The event cannot happen in its state.
        """
        state = LEARNER.after(self.learning.get(task, LEARNER.initial), event)
        if state in (LearnerState.RESTORING, LearnerState.READY):
            self.learning[task] = state
        else:
            del self.learning[task]
        return state

    def learners_move(self, lags: Mapping[TaskId, int], acceptable: int) -> bool:
        """Bring learners where their lags say they are; return whether one is ready by that."""
        one_is_ready = False
        for task, lag in lags.items():
            state, ready = self.learning.get(task), is_ready(lag, acceptable)
            if ready and state is LearnerState.RESTORING:
                self.learner(task, LearnerEvent.CAUGHT_UP)
                one_is_ready = True
            elif not ready and state is LearnerState.READY:
                self.learner(task, LearnerEvent.FELL_BEHIND)
        return one_is_ready


def _listed(tasks: Iterable[TaskId]) -> str:
    return f"[{', '.join(map(str, sorted(tasks, key=sort_key)))}]"
