"""State of the application and of each of its processes, as task assignors see it."""

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
    """One process: what it can run, and what it ran and kept so far.

    Source: KIP-924, ``processor.assignment.KafkaStreamsState``.
    """

    @abstractmethod
    def processId(self) -> ProcessId:
        """Return its id."""

    @abstractmethod
    def numProcessingThreads(self) -> int:
        """Return how many tasks it can work on at the same time."""

    @abstractmethod
    def consumerClientIds(self) -> SortedSet:
        """Return the names of its consumers, one per thread, in order."""

    @abstractmethod
    def previousActiveTasks(self) -> SortedSet:
        """Return the tasks that it ran, in order."""

    @abstractmethod
    def previousStandbyTasks(self) -> SortedSet:
        """Return the tasks whose state it has without having run them, in order."""

    @abstractmethod
    def lagFor(self, task: TaskId) -> int:
        """Return how many entries its state of a task is behind; -2 if it is running it.

        Raises:
            UnsupportedOperationException: No lags were asked for.
            IllegalStateException: The task is not known.
        """

    @abstractmethod
    def prevTasksByLag(self, consumerClientId: str) -> SortedSet:
        """Return the tasks that a consumer had, the least behind first.

        Raises:
            UnsupportedOperationException: No lags were asked for.
        """

    @abstractmethod
    def statefulTasksToLagSums(self) -> Mapping[TaskId, int]:
        """Return how far it is behind in each stateful task.

        Raises:
            UnsupportedOperationException: No lags were asked for.
        """

    @abstractmethod
    def hostInfo(self) -> HostInfo | None:
        """Return where it answers queries; None if nowhere."""

    @abstractmethod
    def clientTags(self) -> Mapping[str, str]:
        """Return its tags: the entries ``client.tag.`` of its configuration."""

    @abstractmethod
    def rackId(self) -> str | None:
        """Return the rack that it is in; None if that is not known."""


class ApplicationState(ABC):
    """All that an assignor is told.

    Source: KIP-924, ``processor.assignment.ApplicationState``.
    """

    @abstractmethod
    def kafkaStreamsStates(self, computeTaskLags: bool) -> Mapping[ProcessId, KafkaStreamsState]:
        """Return the processes.

        Args:
            computeTaskLags: Whether the assignor is going to look at lags, which cost a look-up.
        """

    @abstractmethod
    def assignmentConfigs(self) -> AssignmentConfigs:
        """Return what is configured for assignors."""

    @abstractmethod
    def allTasks(self) -> Mapping[TaskId, TaskInfo]:
        """Return the tasks to assign."""
