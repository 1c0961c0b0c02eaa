"""Cheapest placement of tasks for a fixed number of tasks per client (minimum-cost flow)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

ROOM = -2
"""The 'task' that a client with room for one more passes on when it gets a task."""


def cheapest(
    costs: Sequence[Sequence[int]],
    start: Sequence[int],
    counts: Sequence[int],
    more: AbstractSet[int] = frozenset(),
) -> list[int]:
    """Return the client of each task, with the least total cost.

    The algorithm is minimum-cost flow by cycle cancelling: while a cycle of clients with negative
    cost exists, each client of the cycle passes one task to the next.

    Args:
        costs: Cost by task and client.
        start: Current client by task; preferred at equal costs.
        counts: Number of tasks of each client; their sum is the number of tasks.
        more: The clients whose count is one higher than that of others; other clients may have the
            higher count instead. Empty if the counts are fixed.

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
    """Return the number of tasks for each client, and the clients that get one more than others.

    Args:
        total: The number of tasks.
        threads: Number of threads by client; each thread gets the same number of tasks if possible.
        before: Number of other tasks by client; the remainder goes to the clients with the fewest
            per thread.
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
    """Costs of passing one task from each client to each other client."""

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
        """Compute the costs of clients again."""
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
        """Return a cycle of clients with negative cost; empty for none."""
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
