"""Sticky assignor: tasks stay with their owners (KIP-429)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from millstream.core.assignment import AssignmentConfigs
from millstream.core.assignment.placement import ByLoad, Placement, Sets
from millstream.core.assignment.standbys import Standbys
from millstream.topology.assign.by_rack import NONE, ByRack
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.numbered import NO_OWNER, IndexedCluster, numbered

TRAFFIC, NON_OVERLAP = 1, 10
"""Default costs: here, moving is worse than reading across racks."""


class Sticky:
    """Stickiness over balance.

    The capacity of an instance is the average number of tasks per thread, rounded down, times its
    threads. Tasks stay with their previous owner while it has capacity; then they go to an instance
    that has a copy, while it has capacity; the rest goes, sub-topology by sub-topology, to the
    least loaded instance: of several, to the previous owner, else to one with a copy.

    A stateful task whose new owner is more than ``acceptable.recovery.lag`` behind stays with the
    previous owner for now; the new one gets a learner, and the assignment asks for a follow-up. So
    no task is revoked before another instance can continue it.
    """

    name = "sticky"

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        known = numbered(cluster)
        placement = Placement(known.threads)
        wanted = self._by_rack(cluster, known, configs, self._owners(known))
        warmup: list[set[int]] = [set() for _ in known.threads]
        acceptable = configs.acceptableRecoveryLag()
        for task, owner in enumerate(wanted):
            last = known.owner[task]
            if (
                last in (owner, NO_OWNER)
                or not known.stateful[task]
                or known.ready(task, owner, acceptable)
            ):
                placement.active[owner].add(task)
            else:
                placement.active[last].add(task)
                warmup[owner].add(task)
        standby = self._copies(known, wanted, warmup, configs)
        return known.assignment(placement.active, standby, warmup, followup=any(map(bool, warmup)))

    def _owners(self, known: IndexedCluster) -> list[int]:
        threads = known.threads
        # Rounded down per instance, not per thread: else more is left over than there are
        # instances, and a cluster in which nothing has changed would move tasks.
        total = sum(threads)
        capacity = [len(known.tasks) * each // total for each in threads]
        left = list(capacity)
        owners = [NO_OWNER] * len(known.tasks)
        for task, last in enumerate(known.owner):
            if last != NO_OWNER and left[last]:
                left[last] -= 1
                owners[task] = last
        for task, copies in sorted(known.copies.items()):
            if owners[task] == NO_OWNER:
                free = [each for each in copies if left[each]]
                if free:
                    owner = min(free, key=lambda each: (known.lag(task, each), each))
                    left[owner] -= 1
                    owners[task] = owner
        counts = [each - rest for each, rest in zip(capacity, left, strict=True)]
        by_load = ByLoad(len(threads), lambda each: counts[each] / threads[each])
        for task, owner in enumerate(owners):
            if owner == NO_OWNER:
                least, owner = by_load.first()
                for each in (known.owner[task], *known.copies.get(task, ())):
                    if each != NO_OWNER and counts[each] / threads[each] == least:
                        owner = each
                        break
                counts[owner] += 1
                owners[task] = owner
        return owners

    def _by_rack(
        self,
        cluster: Cluster,
        known: IndexedCluster,
        configs: AssignmentConfigs,
        owners: list[int],
    ) -> list[int]:
        if configs.rackAwareAssignmentStrategy() == NONE:
            return owners
        active: Sets = [set() for _ in known.threads]
        for task, owner in enumerate(owners):
            active[owner].add(task)
        by_rack = ByRack(cluster, known, configs, traffic=TRAFFIC, non_overlap=NON_OVERLAP)
        by_rack.stateful(active)
        by_rack.stateless(active)
        owner_of = {task: owner for owner, tasks in enumerate(active) for task in tasks}
        return [owner_of[task] for task in range(len(owners))]

    def _copies(
        self,
        known: IndexedCluster,
        wanted: list[int],
        warmup: list[set[int]],
        configs: AssignmentConfigs,
    ) -> list[set[int]]:
        replicas = configs.numStandbyReplicas()
        placement = Placement(known.threads)
        for task, owner in enumerate(wanted):
            placement.active[owner].add(task)
        if not replicas:
            return placement.standby
        learning = set().union(*warmup)
        for task in sorted(learning):
            # One copy is being built: others have time until the task has moved.
            runs = (wanted[task], known.owner[task])
            others = (each for each in known.copies.get(task, ()) if each not in runs)
            for each in islice(others, replicas):
                placement.standby[each].add(task)
        stateful = {
            task: owner
            for task, owner in enumerate(wanted)
            if known.stateful[task] and task not in learning
        }
        total = len(known.tasks) + replicas * sum(known.stateful)
        average = -(-total // sum(known.threads))

        def keep(task: int) -> Iterable[int]:
            # The instance that ran a task before has the best copy of it.
            for each in (known.owner[task], *known.copies.get(task, ())):
                if each != NO_OWNER and placement.count(each) < average * known.threads[each]:
                    yield each

        Standbys(placement, replicas, known.tags(configs), keep).place(stateful)
        return placement.standby
