"""The group that KIP-429's walk-throughs begin with, and how they write what it does."""

from __future__ import annotations

from collections.abc import Mapping

from compat_tests.testing.rebalance.scripted import Scripted
from millstream import TaskId
from millstream.testing.rebalance.group import SimulatedGroup
from millstream.testing.rebalance.member import Protocol, Share
from millstream.topology.assign.assignor import Assignor

T1, T2, T3, T4, T5 = TASKS = tuple(TaskId(0, number) for number in range(1, 6))
START = {"S1": (T1, T2), "S2": (T3, T4), "S3": (T5,)}
MINUTE = 60_000


class Walk:
    """A group of S1[T1, T2], S2[T3, T4], S3[T5], led by S1; it follows a script."""

    def __init__(
        self,
        owners: Mapping[str, tuple[TaskId, ...]] = START,
        *,
        protocol: Protocol = Protocol.LEARNERS,
        max_delay_ms: int = 0,
        tasks: tuple[TaskId, ...] = TASKS,
    ) -> None:
        self.script = Scripted()
        self.group = SimulatedGroup(
            self.script, tasks, protocol=protocol, max_delay_ms=max_delay_ms
        )
        for name in owners:
            self.group.join(name)
        if owners:
            self.rebalance(place=owners)

    def go_on_with(self, assignor: Assignor) -> None:
        self.group._assignor = assignor

    def rebalance(
        self,
        learn: Mapping[str, tuple[TaskId, ...]] | None = None,
        place: Mapping[str, tuple[TaskId, ...]] | None = None,
    ) -> tuple[list[str], list[str]]:
        """Run one; return what members came with and went with, as the text writes it."""
        self.script.learn(learn or {})
        self.script.place(place or {})
        record = self.group.rebalance()
        self.last = record
        return lines(record.joined), lines(record.assigned)


def lines(shares: Mapping[str, Share]) -> list[str]:
    return [f"{name}{share}".replace("0_", "T") for name, share in shares.items()]
