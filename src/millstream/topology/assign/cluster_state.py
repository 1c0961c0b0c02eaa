"""Cluster in Kafka's public interface, as a user's assignor sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_URL, UUID, uuid5

from sortedcontainers import SortedSet

from millstream.core.assignment import (
    ApplicationState,
    AssignmentConfigs,
    KafkaStreamsState,
    ProcessId,
    TaskInfo,
    TaskTopicPartition,
)
from millstream.core.durations import LONG_MAX
from millstream.core.errors import IllegalStateException, UnsupportedOperationException
from millstream.core.kafka import TopicPartition
from millstream.core.metadata import HostInfo
from millstream.core.processor import TaskId
from millstream.topology.assign.cluster import Cluster, Instance
from millstream.topology.assign.numbered import RUNNING


def process_id(instance: str) -> ProcessId:
    """Return the id that stands for an instance: its own if it is a UUID, else made from it."""
    try:
        return ProcessId(UUID(instance))
    except ValueError:
        return ProcessId(uuid5(NAMESPACE_URL, instance))


@dataclass(frozen=True, slots=True, eq=False)
class PartitionOfTask(TaskTopicPartition):
    """A partition of which nothing is known but its number and its racks."""

    partition: TopicPartition
    racks: frozenset[str]
    changelog: bool

    def topicPartition(self) -> TopicPartition:
        return self.partition

    def isSource(self) -> bool:
        return not self.changelog

    def isChangelog(self) -> bool:
        return self.changelog

    def rackIds(self) -> set[str] | None:
        return set(self.racks)


class TaskOfCluster(TaskInfo):
    """A task of a cluster."""

    __slots__ = ("_cluster", "_id")

    def __init__(self, cluster: Cluster, id: TaskId) -> None:
        self._cluster = cluster
        self._id = id

    def id(self) -> TaskId:
        return self._id

    def isStateful(self) -> bool:
        return self._cluster.is_stateful(self._id)

    def stateStoreNames(self) -> set[str]:
        """Return names that stand for its stores."""
        return {f"store-{self._id.subtopology()}"} if self.isStateful() else set()

    def topicPartitions(self) -> set[TaskTopicPartition]:
        """Return partitions that stand for its sources and its changelogs."""
        cluster, id = self._cluster, self._id
        return {
            PartitionOfTask(
                TopicPartition(f"{kind}-{id.subtopology()}-{number}", id.partition()),
                racks,
                changelog=kind == "changelog",
            )
            for kind, all_racks in (
                ("source", cluster.racks),
                ("changelog", cluster.changelog_racks),
            )
            for number, racks in enumerate(all_racks.get(id, ()))
        }


class InstanceState(KafkaStreamsState):
    """An instance of a cluster."""

    __slots__ = ("_cluster", "_id", "_instance", "_with_lags")

    def __init__(
        self, id: ProcessId, instance: Instance, cluster: Cluster, *, with_lags: bool
    ) -> None:
        self._id = id
        self._instance = instance
        self._cluster = cluster
        self._with_lags = with_lags

    def processId(self) -> ProcessId:
        return self._id

    def numProcessingThreads(self) -> int:
        return self._instance.threads

    def consumerClientIds(self) -> SortedSet:
        names = (f"{self._instance.id}-{index + 1}" for index in range(self._instance.threads))
        return SortedSet(names)

    def previousActiveTasks(self) -> SortedSet:
        return SortedSet(self._instance.active)

    def previousStandbyTasks(self) -> SortedSet:
        return SortedSet(self._instance.standby)

    def lagFor(self, task: TaskId) -> int:
        self._check_lags()
        if task in self._instance.active:
            return RUNNING
        if not self._cluster.is_stateful(task):
            raise IllegalStateException(f"task {task} has no state, so there is no lag")
        return self._instance.lags.get(task, self._cluster.sizes.get(task, LONG_MAX))

    def prevTasksByLag(self, consumerClientId: str) -> SortedSet:
        """Return the tasks of a thread: the process's tasks go round its threads."""
        names = self.consumerClientIds()
        if consumerClientId not in names:
            return SortedSet()
        tasks = sorted({*self._instance.active, *self._instance.standby})
        own = [task for task in tasks if self._cluster.is_stateful(task)]
        return SortedSet(
            own[names.index(consumerClientId) :: len(names)],
            key=lambda task: (self.lagFor(task), task),
        )

    def statefulTasksToLagSums(self) -> Mapping[TaskId, int]:
        self._check_lags()
        tasks = self._cluster.tasks
        return {task: self.lagFor(task) for task in tasks if self._cluster.is_stateful(task)}

    def hostInfo(self) -> HostInfo | None:
        """Return None: instances have no endpoint."""
        return None

    def clientTags(self) -> Mapping[str, str]:
        return self._instance.tags

    def rackId(self) -> str | None:
        return self._instance.rack

    def _check_lags(self) -> None:
        if not self._with_lags:
            raise UnsupportedOperationException(
                "lags were not asked for", hint="Call kafkaStreamsStates(True)."
            )


class ClusterState(ApplicationState):
    """A cluster as the state of an application."""

    def __init__(self, cluster: Cluster, configs: AssignmentConfigs) -> None:
        self._cluster = cluster
        self._configs = configs
        self.ids = {instance.id: process_id(instance.id) for instance in cluster.instances}
        """By instance: the process that stands for it."""
        self._tasks = {task: TaskOfCluster(cluster, task) for task in sorted(cluster.tasks)}

    def kafkaStreamsStates(self, computeTaskLags: bool) -> Mapping[ProcessId, KafkaStreamsState]:
        return {
            self.ids[each.id]: InstanceState(
                self.ids[each.id], each, self._cluster, with_lags=computeTaskLags
            )
            for each in self._cluster.instances
        }

    def assignmentConfigs(self) -> AssignmentConfigs:
        return self._configs

    def allTasks(self) -> Mapping[TaskId, TaskInfo]:
        return self._tasks
