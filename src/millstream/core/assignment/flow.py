"""Cheapest placement of tasks for a fixed number of tasks per client (minimum-cost flow)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

ROOM = -2
"""What a client that could have one more passes on, when it gets a task."""


def cheapest(
    costs: Sequence[Sequence[int]],
    start: Sequence[int],
    counts: Sequence[int],
    more: AbstractSet[int] = frozenset(),
) -> list[int]:
    """Return for each task the client that it goes to, at the least total cost.

    It is a flow of least cost, found by cancelling negative cycles: as long as passing tasks round
    in a ring of clients saves something, they are passed.

    Args:
        costs: By task, by client: what it costs to have the task there.
        start: By task, the client where it is; ties go to it.
        counts: How many tasks each client is to get, added up the number of tasks.
        more: The clients whose count has one more than others have, which may as well be others;
            none if the counts are fixed.

    Example:
        >>> cheapest([[9, 1], [1, 9]], [0, 1], [1, 1])
        [1, 0]
    """
    where = _filled(costs, start, counts)
    held: list[set[int]] = [set() for _ in counts]
    for task, client in enumerate(where):
        held[client].add(task)
    free = {each for each in range(len(counts)) if each not in more} if more else set()
    ring = _Ring(costs, held, free)
    while cycle := ring.negative_cycle():
        passed = [(ring.best[source][target], source, target) for source, target in cycle]
        for task, source, target in passed:
            if task == ROOM:
                free.remove(source)
                free.add(target)
                continue
            held[source].remove(task)
            held[target].add(task)
            where[task] = target
        ring.refresh([source for source, _ in cycle])
    return where


def fair_counts(
    total: int, threads: Sequence[int], before: Sequence[int]
) -> tuple[list[int], set[int]]:
    """Return how many of some tasks each client gets, and who of them gets one more than others.

    Args:
        total: The number of tasks.
        threads: By client: each thread gets equally many, as far as that goes.
        before: By client, how many other tasks it has; what does not divide goes to those with the
            fewest for each thread.
    """
    each, rest = divmod(total, sum(threads))
    again, rest = divmod(rest, len(threads))
    clients = range(len(threads))
    more = set(sorted(clients, key=lambda one: before[one] / threads[one])[:rest])
    return [each * threads[one] + again + (one in more) for one in clients], more


def _filled(
    costs: Sequence[Sequence[int]], start: Sequence[int], counts: Sequence[int]
) -> list[int]:
    left = list(counts)
    where = [-1] * len(start)
    for task, client in enumerate(start):
        if left[client]:
            left[client] -= 1
            where[task] = client
    for task, client in enumerate(where):
        if client < 0:
            row = costs[task]
            best = min((each for each in range(len(left)) if left[each]), key=row.__getitem__)
            left[best] -= 1
            where[task] = best
    return where


class _Ring:
    """What passing one task from each client to each other one would save."""

    def __init__(
        self, costs: Sequence[Sequence[int]], held: list[set[int]], free: set[int]
    ) -> None:
        self._costs = costs
        self._held = held
        self._free = free
        size = range(len(held))
        self._weights: list[list[int | None]] = [[None for _ in size] for _ in size]
        self.best = [[-1 for _ in size] for _ in size]
        self.refresh(size)

    def refresh(self, clients: Iterable[int]) -> None:
        """Look again at what clients have."""
        for source in range(len(self._held)) if self._free else clients:
            rows = [(self._costs[task], task) for task in sorted(self._held[source])]
            has_room = source in self._free
            for target in range(len(self._held)):
                change, task = min(
                    ((row[target] - row[source], task) for row, task in rows), default=(None, -1)
                )
                if has_room and target not in self._free and (change is None or change > 0):
                    change, task = 0, ROOM
                self._weights[source][target], self.best[source][target] = change, task

    def negative_cycle(self) -> list[tuple[int, int]]:
        """Return a ring of clients around which passing tasks saves something; empty for none."""
        size = range(len(self._held))
        edges = [
            (source, target, weight)
            for source in size
            for target in size
            if source != target and (weight := self._weights[source][target]) is not None
        ]
        distance = [0 for _ in size]
        before = [-1 for _ in size]
        last = -1
        for _ in size:
            last = -1
            for source, target, weight in edges:
                if distance[source] + weight < distance[target]:
                    distance[target] = distance[source] + weight
                    before[target] = source
                    last = target
            if last < 0:
                return []
        for _ in size:
            last = before[last]
        cycle = []
        at = last
        while True:
            cycle.append((before[at], at))
            at = before[at]
            if at == last:
                return cycle[::-1]
