"""Internal interface of task assignors."""

from __future__ import annotations

from typing import Protocol

from millstream.core.assignment import AssignmentConfigs
from millstream.topology.assign.cluster import Assignment, Cluster


class Assignor(Protocol):
    """Decides which instance runs which task, from its arguments alone."""

    @property
    def name(self) -> str:
        """What ``task.assignor.class`` calls it."""

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        """Return an assignment in which each task of the cluster has one owner.

        Raises:
            TaskAssignmentException: There are no instances.
        """
