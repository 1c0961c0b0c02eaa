"""Adapters between Kafka's public assignor interface and the internal one."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import ClassVar

from millstream.core.assignment import (
    ApplicationState,
    AssignedTask,
    AssignmentConfigs,
    GroupAssignment,
    GroupSubscription,
    KafkaStreamsAssignment,
    TaskAssignmentUtils,
    TaskAssignor,
)
from millstream.core.errors import TaskAssignmentException
from millstream.core.processor import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster, Instance
from millstream.topology.assign.cluster_state import ClusterState

ACTIVE, STANDBY = AssignedTask.Type.ACTIVE, AssignedTask.Type.STANDBY
NONE = TaskAssignor.AssignmentError.NONE


class OfTaskAssignor:
    """A user's ``TaskAssignor`` as an assignor of clusters.

    Its interface does not tell warm-ups from standbys, so they all count as standbys.
    """

    def __init__(self, theirs: TaskAssignor) -> None:
        self.theirs = theirs

    @property
    def name(self) -> str:
        """What it is called, or else its class."""
        return getattr(self.theirs, "name", type(self.theirs).__qualname__)

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        """Return the user's assignment.

        Raises:
            TaskAssignmentException: Its assignment breaks the rules, or leaves tasks out.
        """
        state = ClusterState(cluster, configs)
        computed = self.theirs.assign(state)
        error = TaskAssignmentUtils.validateTaskAssignment(state, computed)
        by_process = {each.processId(): each for each in computed.assignment()}
        given = {name: by_process[id] for name, id in state.ids.items()} if error is NONE else {}
        if hear := getattr(self.theirs, "onAssignmentComputed", None):
            said = {instance.id: instance for instance in cluster.instances}
            hear(GroupAssignment(given), GroupSubscription(said), error)
        if error is not NONE:
            raise TaskAssignmentException(
                f'task assignor "{self.name}" broke the rules: {error.name}',
                detail="The log says which task and which process.",
            )
        owned = {task for each in given.values() for task in of_type(each, ACTIVE)}
        if left := sorted(set(cluster.tasks) - owned):
            raise TaskAssignmentException(
                f'task assignor "{self.name}" left task {left[0]} without an owner',
                detail=f"{len(left)} of {len(cluster.tasks)} tasks have no owner.",
            )
        return Assignment(
            active={name: of_type(each, ACTIVE) for name, each in given.items()},
            standby={name: of_type(each, STANDBY) for name, each in given.items()},
            warmup=dict.fromkeys(given, ()),
            followup=any(each.followupRebalanceDeadline() for each in given.values()),
        )


class StockTaskAssignor(TaskAssignor):
    """One of our assignors behind Kafka's public interface; a class for each is a plugin."""

    assignor: ClassVar[Assignor]

    def assign(self, applicationState: ApplicationState) -> TaskAssignor.TaskAssignment:
        """Return what the assignor says.

        Raises:
            TaskAssignmentException: There are no processes.
        """
        configs = applicationState.assignmentConfigs()
        states = applicationState.kafkaStreamsStates(True)
        ids = {str(id.id()): id for id in states}
        found = self.assignor.assign(cluster_of(applicationState), configs)
        result: list[KafkaStreamsAssignment] = []
        for name, id in ids.items():
            tasks = [AssignedTask(task, ACTIVE) for task in found.active[name]]
            copies = (*found.standby[name], *found.warmup[name])
            tasks += [AssignedTask(task, STANDBY) for task in copies]
            assignment = KafkaStreamsAssignment.of(id, tasks)
            if found.followup and not result:
                # One process is enough to call the others.
                assignment = assignment.withFollowupRebalance(self._deadline_ms(configs))
            result.append(assignment)
        return TaskAssignor.TaskAssignment(result)

    def _deadline_ms(self, configs: AssignmentConfigs) -> int:
        return int(time.time() * 1000) + configs.probingRebalanceIntervalMs()


def of_type(assignment: KafkaStreamsAssignment, type: AssignedTask.Type) -> tuple[TaskId, ...]:
    """Return the active tasks of a process, or its standbys, in order."""
    return tuple(sorted(task.id() for task in assignment.tasks().values() if task.type() is type))


def cluster_of(state: ApplicationState) -> Cluster:
    """Return the state of an application as a cluster; instances have the text of their UUIDs."""
    infos = state.allTasks()
    stateful = frozenset(id for id, info in infos.items() if info.isStateful())

    def racks(*, changelogs: bool) -> dict[TaskId, tuple[frozenset[str], ...]]:
        return {
            id: tuple(
                frozenset(each.rackIds() or ())
                for each in info.topicPartitions()
                if (each.isChangelog() if changelogs else each.isSource())
            )
            for id, info in infos.items()
        }

    return Cluster(
        instances=tuple(
            Instance(
                id=str(id.id()),
                threads=each.numProcessingThreads(),
                active=known(each.previousActiveTasks(), infos),
                standby=known(each.previousStandbyTasks(), infos),
                lags=each.statefulTasksToLagSums(),
                tags=each.clientTags(),
                rack=each.rackId(),
            )
            for id, each in state.kafkaStreamsStates(True).items()
        ),
        tasks=tuple(infos),
        stateful=stateful,
        racks=racks(changelogs=False),
        changelog_racks=racks(changelogs=True),
    )


def known(tasks: Iterable[TaskId], infos: object) -> tuple[TaskId, ...]:
    """Return those tasks that exist."""
    return tuple(task for task in tasks if task in infos)  # type: ignore[operator]
