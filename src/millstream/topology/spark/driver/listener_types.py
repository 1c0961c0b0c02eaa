"""Types of users' listeners: objects that have an interface's methods need not derive from it.

Their parameters are positional: an object may give them other names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from millstream.core.kafka import TopicPartition
from millstream.core.processor import TaskId
from millstream.core.state.restore import SuspendReason
from millstream.topology.spark.driver.state_machine import State


class TellsStates(Protocol):
    """An object with the method of ``StateListener``."""

    def onChange(self, newState: State, oldState: State, /) -> object:
        """Take a change."""


class Handles(Protocol):
    """An object with the method of ``StreamsUncaughtExceptionHandler``."""

    def handle(self, exception: Any, /) -> object:
        """Return a decision."""


class TellsRestores(Protocol):
    """An object with the methods of ``StateRestoreListener``."""

    def onRestoreStart(
        self, topicPartition: TopicPartition, storeName: str, starting: int, ending: int, /
    ) -> object:
        """Take a begin."""

    def onBatchRestored(
        self, topicPartition: TopicPartition, storeName: str, end: int, restored: int, /
    ) -> object:
        """Take a batch of changes."""

    def onRestoreEnd(
        self, topicPartition: TopicPartition, storeName: str, restored: int, /
    ) -> object:
        """Take an end."""


class TellsStandbys(Protocol):
    """An object with the methods of ``StandbyUpdateListener``."""

    def onUpdateStart(
        self, topicPartition: TopicPartition, storeName: str, starting: int, /
    ) -> object:
        """Take a begin."""

    def onBatchLoaded(
        self,
        topicPartition: TopicPartition,
        storeName: str,
        taskId: TaskId,
        batchEnd: int,
        batchSize: int,
        end: int,
        /,
    ) -> object:
        """Take a batch of changes."""

    def onUpdateSuspended(
        self,
        topicPartition: TopicPartition,
        storeName: str,
        offset: int,
        end: int,
        reason: SuspendReason,
        /,
    ) -> object:
        """Take an end."""


OfStates: TypeAlias = Callable[[State, State], object] | TellsStates | None
OfFailures: TypeAlias = Callable[[Any], object] | Handles
"""A handler may name the class of the exceptions that it expects."""
