"""``TaskAssignmentUtils``: helpers for authors of task assignors."""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping
from typing import ClassVar, Protocol

from millstream.core.assignment.assignor import TaskAssignor
from millstream.core.assignment.params import RackAwareOptimizationParams as Params
from millstream.core.assignment.process import ProcessId
from millstream.core.assignment.racks import move_active, move_standbys
from millstream.core.assignment.result import AssignedTask, KafkaStreamsAssignment
from millstream.core.assignment.standbys import Standbys
from millstream.core.assignment.state import ApplicationState, KafkaStreamsState
from millstream.core.assignment.workspace import Workspace
from millstream.core.processor import TaskId

log = logging.getLogger("millstream.assignment")

AssignmentError = TaskAssignor.AssignmentError
ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY


class TaskAssignmentUtils:
    """Common steps of assignors: validation, identity assignment, standbys, racks.

    Source: KIP-924, ``processor.assignment.TaskAssignmentUtils``.
    """

    RackAwareOptimizationParams: ClassVar[type[Params]] = Params

    class MoveStandbyTaskPredicate(Protocol):
        """Decides whether a standby may move from one process to another."""

        def canMoveStandbyTask(
            self,
            source: KafkaStreamsState,
            destination: KafkaStreamsState,
            sourceTask: TaskId,
            kafkaStreamsAssignments: Mapping[ProcessId, KafkaStreamsAssignment],
        ) -> bool:
            """Return whether it may."""

    @staticmethod
    def validateTaskAssignment(
        applicationState: ApplicationState, taskAssignment: TaskAssignor.TaskAssignment
    ) -> AssignmentError:
        """Return the first error of an assignment, or ``NONE``; the error is logged with its tasks.

        As in Kafka Streams, a task without a process is not reported.
        """
        infos = applicationState.allTasks()
        active: dict[TaskId, ProcessId] = {}
        standby: dict[TaskId, ProcessId] = {}
        for each in taskAssignment.assignment():
            process = each.processId()
            for task in each.tasks().values():
                id = task.id()
                if id not in infos:
                    return _wrong(AssignmentError.UNKNOWN_TASK_ID, id, process)
                if task.type() is STANDBY:
                    standby[id] = process
                elif id in active:
                    return _wrong(
                        AssignmentError.ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES, id, active[id], process
                    )
                else:
                    active[id] = process
        for id, process in standby.items():
            if not infos[id].isStateful():
                return _wrong(AssignmentError.INVALID_STANDBY_TASK, id, process)
        known = set(applicationState.kafkaStreamsStates(False))
        given = {each.processId() for each in taskAssignment.assignment()}
        for process in sorted(known - given):
            return _wrong(AssignmentError.MISSING_PROCESS_ID, process)
        for process in sorted(given - known):
            return _wrong(AssignmentError.UNKNOWN_PROCESS_ID, process)
        return AssignmentError.NONE

    @staticmethod
    def identityAssignment(
        applicationState: ApplicationState,
    ) -> dict[ProcessId, KafkaStreamsAssignment]:
        """Return an assignment with each process's previous tasks."""
        found = {}
        for id, state in applicationState.kafkaStreamsStates(False).items():
            tasks = {task: AssignedTask(task, STANDBY) for task in state.previousStandbyTasks()}
            tasks |= {task: AssignedTask(task, ACTIVE) for task in state.previousActiveTasks()}
            found[id] = KafkaStreamsAssignment.of(id, tasks.values())
        return found

    @staticmethod
    def defaultStandbyTaskAssignment(
        applicationState: ApplicationState,
        kafkaStreamsAssignments: MutableMapping[ProcessId, KafkaStreamsAssignment],
    ) -> None:
        """Add ``num.standby.replicas`` standbys of stateful tasks, on the least loaded processes.

        With ``rack.aware.assignment.tags``, the standbys of a task differ in these client tags if
        possible.

        Args:
            applicationState: The assignor's input.
            kafkaStreamsAssignments: The active tasks of each process; changed in place.
        """
        configs = applicationState.assignmentConfigs()
        work = Workspace(applicationState, kafkaStreamsAssignments)
        owners = {
            task: owner
            for owner, tasks in enumerate(work.placement.active)
            for task in tasks
            if work.infos[task].isStateful()
        }
        standbys = Standbys(work.placement, configs.numStandbyReplicas(), work.tags())
        standbys.place(dict(sorted(owners.items())))
        work.write_standbys()

    @staticmethod
    def optimizeRackAwareActiveTasks(
        optimizationParams: Params,
        kafkaStreamsAssignments: MutableMapping[ProcessId, KafkaStreamsAssignment],
    ) -> None:
        """Move active tasks to reduce traffic between racks.

        No task moves with the strategy ``none``, or if the rack of a process or a partition is not
        known; a warning is logged.

        Args:
            optimizationParams: Tasks that may move, and costs.
            kafkaStreamsAssignments: The tasks of each process; changed in place.
        """
        state = optimizationParams.application_state
        work = Workspace(state, kafkaStreamsAssignments)
        costs = work.costs(optimizationParams, standby=False)
        if costs is None:
            return
        strategy = state.assignmentConfigs().rackAwareAssignmentStrategy()
        tasks = work.numbers(optimizationParams.tasks)
        placement = work.placement
        move_active(placement.active, tasks, costs, strategy, placement.threads, work.group)
        work.write_active()

    @staticmethod
    def optimizeRackAwareStandbyTasks(
        optimizationParams: Params,
        kafkaStreamsAssignments: MutableMapping[ProcessId, KafkaStreamsAssignment],
    ) -> None:
        """Exchange standby tasks to reduce traffic between racks; see the active tasks' method."""
        work = Workspace(optimizationParams.application_state, kafkaStreamsAssignments)
        costs = work.costs(optimizationParams, standby=True)
        if costs is None:
            return
        move_standbys(
            work.placement.standby,
            work.numbers(optimizationParams.tasks),
            costs,
            work.tags().may_move(work.placement),
        )
        work.write_standbys()


def _wrong(error: AssignmentError, *facts: object) -> AssignmentError:
    log.error("assignment is invalid: %s: %s", error.name, ", ".join(map(str, facts)))
    return error
