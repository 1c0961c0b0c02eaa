"""A task and its topic partitions, as input of task assignors."""

from __future__ import annotations

from abc import ABC, abstractmethod

from millstream.core.kafka import TopicPartition
from millstream.core.processor import TaskId


class TaskTopicPartition(ABC):
    """A source or changelog partition of a task.

    Source: KIP-924, ``processor.assignment.TaskTopicPartition``.
    """

    @abstractmethod
    def topicPartition(self) -> TopicPartition:
        """Return the partition."""

    @abstractmethod
    def isSource(self) -> bool:
        """Return whether the task reads it."""

    @abstractmethod
    def isChangelog(self) -> bool:
        """Return whether it is a changelog; a source can be a changelog, too."""

    @abstractmethod
    def rackIds(self) -> set[str] | None:
        """Return the racks of its replicas; None if they are not known."""


class TaskInfo(ABC):
    """A task to be assigned.

    Source: KIP-924, ``processor.assignment.TaskInfo``.
    """

    @abstractmethod
    def id(self) -> TaskId:
        """Return its id."""

    @abstractmethod
    def isStateful(self) -> bool:
        """Return whether it has state; only stateful tasks have standbys."""

    @abstractmethod
    def stateStoreNames(self) -> set[str]:
        """Return the names of its stores."""

    @abstractmethod
    def topicPartitions(self) -> set[TaskTopicPartition]:
        """Return its source and changelog partitions."""
