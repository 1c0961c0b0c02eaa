"""Round-robin assignor."""

from __future__ import annotations

from millstream.core.assignment import AssignmentConfigs
from millstream.core.assignment.placement import Placement
from millstream.core.assignment.standbys import Standbys
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.numbered import numbered


class RoundRobin:
    """Assigns tasks to threads round-robin, whatever was before: for comparison."""

    name = "round-robin"

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        known = numbered(cluster)
        placement = Placement(known.threads)
        order = [
            instance
            for round_ in range(max(known.threads))
            for instance, threads in enumerate(known.threads)
            if threads > round_
        ]
        owners = {}
        for task in range(len(known.tasks)):
            owner = order[task % len(order)]
            placement.active[owner].add(task)
            if known.stateful[task]:
                owners[task] = owner
        replicas = configs.numStandbyReplicas()
        if replicas:
            Standbys(placement, replicas, known.tags(configs)).place(owners)
        nothing: list[set[int]] = [set() for _ in known.threads]
        return known.assignment(placement.active, placement.standby, nothing, followup=False)
