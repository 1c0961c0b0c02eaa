"""Rack-aware steps of the assignors, on numbers."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from millstream.core.assignment import AssignmentConfigs
from millstream.core.assignment.placement import Placement, Sets
from millstream.core.assignment.racks import RackCosts, move_active, move_standbys
from millstream.core.processor import TaskId
from millstream.topology.assign.cluster import Cluster
from millstream.topology.assign.numbered import IndexedCluster

log = logging.getLogger("millstream.assignment")

NONE = "none"
STATELESS_TRAFFIC = 1
STATELESS_NON_OVERLAP = 0


class ByRack:
    """Moves tasks so that little is read across racks, if ``rack.aware.assignment.strategy`` says.

    Args:
        cluster: The cluster.
        known: The same in numbers.
        configs: The strategy, and what traffic and moves cost.
        traffic: What traffic costs by default.
        non_overlap: What moves cost by default.
    """

    def __init__(
        self,
        cluster: Cluster,
        known: IndexedCluster,
        configs: AssignmentConfigs,
        *,
        traffic: int,
        non_overlap: int,
    ) -> None:
        self._cluster = cluster
        self._known = known
        self._configs = configs
        given = configs.rackAwareTrafficCost(), configs.rackAwareNonOverlapCost()
        self._traffic = traffic if given[0] is None else given[0]
        self._non_overlap = non_overlap if given[1] is None else given[1]

    def stateful(self, active: Sets) -> None:
        """Move active tasks that have state."""
        self._active(active, self._traffic, self._non_overlap, stateful=True)

    def stateless(self, active: Sets) -> None:
        """Move active tasks that have none."""
        self._active(active, STATELESS_TRAFFIC, STATELESS_NON_OVERLAP, stateful=False)

    def standbys(self, placement: Placement) -> None:
        """Exchange standby tasks."""
        tasks = set().union(*placement.standby)
        replicas = self._cluster.changelog_racks
        costs = self._costs(tasks, replicas, self._traffic, self._non_overlap)
        if costs is None:
            return
        may_move = self._known.tags(self._configs).may_move(placement)
        move_standbys(placement.standby, tasks, costs, may_move)

    def _active(self, active: Sets, traffic: int, non_overlap: int, *, stateful: bool) -> None:
        known = self._known
        tasks = {task for task, has_state in enumerate(known.stateful) if has_state is stateful}
        tasks &= set().union(*active)
        costs = self._costs(tasks, self._cluster.racks, traffic, non_overlap)
        if costs is not None:
            strategy = self._configs.rackAwareAssignmentStrategy()
            move_active(active, tasks, costs, strategy, known.threads, known.group)

    def _costs(
        self,
        tasks: set[int],
        replicas: Mapping[TaskId, tuple[frozenset[str], ...]],
        traffic: int,
        non_overlap: int,
    ) -> RackCosts | None:
        if self._configs.rackAwareAssignmentStrategy() == NONE or not tasks:
            return None
        racks = [instance.rack for instance in self._known.instances]
        partitions = {task: replicas.get(self._known.tasks[task], ()) for task in tasks}
        if not all(racks) or not all(map(all, partitions.values())):
            log.warning("tasks are not placed by racks: not all instances and partitions have one")
            return None
        return RackCosts(
            traffic=traffic,
            non_overlap=non_overlap,
            racks=[rack for rack in racks if rack],
            partitions=partitions,
        )
