"""Callbacks and listeners of restoring and committing, for users' stores and applications."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar, Protocol

from millstream.core.keyvalue import KeyValue

if TYPE_CHECKING:
    from millstream.core.kafka import TopicPartition
    from millstream.core.processor import TaskId


class CommitCallback(Protocol):
    """Callback at commits, for ``StateStoreContext.register``; a plain callable is accepted too.

    Source: KIP-892, ``processor.CommitCallback``.
    """

    def onCommit(self) -> None:
        """Called at every commit of the task, after its stores have been flushed."""


class BatchingStateRestoreCallback(ABC):
    """A restore callback that takes many changes at a time.

    Source: ``processor.BatchingStateRestoreCallback``.
    """

    @abstractmethod
    def restoreAll(self, records: Collection[KeyValue[bytes, bytes | None]]) -> None:
        """Take changes in order; a value of None deletes its key."""

    def restore(self, key: bytes, value: bytes | None) -> None:
        """Take one change, as a batch of one."""
        self.restoreAll([KeyValue(key, value)])


class StateRestoreListener(ABC):
    """Follows the restoration of stores.

    Source: ``processor.StateRestoreListener``.
    """

    @abstractmethod
    def onRestoreStart(
        self,
        topicPartition: TopicPartition,
        storeName: str,
        startingOffset: int,
        endingOffset: int,
    ) -> None:
        """Called before a store's first change is restored."""

    @abstractmethod
    def onBatchRestored(
        self,
        topicPartition: TopicPartition,
        storeName: str,
        batchEndOffset: int,
        numRestored: int,
    ) -> None:
        """Called after each batch of changes."""

    @abstractmethod
    def onRestoreEnd(
        self, topicPartition: TopicPartition, storeName: str, totalRestored: int
    ) -> None:
        """Called when a store is complete."""

    def onRestoreSuspended(  # noqa: B027 - optional
        self, topicPartition: TopicPartition, storeName: str, totalRestored: int
    ) -> None:
        """Called when a store's task moves to another worker before it is complete."""


class SuspendReason(enum.Enum):
    """Why a standby copy is no longer followed."""

    MIGRATED = "migrated"
    PROMOTED = "promoted"


Reason = SuspendReason


class StandbyUpdateListener(ABC):
    """Follows standby copies of stores: those that executors keep of tasks that run elsewhere.

    Source: KIP-988, ``processor.StandbyUpdateListener``.
    """

    SuspendReason: ClassVar = SuspendReason

    @abstractmethod
    def onUpdateStart(
        self, topicPartition: TopicPartition, storeName: str, startingOffset: int
    ) -> None:
        """Called before a copy takes its first change."""

    @abstractmethod
    def onBatchLoaded(
        self,
        topicPartition: TopicPartition,
        storeName: str,
        taskId: TaskId,
        batchEndOffset: int,
        batchSize: int,
        currentEndOffset: int,
    ) -> None:
        """Called after each batch of changes."""

    @abstractmethod
    def onUpdateSuspended(
        self,
        topicPartition: TopicPartition,
        storeName: str,
        storeOffset: int,
        currentEndOffset: int,
        reason: Reason,
    ) -> None:
        """Called when a copy is given up, or becomes the active store."""
