"""Processes and tasks by number, for the helpers of assignors."""

from __future__ import annotations

import logging
from collections.abc import Iterable, MutableMapping

from millstream.core.assignment.params import RackAwareOptimizationParams
from millstream.core.assignment.placement import Placement
from millstream.core.assignment.process import ProcessId
from millstream.core.assignment.racks import RackCosts
from millstream.core.assignment.result import AssignedTask, KafkaStreamsAssignment
from millstream.core.assignment.standbys import Tags, tags_of
from millstream.core.assignment.state import ApplicationState
from millstream.core.assignment.tasks import TaskInfo
from millstream.core.processor import TaskId

log = logging.getLogger("millstream.assignment")

ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY


class Workspace:
    """Conversion of assignments to numbers, and back.

    Args:
        application_state: The assignor's input.
        assignments: The tasks of each process; missing processes are added.
    """

    def __init__(
        self,
        application_state: ApplicationState,
        assignments: MutableMapping[ProcessId, KafkaStreamsAssignment],
    ) -> None:
        self._state = application_state
        self._assignments = assignments
        states = application_state.kafkaStreamsStates(False)
        self.processes = sorted(states)
        self.states = [states[id] for id in self.processes]
        self._tasks = sorted(application_state.allTasks())
        self._number = {task: number for number, task in enumerate(self._tasks)}
        infos = application_state.allTasks()
        self.infos: list[TaskInfo] = [infos[task] for task in self._tasks]
        self.placement = Placement([each.numProcessingThreads() for each in self.states])
        for client, id in enumerate(self.processes):
            mine = assignments.setdefault(id, KafkaStreamsAssignment.of(id, ()))
            for task in mine.tasks().values():
                running = task.type() is ACTIVE
                sets = self.placement.active if running else self.placement.standby
                sets[client].add(self._number[task.id()])

    def numbers(self, tasks: Iterable[TaskId]) -> set[int]:
        """Return the numbers of tasks."""
        return {self._number[task] for task in tasks if task in self._number}

    def group(self, task: int) -> object:
        """Return the sub-topology of a task."""
        id = self._tasks[task]
        return (id.topologyName(), id.subtopology())

    def tags(self) -> Tags:
        """Return the tags in which standbys of a task should differ."""
        return tags_of(
            [each.clientTags() for each in self.states],
            [each.rackId() for each in self.states],
            self._state.assignmentConfigs(),
        )

    def costs(self, params: RackAwareOptimizationParams, *, standby: bool) -> RackCosts | None:
        """Return the costs of tasks by client; None if tasks are not placed by racks."""
        configs = self._state.assignmentConfigs()
        if configs.rackAwareAssignmentStrategy() == "none":
            return None
        traffic = _first(params.traffic_cost, configs.rackAwareTrafficCost())
        non_overlap = _first(params.non_overlap_cost, configs.rackAwareNonOverlapCost())
        if traffic is None or non_overlap is None:
            log.warning("tasks are not placed by racks: no costs are configured")
            return None
        racks = [each.rackId() for each in self.states]
        if not all(racks):
            log.warning("tasks are not placed by racks: a process has no client.rack")
            return None
        partitions = {}
        for task in self.numbers(params.tasks):
            replicas = [
                each.rackIds()
                for each in self.infos[task].topicPartitions()
                if (each.isChangelog() if standby else each.isSource())
            ]
            if not all(replicas):
                log.warning(
                    "tasks are not placed by racks: the racks of partitions of task %s are unknown",
                    self._tasks[task],
                )
                return None
            partitions[task] = [each for each in replicas if each]
        return RackCosts(
            traffic=traffic,
            non_overlap=non_overlap,
            racks=[rack for rack in racks if rack],
            partitions=partitions,
        )

    def write_active(self) -> None:
        """Write the active tasks to the assignments.

        If a process gets a task that was its standby, the previous process keeps the standby.
        """
        before = {
            task.id(): assignment
            for assignment in self._assignments.values()
            for task in assignment.tasks().values()
            if task.type() is ACTIVE
        }
        for id, own in zip(self.processes, self.placement.active, strict=True):
            assignment = self._assignments[id]
            for task in (self._tasks[number] for number in own):
                last = before.get(task, assignment)
                if last is assignment:
                    continue
                last.removeTask(AssignedTask(task, ACTIVE))
                if task in assignment.tasks():
                    last.assignTask(AssignedTask(task, STANDBY))
                assignment.assignTask(AssignedTask(task, ACTIVE))

    def write_standbys(self) -> None:
        """Write the standby tasks to the assignments."""
        standby = self.placement.standby
        for client, id in enumerate(self.processes):
            assignment = self._assignments[id]
            for task in list(assignment.tasks().values()):
                if task.type() is STANDBY and self._number[task.id()] not in standby[client]:
                    assignment.removeTask(task)
            for number in standby[client]:
                assignment.assignTask(AssignedTask(self._tasks[number], STANDBY))


def _first(given: int | None, configured: int | None) -> int | None:
    return configured if given is None else given
