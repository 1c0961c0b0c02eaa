"""Active and standby tasks by instance, while an assignment is computed."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

Allowed = Callable[[int, int], bool]
Sets = list[set[int]]


class Placement:
    """Active and standby tasks of each instance."""

    __slots__ = ("active", "standby", "threads")

    def __init__(self, threads: list[int]) -> None:
        self.threads = threads
        self.active: Sets = [set() for _ in threads]
        self.standby: Sets = [set() for _ in threads]

    def count(self, instance: int) -> int:
        """Return the number of an instance's active and standby tasks."""
        return len(self.active[instance]) + len(self.standby[instance])

    def load(self, instance: int) -> float:
        """Return the number of an instance's tasks per thread."""
        return self.count(instance) / self.threads[instance]

    def has(self, instance: int, task: int) -> bool:
        """Return whether a task is an active or a standby task of an instance."""
        return task in self.active[instance] or task in self.standby[instance]

    def lightest(self, instances: list[int]) -> int | None:
        """Return the instance with the least load, the first of equals; None if there are none."""
        return min(instances, key=lambda each: (self.load(each), each), default=None)


class ByLoad:
    """Instances by load, the least loaded first; loads may only increase."""

    __slots__ = ("_heap", "_load")

    def __init__(self, count: int, load: Callable[[int], float]) -> None:
        self._load = load
        self._heap = [(load(each), each) for each in range(count)]
        heapify(self._heap)

    def first(self) -> tuple[float, int]:
        """Return load and number of the least loaded instance."""
        heap, load_of = self._heap, self._load
        while True:
            load, instance = heap[0]
            now = load_of(instance)
            if load == now:
                return load, instance
            heappop(heap)
            heappush(heap, (now, instance))

    def take(self, allowed: Callable[[int], bool]) -> int | None:
        """Return the least loaded allowed instance; None if there is none."""
        passed = []
        found = None
        while self._heap:
            entry = self.first()
            if allowed(entry[1]):
                found = entry[1]
                break
            passed.append(heappop(self._heap))
        for entry in passed:
            heappush(self._heap, entry)
        return found


def balance(placement: Placement, tasks: Sets, allowed: Allowed | None = None) -> None:
    """Move tasks from more to less loaded instances until no move improves the balance.

    Args:
        placement: All tasks of all instances.
        tasks: The tasks to move: the placement's active or standby tasks.
        allowed: Whether tasks may move from one instance to another.
    """
    threads = placement.threads
    instances = range(len(threads))
    counts = [placement.count(each) for each in instances]
    # Load with one more task: no move to an instance where this is too high.
    room = [(counts[each] + 1) / threads[each] for each in instances]
    moving = True
    while moving:
        moving = False
        for source in instances:
            limit = (counts[source] - 1) / threads[source]
            if min(room) > limit:
                continue
            waiting = sorted(tasks[source])
            own = len(waiting)
            for target in [each for each in instances if room[each] <= limit]:
                if target == source or (allowed and not allowed(source, target)):
                    continue
                if room[target] > (counts[source] - 1) / threads[source]:
                    continue
                for task in waiting:
                    if room[target] > (counts[source] - 1) / threads[source]:
                        break
                    if placement.has(target, task):
                        continue
                    tasks[source].remove(task)
                    tasks[target].add(task)
                    counts[source] -= 1
                    counts[target] += 1
                    room[source] = (counts[source] + 1) / threads[source]
                    room[target] = (counts[target] + 1) / threads[target]
                    moving = True
                if len(tasks[source]) < own:
                    waiting = [task for task in waiting if task in tasks[source]]
                    own = len(waiting)
