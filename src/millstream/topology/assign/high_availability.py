"""Assignor that moves a task only to an instance that has its state (KIP-441)."""

from __future__ import annotations

from millstream.core.assignment import AssignmentConfigs
from millstream.core.assignment.placement import ByLoad, Placement, balance
from millstream.core.assignment.standbys import Standbys
from millstream.topology.assign.by_rack import ByRack
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.movements import Movements
from millstream.topology.assign.numbered import IndexedCluster, numbered

TRAFFIC, NON_OVERLAP = 10, 1
"""Default costs: here, reading across racks is worse than moving."""


class HighAvailability:
    """Aims at perfect balance, and gets there by a few warm-ups at a time.

    Stateful tasks are distributed evenly over threads, whatever instance had them. A task that
    should go where its state is more than ``acceptable.recovery.lag`` behind stays with an instance
    that is caught up, while at most ``max.warmup.replicas`` copies are built; the assignment then
    asks for a follow-up, the probing rebalance.

    The results are those of Kafka Streams' ``HighAvailabilityTaskAssignor``.
    """

    name = "high-availability"

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        known = numbered(cluster)
        placement = Placement(known.threads)
        stateful = [task for task, has_state in enumerate(known.stateful) if has_state]
        distribute(stateful, placement)
        by_rack = ByRack(cluster, known, configs, traffic=TRAFFIC, non_overlap=NON_OVERLAP)
        by_rack.stateful(placement.active)
        if configs.numStandbyReplicas():
            self._keep_copies(known, placement, configs)
            by_rack.standbys(placement)
        moves = Movements(
            known, placement, configs.acceptableRecoveryLag(), configs.maxWarmupReplicas()
        )
        unfinished = moves.active() + moves.standby()
        self._stateless(known, placement)
        by_rack.stateless(placement.active)
        pairs = zip(placement.standby, moves.warmup, strict=True)
        copies = [standby - warm for standby, warm in pairs]
        return known.assignment(placement.active, copies, moves.warmup, followup=unfinished > 0)

    def _keep_copies(
        self, known: IndexedCluster, placement: Placement, configs: AssignmentConfigs
    ) -> None:
        tags = known.tags(configs)
        owners = {task: owner for owner, tasks in enumerate(placement.active) for task in tasks}
        Standbys(placement, configs.numStandbyReplicas(), tags).place(dict(sorted(owners.items())))
        balance(placement, placement.standby, tags.allowed())

    def _stateless(self, known: IndexedCluster, placement: Placement) -> None:
        active, threads = placement.active, placement.threads
        by_load = ByLoad(len(threads), lambda each: len(active[each]) / threads[each])
        for task, has_state in enumerate(known.stateful):
            if not has_state:
                active[by_load.first()[1]].add(task)


def distribute(tasks: list[int], placement: Placement) -> None:
    """Assign tasks to instances round-robin, then balance them over threads."""
    count = len(placement.threads)
    for number, task in enumerate(tasks):
        placement.active[number % count].add(task)
    balance(placement, placement.active)
