"""Records of simulated rebalances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from millstream.core.processor import TaskId
from millstream.testing.rebalance.life_cycles import GroupEvent
from millstream.testing.rebalance.member import Share


@dataclass(frozen=True, slots=True)
class Start:
    """A task that a member begins to run.

    Args:
        member: Who.
        last: The member that ran it before; None if none did.
        lag: Entries to restore first; None if it has none of the state.
    """

    member: str
    last: str | None
    lag: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebalance:
    """What happened in one rebalance.

    Args:
        generation: Its number, from 1.
        at_ms: The group's time.
        reason: What it was called out for.
        leader: Who assigned.
        joined: What each member came with. ``revoked`` is what it had stopped for this rebalance.
        assigned: What each member went with. ``revoked`` is what it had come with and lost.
        started: The tasks that have a new owner.
        waiting: The tasks that no member runs now: they move, or are reserved for a lost member.
        next_ms: When the next rebalance is planned; None if none is.
    """

    generation: int
    at_ms: int
    reason: GroupEvent
    leader: str
    joined: Mapping[str, Share]
    assigned: Mapping[str, Share]
    started: Mapping[TaskId, Start]
    waiting: frozenset[TaskId]
    next_ms: int | None
