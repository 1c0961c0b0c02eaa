"""Rack-aware placement of tasks: little traffic across racks."""

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
"""How often all pairs of clients are looked at for better places of standbys."""
LIMIT = 4_000_000
"""Pairs of task and client up to which the exact solution is looked for."""

Sets = list[set[int]]
Racks = Sequence[AbstractSet[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RackCosts:
    """What it costs to have a task somewhere."""

    traffic: int
    """For each partition that has no replica in the client's rack."""
    non_overlap: int
    """For being elsewhere than where it was to be."""
    racks: Sequence[str]
    """By client."""
    partitions: Mapping[int, Racks]
    """By task, for each of its partitions, the racks of the replicas."""

    def row(self, task: int, home: int) -> list[int]:
        """Return by client what it costs to have a task there."""
        partitions = self.partitions.get(task, ())
        by_rack = {
            rack: self.traffic * sum(rack not in replicas for replicas in partitions)
            for rack in set(self.racks)
        }
        row = [by_rack[rack] + self.non_overlap for rack in self.racks]
        row[home] -= self.non_overlap
        return row

    def total(self, homes: Mapping[int, int]) -> int:
        """Return the traffic of an assignment."""
        return sum(self.row(task, home)[home] for task, home in homes.items())


def move_active(
    active: Sets,
    tasks: AbstractSet[int],
    costs: RackCosts,
    strategy: str,
    threads: Sequence[int],
    group: Callable[[int], object],
) -> None:
    """Move active tasks to where they cost least.

    Args:
        active: By client, its tasks; changed in place.
        tasks: Those that may be moved.
        costs: What they cost.
        strategy: ``min_traffic`` leaves every client as many tasks as it had.
            ``balance_subtopology`` gives the threads equally many tasks of each sub-topology.
        threads: By client.
        group: The sub-topology of a task.
    """
    homes = {task: home for home, own in enumerate(active) for task in own if task in tasks}
    if len(homes) * len(active) > LIMIT:
        log.warning(
            "%d tasks on %d clients are too many to look for the cheapest placement by racks; "
            "they stay where they are",
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
    """Exchange standby tasks between clients of different racks while that saves something.

    Args:
        standby: By client, its tasks; changed in place.
        tasks: Those that may be moved.
        costs: What they cost.
        may_have: Whether a task of one client (first) may go to another one (second).
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
            continue  # what was exchanged before has changed who has what
        standby[one] = standby[one] - {task} | {exchanged}
        standby[other] = standby[other] - {exchanged} | {task}
        moved = True
    return moved
