"""Metadata of an application's instances, tasks and stores."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from millstream.core.arguments import of_type, text_or_none, whole
from millstream.core.errors import ConfigException
from millstream.core.java_shapes import java_object, java_value
from millstream.core.kafka import TopicPartition
from millstream.core.processor import TaskId
from millstream.core.wording import a_kind


@dataclass(frozen=True, slots=True)
class HostInfo:
    """Host and port at which an instance answers queries: its ``application.server``.

    Source: ``state.HostInfo``.
    """

    _host: str
    _port: int

    def __post_init__(self) -> None:
        hint = 'Write HostInfo("host", 8080).'
        object.__setattr__(self, "_host", text_or_none(self._host, "host", hint))
        object.__setattr__(self, "_port", whole(self._port, "port", 32))

    @staticmethod
    def buildFromEndpoint(endPoint: str | None) -> HostInfo | None:
        """Parse ``host:port``, with or without ``scheme://``; None for an empty text.

        Raises:
            ConfigException: It is not of that form.

        Example:
            >>> HostInfo.buildFromEndpoint("[::1]:9").host()
            '::1'
        """
        if not isinstance(endPoint, str | None):
            raise ConfigException(
                f"Error parsing host address: it is {a_kind(endPoint)}, not a text.",
                hint='Write "host:port".',
            )
        if not endPoint or not endPoint.strip():
            return None
        match = re.fullmatch(r"(?:[^:/]*://)?\[?([0-9A-Za-z\-._%:]+)\]?:([0-9]+)", endPoint)
        if match is None:
            raise ConfigException(
                f"Error parsing host address {endPoint}. Expected format host:port."
            )
        return HostInfo(match[1], int(match[2]))

    @staticmethod
    def unavailable() -> HostInfo:
        """Return the value for an instance that cannot be reached."""
        return HostInfo("unavailable", -1)

    def host(self) -> str:
        """Return the host."""
        return self._host

    def port(self) -> int:
        """Return the port."""
        return self._port

    def __str__(self) -> str:
        return f"HostInfo{{host='{java_value(self._host)}', port={self._port}}}"


@dataclass(frozen=True, slots=True)
class KeyQueryMetadata:
    """Instances that have a key's partition.

    Source: ``org.apache.kafka.streams.KeyQueryMetadata``.
    """

    NOT_AVAILABLE: ClassVar[KeyQueryMetadata]
    """The value for metadata that is not known yet."""

    _active: HostInfo
    _standby: frozenset[HostInfo] | None
    _partition: int

    def __post_init__(self) -> None:
        hint = 'Give HostInfo("host", 8080).'
        of_type(self._active, HostInfo, "activeHost", hint)
        object.__setattr__(self, "_partition", whole(self._partition, "partition", 32))
        given: object = self._standby
        of_type(given, Collection, "standbyHosts", "Give a set of HostInfo.")
        for host in self._standby or ():
            of_type(host, HostInfo, "standbyHosts", hint)
        if given is not None and not isinstance(given, frozenset):
            # A caller's set is mutable and has no hash.
            object.__setattr__(self, "_standby", frozenset(self._standby or ()))

    def activeHost(self) -> HostInfo:
        """Return the instance with the active task of the partition."""
        return self._active

    def standbyHosts(self) -> set[HostInfo]:
        """Return the instances with standby tasks; None if created with None."""
        standby = self._standby
        return standby if standby is None else set(standby)  # type: ignore[return-value] # as Kafka

    def partition(self) -> int:
        """Return the partition."""
        return self._partition

    def __str__(self) -> str:
        return java_object(
            "KeyQueryMetadata ",
            activeHost=self._active,
            standbyHosts=self._standby,
            partition=self._partition,
        )


KeyQueryMetadata.NOT_AVAILABLE = KeyQueryMetadata(HostInfo.unavailable(), frozenset(), -1)


@dataclass(frozen=True, slots=True)
class LagInfo:
    """Lag of a store behind its changelog.

    Source: ``org.apache.kafka.streams.LagInfo``.
    """

    _current: int
    _end: int

    def currentOffsetPosition(self) -> int:
        """Return the offset up to which (exclusive) the store is complete."""
        return self._current

    def endOffsetPosition(self) -> int:
        """Return the changelog's end."""
        return self._end

    def offsetLag(self) -> int:
        """Return the end minus the current position, at least 0."""
        return max(0, self._end - self._current)

    def __str__(self) -> str:
        return (
            f"LagInfo {{ currentOffsetPosition={self._current}, "
            f"endOffsetPosition={self._end}, offsetLag={self.offsetLag()}}}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsMetadata:
    """Stores and partitions of one instance of an application.

    Source: ``org.apache.kafka.streams.StreamsMetadata``.
    """

    host_info: HostInfo
    store_names: frozenset[str] = frozenset()
    partitions: frozenset[TopicPartition] = frozenset()
    standby_store_names: frozenset[str] = frozenset()
    standby_partitions: frozenset[TopicPartition] = frozenset()

    def hostInfo(self) -> HostInfo:
        """Return the host and port at which it answers queries."""
        return self.host_info

    def host(self) -> str:
        """Return its host."""
        return self.host_info.host()

    def port(self) -> int:
        """Return its port."""
        return self.host_info.port()

    def stateStoreNames(self) -> set[str]:
        """Return the stores of its active tasks."""
        return set(self.store_names)

    def topicPartitions(self) -> set[TopicPartition]:
        """Return the source partitions of its active tasks."""
        return set(self.partitions)

    def standbyStateStoreNames(self) -> set[str]:
        """Return the stores of its standby tasks."""
        return set(self.standby_store_names)

    def standbyTopicPartitions(self) -> set[TopicPartition]:
        """Return the source partitions of its standby tasks."""
        return set(self.standby_partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMetadata:
    """Partitions and offsets of one task.

    Source: ``org.apache.kafka.streams.TaskMetadata``.
    """

    task_id: TaskId
    partitions: frozenset[TopicPartition] = frozenset()
    committed: tuple[tuple[TopicPartition, int], ...] = ()
    ends: tuple[tuple[TopicPartition, int], ...] = ()
    idling_since_ms: int | None = None

    def taskId(self) -> TaskId:
        """Return its id."""
        return self.task_id

    def topicPartitions(self) -> set[TopicPartition]:
        """Return the source partitions."""
        return set(self.partitions)

    def committedOffsets(self) -> dict[TopicPartition, int]:
        """Return the offsets up to which (exclusive) the partitions have been committed."""
        return dict(self.committed)

    def endOffsets(self) -> dict[TopicPartition, int]:
        """Return the partitions' ends as last seen."""
        return dict(self.ends)

    def timeCurrentIdlingStarted(self) -> int | None:
        """Return since when (epoch ms) the task waits for a partition; None if it does not wait."""
        return self.idling_since_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMetadata:
    """State, tasks and clients of one thread of an instance.

    Source: ``org.apache.kafka.streams.ThreadMetadata``.
    """

    name: str
    state: str
    active: frozenset[TaskMetadata] = frozenset()
    standby: frozenset[TaskMetadata] = frozenset()
    consumer_client_id: str = ""
    restore_consumer_client_id: str = ""
    producer_client_ids: frozenset[str] = frozenset()
    admin_client_id: str = ""

    def threadName(self) -> str:
        """Return its name."""
        return self.name

    def threadState(self) -> str:
        """Return its state, for instance ``RUNNING``."""
        return self.state

    def activeTasks(self) -> set[TaskMetadata]:
        """Return the active tasks."""
        return set(self.active)

    def standbyTasks(self) -> set[TaskMetadata]:
        """Return the standby tasks."""
        return set(self.standby)

    def consumerClientId(self) -> str:
        """Return the ``client.id`` of the consumer of source topics."""
        return self.consumer_client_id

    def restoreConsumerClientId(self) -> str:
        """Return the ``client.id`` of the consumer that restores stores."""
        return self.restore_consumer_client_id

    def producerClientIds(self) -> set[str]:
        """Return the ``client.id`` of each producer."""
        return set(self.producer_client_ids)

    def adminClientId(self) -> str:
        """Return the ``client.id`` of the admin client."""
        return self.admin_client_id
