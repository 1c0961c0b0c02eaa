"""Movements of tasks to their target instances, each only where the state is ready."""

from __future__ import annotations

from collections.abc import Iterator

from millstream.core.assignment.placement import Placement, Sets
from millstream.core.java_collections import PriorityQueue
from millstream.topology.assign.numbered import IndexedCluster, is_ready

Movement = tuple[int, int, int]


class Movements:
    """Leaves tasks where their state is and has a few copies built where it should be.

    Args:
        cluster: Who has what, and how far behind.
        placement: Where tasks should be; it becomes where they can be now.
        acceptable: How far behind a copy may be and still take over.
        warmups: How many copies may be built at the same time.
    """

    def __init__(
        self, cluster: IndexedCluster, placement: Placement, acceptable: int, warmups: int
    ) -> None:
        self._cluster = cluster
        self._placement = placement
        self._acceptable = acceptable
        self._left = warmups
        self.warmup: Sets = [set() for _ in placement.threads]

    def active(self) -> int:
        """Leave active tasks where their state is; return how many are not in place."""
        planned = sorted(self._planned(self._placement.active))
        for _, task, target in planned:
            self._move_active(task, target)
        return len(planned)

    def standby(self) -> int:
        """Leave standbys where their state is; return how many are not in place."""
        placement, moved = self._placement, 0
        # Two copies of one task may have to move, and a Java heap decides which comes first.
        tasks = len(self._cluster.tasks)
        queue: PriorityQueue[Movement] = PriorityQueue(lambda each: each[0] * tasks + each[1])
        for movement in self._planned(placement.standby):
            queue.add(movement)
        while queue:
            _, task, target = queue.poll()
            source = placement.lightest(
                [each for each in self._caught_up(task) if not placement.has(each, task)]
            )
            if source is None:
                source = self._less_behind(task, target)
            if source is None:
                continue
            placement.standby[source].add(task)
            if self._warm_up():
                self.warmup[target].add(task)
            else:
                placement.standby[target].remove(task)
            moved += 1
        return moved

    def _planned(self, sets: Sets) -> list[Movement]:
        # Those with the fewest to choose from first.
        lags, absent = self._cluster.lags, self._cluster.absent
        acceptable = self._acceptable
        planned = []
        for target, tasks in enumerate(sets):
            warming = self.warmup[target]
            for task in sorted(tasks):
                known = lags.get(task)
                if not known:
                    continue  # all are equally far behind
                lag = known.get(target, absent[task])
                if is_ready(lag, acceptable) or task in warming:
                    continue
                least = min(known.values())
                if len(known) < len(sets):
                    least = min(least, absent[task])
                if least < lag:
                    planned.append((len(self._caught_up(task)), task, target))
        return planned

    def _caught_up(self, task: int) -> list[int]:
        known, acceptable = self._cluster.lags.get(task, {}), self._acceptable
        found = [each for each, lag in known.items() if is_ready(lag, acceptable)]
        if is_ready(self._cluster.absent[task], acceptable):
            found += [each for each in range(len(self.warmup)) if each not in known]
        return found

    def _move_active(self, task: int, target: int) -> None:
        placement = self._placement
        ready = self._caught_up(task)
        source = placement.lightest([each for each in ready if task in placement.standby[each]])
        if source is None:
            source = placement.lightest(ready)
        if source is None:
            source = next(self._by_lag(task))
        placement.active[target].remove(task)
        placement.active[source].add(task)
        if task in placement.standby[source]:
            placement.standby[source].remove(task)
            placement.standby[target].add(task)
        elif self._warm_up():
            placement.standby[target].add(task)
            self.warmup[target].add(task)

    def _warm_up(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def _less_behind(self, task: int, target: int) -> int | None:
        for each in self._by_lag(task):
            if each == target:
                return None
            if not self._placement.has(each, task):
                return each
        return None

    def _by_lag(self, task: int) -> Iterator[int]:
        known, absent = self._cluster.lags.get(task, {}), self._cluster.absent[task]
        ordered = sorted((lag, each) for each, lag in known.items())
        yield from (each for lag, each in ordered if lag < absent)
        level = {each for lag, each in ordered if lag == absent}
        yield from (each for each in range(len(self.warmup)) if each in level or each not in known)
        yield from (each for lag, each in ordered if lag > absent)
