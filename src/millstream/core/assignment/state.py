"""State of the application and of its processes, as input of task assignors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from sortedcontainers import SortedSet

from millstream.core.assignment.configs import AssignmentConfigs
from millstream.core.assignment.process import ProcessId
from millstream.core.assignment.tasks import TaskInfo
from millstream.core.metadata import HostInfo
from millstream.core.processor import TaskId


class KafkaStreamsState(ABC):
    """One process: its threads, consumers, previous tasks and lags.

    Source: KIP-924, ``processor.assignment.KafkaStreamsState``.
    """

    @abstractmethod
    def processId(self) -> ProcessId:
        """Return its id."""

    @abstractmethod
    def numProcessingThreads(self) -> int:
        """Return the number of its threads."""

    @abstractmethod
    def consumerClientIds(self) -> SortedSet:
        """Return the names of its consumers, one per thread, in order."""

    @abstractmethod
    def previousActiveTasks(self) -> SortedSet:
        """Return its previous active tasks, in order."""

    @abstractmethod
    def previousStandbyTasks(self) -> SortedSet:
        """Return its previous standby tasks, in order."""

    @abstractmethod
    def lagFor(self, task: TaskId) -> int:
        """Return the lag of a task's state in entries; -2 if the task is active there.

        Raises:
            UnsupportedOperationException: Lags were not requested.
            IllegalStateException: The task is not known.
        """

    @abstractmethod
    def prevTasksByLag(self, consumerClientId: str) -> SortedSet:
        """Return the previous tasks of a consumer, least lag first.

        Raises:
            UnsupportedOperationException: Lags were not requested.
        """

    @abstractmethod
    def statefulTasksToLagSums(self) -> Mapping[TaskId, int]:
        """Return the sum of lags of each stateful task.

        Raises:
            UnsupportedOperationException: Lags were not requested.
        """

    @abstractmethod
    def hostInfo(self) -> HostInfo | None:
        """Return the host and port of its queries; None if it has none."""

    @abstractmethod
    def clientTags(self) -> Mapping[str, str]:
        """Return its tags: the entries ``client.tag.`` of its configuration."""

    @abstractmethod
    def rackId(self) -> str | None:
        """Return its rack; None if it is not known."""


class ApplicationState(ABC):
    """The input of a task assignor.

    Source: KIP-924, ``processor.assignment.ApplicationState``.
    """

    @abstractmethod
    def kafkaStreamsStates(self, computeTaskLags: bool) -> Mapping[ProcessId, KafkaStreamsState]:
        """Return the processes.

        Args:
            computeTaskLags: Whether to look up lags.
        """

    @abstractmethod
    def assignmentConfigs(self) -> AssignmentConfigs:
        """Return the settings of assignors."""

    @abstractmethod
    def allTasks(self) -> Mapping[TaskId, TaskInfo]:
        """Return the tasks to assign."""
