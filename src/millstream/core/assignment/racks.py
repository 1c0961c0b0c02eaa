"""Rack-aware placement of tasks, with little traffic between racks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from millstream.core.assignment.flow import cheapest, fair_counts

log = logging.getLogger("millstream.assignment")

MIN_TRAFFIC = "min_traffic"
BALANCE_SUBTOPOLOGY = "balance_subtopology"
ROUNDS = 4
"""Maximum number of rounds over all pairs of clients to exchange standbys."""
LIMIT = 4_000_000
"""Maximum number of pairs of task and client for the exact solution."""

Sets = list[set[int]]
Racks = Sequence[AbstractSet[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RackCosts:
    """Costs of a task on a client."""

    traffic: int
    """Cost of each partition without a replica in the client's rack."""
    non_overlap: int
    """Cost of a move to another client."""
    racks: Sequence[str]
    """Rack by client."""
    partitions: Mapping[int, Racks]
    """Racks of the replicas of each partition, by task."""

    def row(self, task: int, home: int) -> list[int]:
        """Return the cost of a task by client."""
        partitions = self.partitions.get(task, ())
        by_rack = {
            rack: self.traffic * sum(rack not in replicas for replicas in partitions)
            for rack in set(self.racks)
        }
        row = [by_rack[rack] + self.non_overlap for rack in self.racks]
        row[home] -= self.non_overlap
        return row

    def total(self, homes: Mapping[int, int]) -> int:
        """Return the traffic cost of an assignment."""
        return sum(self.row(task, home)[home] for task, home in homes.items())


def move_active(
    active: Sets,
    tasks: AbstractSet[int],
    costs: RackCosts,
    strategy: str,
    threads: Sequence[int],
    group: Callable[[int], object],
) -> None:
    """Move active tasks to the clients with the least cost.

    Args:
        active: Tasks by client; changed in place.
        tasks: The tasks that may move.
        costs: Costs of tasks.
        strategy: ``min_traffic`` keeps each client's number of tasks.
            ``balance_subtopology`` balances the tasks of each sub-topology over the threads.
        threads: Number of threads by client.
        group: The sub-topology of a task.
    """
    homes = {task: home for home, own in enumerate(active) for task in own if task in tasks}
    if len(homes) * len(active) > LIMIT:
        log.warning(
            "%d tasks on %d clients are too many for a rack-aware assignment; they are not moved",
            len(homes),
            len(active),
        )
        return
    ordered = sorted(homes)
    if strategy == MIN_TRAFFIC:
        groups = [ordered]
    else:
        by_group: dict[object, list[int]] = {}
        for task in ordered:
            by_group.setdefault(group(task), []).append(task)
        groups = list(by_group.values())
    others = [len(own - tasks) for own in active]
    for members in groups:
        more: set[int] = set()
        counts = [sum(homes[task] == each for task in members) for each in range(len(active))]
        if strategy != MIN_TRAFFIC:
            counts, more = fair_counts(len(members), threads, others)
        start = [homes[task] for task in members]
        rows = [costs.row(task, homes[task]) for task in members]
        targets = cheapest(rows, start, counts, more)
        for task, target in zip(members, targets, strict=True):
            others[target] += 1
            active[homes[task]].remove(task)
            active[target].add(task)


def move_standbys(
    standby: Sets,
    tasks: AbstractSet[int],
    costs: RackCosts,
    may_have: Callable[[int, int, int], bool],
) -> None:
    """Exchange standby tasks between clients of different racks while the cost decreases.

    Args:
        standby: Tasks by client; changed in place.
        tasks: The tasks that may move.
        costs: Costs of tasks.
        may_have: Whether a task may move from one client (first) to another (second).
    """
    clients = range(len(standby))
    for _ in range(ROUNDS):
        moved = False
        for one in clients:
            for other in clients[one + 1 :]:
                if costs.racks[one] != costs.racks[other]:
                    moved |= _exchange(standby, tasks, costs, may_have, one, other)
        if not moved:
            return


def _exchange(
    standby: Sets,
    tasks: AbstractSet[int],
    costs: RackCosts,
    may_have: Callable[[int, int, int], bool],
    one: int,
    other: int,
) -> bool:
    def gains(source: int, target: int) -> list[tuple[int, int]]:
        found = []
        for task in standby[source] & tasks:
            if may_have(source, target, task):
                row = costs.row(task, source)
                found.append((row[target] - row[source], task))
        return sorted(found)

    moved = False
    there, back = gains(one, other), gains(other, one)
    for (change, task), (opposite, exchanged) in zip(there, back, strict=False):
        if change + opposite >= 0:
            break
        if not (may_have(one, other, task) and may_have(other, one, exchanged)):
            continue  # earlier exchanges have changed the clients' tasks
        standby[one] = standby[one] - {task} | {exchanged}
        standby[other] = standby[other] - {exchanged} | {task}
        moved = True
    return moved
