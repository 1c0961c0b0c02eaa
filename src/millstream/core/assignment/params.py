"""Parameters of the rack-aware helpers of ``TaskAssignmentUtils``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sortedcontainers import SortedSet

from millstream.core.assignment.state import ApplicationState
from millstream.core.processor import TaskId


@dataclass(frozen=True, slots=True)
class RackAwareOptimizationParams:
    """Tasks that may move, and costs of traffic and moves.

    Source: KIP-924, ``processor.assignment.TaskAssignmentUtils.RackAwareOptimizationParams``.
    """

    application_state: ApplicationState
    tasks: frozenset[TaskId]
    traffic_cost: int | None = None
    non_overlap_cost: int | None = None

    @staticmethod
    def of(applicationState: ApplicationState) -> RackAwareOptimizationParams:
        """Return parameters for all tasks, with the configured costs."""
        return RackAwareOptimizationParams(applicationState, frozenset(applicationState.allTasks()))

    def forStatefulTasks(self) -> RackAwareOptimizationParams:
        """Return the same for the stateful tasks."""
        infos = self.application_state.allTasks()
        return self.forTasks(id for id, info in infos.items() if info.isStateful())

    def forStatelessTasks(self) -> RackAwareOptimizationParams:
        """Return the same for the stateless tasks."""
        infos = self.application_state.allTasks()
        return self.forTasks(id for id, info in infos.items() if not info.isStateful())

    def forTasks(
        self, tasksToOptimize: SortedSet | Iterable[TaskId]
    ) -> RackAwareOptimizationParams:
        """Return the same for these tasks."""
        return replace(self, tasks=frozenset(tasksToOptimize))

    def withTrafficCostOverride(self, trafficCostOverride: int) -> RackAwareOptimizationParams:
        """Return the same with another cost of reading a partition across racks."""
        return replace(self, traffic_cost=trafficCostOverride)

    def withNonOverlapCostOverride(
        self, nonOverlapCostOverride: int
    ) -> RackAwareOptimizationParams:
        """Return the same with another cost of moving a task."""
        return replace(self, non_overlap_cost=nonOverlapCostOverride)
