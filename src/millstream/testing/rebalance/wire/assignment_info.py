"""Metadata from the leader to a member: its tasks, the other members' tasks, and when to rejoin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from millstream.core.errors import IllegalArgumentException
from millstream.core.java_collections import hash_order
from millstream.core.kafka import TopicPartition
from millstream.core.metadata import HostInfo
from millstream.core.processor import TaskId
from millstream.testing.rebalance.wire import versions as v
from millstream.testing.rebalance.wire.buffers import WireReader, WireWriter, unnamed
from millstream.testing.rebalance.wire.java_order import in_partition_order

HostPartitions = Mapping[HostInfo, tuple[TopicPartition, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentInfo:
    """A member's share, as the leader sends it.

    Args:
        version: The format, 1 to 11.
        commonly_supported_version: The newest format that every member reads; versions 1 and 2 do
            not carry it. KIP-429 calls it ``LatestSupportedVersionId``.
        active_tasks: A task for each partition assigned, in the order of the partitions.
        standby_tasks: Tasks to keep copies of, with their partitions.
        partitions_by_host: Who runs which partitions; from version 2.
        standby_partitions_by_host: Who keeps copies of which; from version 6.
        error_code: 0, or an `AssignorError`; from version 4.
        next_rebalance_ms: When to join again, in ms since the epoch; 2**63 - 1 for never; from
            version 7.

    Raises:
        IllegalArgumentException: There is no such version.

    Source: ``processor.internals.assignment.AssignmentInfo``; KIP-429 names the fields of version
    4.

    Example:
        >>> info = AssignmentInfo(active_tasks=(TaskId(0, 1),))
        >>> AssignmentInfo.decode(info.encode()) == info
        True
    """

    version: int = v.LATEST_VERSION
    commonly_supported_version: int = v.LATEST_VERSION
    active_tasks: tuple[TaskId, ...] = ()
    standby_tasks: Mapping[TaskId, tuple[TopicPartition, ...]] = field(default_factory=dict)
    partitions_by_host: HostPartitions = field(default_factory=dict)
    standby_partitions_by_host: HostPartitions = field(default_factory=dict)
    error_code: int = 0
    next_rebalance_ms: int = v.NO_REBALANCE_PLANNED

    def __post_init__(self) -> None:
        if not 1 <= self.version <= v.LATEST_VERSION:
            raise IllegalArgumentException(
                f"cannot assign with metadata of version {self.version}",
                detail=f"It has to be between 1 and {v.LATEST_VERSION}.",
            )

    def encode(self) -> bytes:
        """Return the bytes; what the version does not carry is left out.

        Raises:
            TaskAssignmentException: A value does not fit the format, or a task's topology has a
                name, which only versions 10 and 11 carry.
        """
        out = WireWriter()
        out.int32(self.version)
        if self.version >= v.FIRST_WITH_SUPPORTED_VERSION:
            out.int32(self.commonly_supported_version)
        self._write_tasks(out)
        if self.version >= v.FIRST_WITH_TOPIC_DICTIONARY:
            self._write_hosts_with_dictionary(out)
        elif self.version >= v.FIRST_WITH_ENDPOINT:
            _write_hosts(out, self.partitions_by_host, out.java_string)
        if self.version >= v.FIRST_WITH_ERROR_CODE:
            out.int32(self.error_code)
        if self.version >= v.FIRST_WITH_NEXT_REBALANCE:
            out.number("q", self.next_rebalance_ms)
        return out.written()

    @staticmethod
    def decode(data: bytes) -> AssignmentInfo:
        """Read the bytes.

        Raises:
            TaskAssignmentException: The bytes are not those of an assignment, or their version is
                above 11.
        """
        reader = WireReader(data, "an assignment")
        version = reader.int32()
        if not 1 <= version <= v.LATEST_VERSION:
            raise reader.bad(
                f"Its version is {version}; the latest known is {v.LATEST_VERSION}.",
                hint="Let every instance of the application run the same release.",
            )
        return _decoded(reader, version)

    def _write_tasks(self, out: WireWriter) -> None:
        out.int32(len(self.active_tasks))
        for task in self.active_tasks:
            _write_task(out, task, self.version)
        out.int32(len(self.standby_tasks))
        for task, partitions in self.standby_tasks.items():
            _write_task(out, task, self.version)
            _write_partitions(out, partitions, out.java_string)

    def _write_hosts_with_dictionary(self, out: WireWriter) -> None:
        hosts = [self.partitions_by_host]
        if self.version >= v.FIRST_WITH_STANDBY_HOSTS:
            hosts.append(self.standby_partitions_by_host)
        listed = (part for by_host in hosts for parts in by_host.values() for part in parts)
        topics = dict.fromkeys(part.topic() for part in in_partition_order(listed))
        numbers = {topic: number for number, topic in enumerate(topics)}
        out.int32(len(numbers))
        for topic in hash_order(numbers):
            out.int32(numbers[topic])
            out.java_string(topic)
        for by_host in hosts:
            _write_hosts(out, by_host, lambda topic: out.int32(numbers[topic]))


def _decoded(reader: WireReader, version: int) -> AssignmentInfo:
    supported = v.UNKNOWN_VERSION
    if version >= v.FIRST_WITH_SUPPORTED_VERSION:
        supported = reader.int32()
    active = reader.many(lambda: _read_task(reader, version))

    def standby() -> tuple[TaskId, tuple[TopicPartition, ...]]:
        return _read_task(reader, version), _read_partitions(reader, reader.java_string)

    standbys = dict(reader.many(standby))
    read_topic = reader.java_string
    if version >= v.FIRST_WITH_TOPIC_DICTIONARY:
        read_topic = _read_dictionary(reader)
    hosts = _read_hosts(reader, read_topic) if version >= v.FIRST_WITH_ENDPOINT else {}
    has_standbys = version >= v.FIRST_WITH_STANDBY_HOSTS
    standby_hosts = _read_hosts(reader, read_topic) if has_standbys else {}
    error = reader.int32() if version >= v.FIRST_WITH_ERROR_CODE else 0
    planned = version >= v.FIRST_WITH_NEXT_REBALANCE
    return AssignmentInfo(
        version=version,
        commonly_supported_version=supported,
        active_tasks=tuple(active),
        standby_tasks=standbys,
        partitions_by_host=hosts,
        standby_partitions_by_host=standby_hosts,
        error_code=error,
        next_rebalance_ms=reader.number("q") if planned else v.NO_REBALANCE_PLANNED,
    )


def _write_task(out: WireWriter, task: TaskId, version: int) -> None:
    out.task(task if version >= v.FIRST_WITH_TOPOLOGY_NAME else unnamed(task, version))
    if version >= v.FIRST_WITH_TOPOLOGY_NAME:
        # The count is one of UTF-16 units, unlike that of every other string here.
        name = (task.topologyName() or "").encode("utf-16-be", "surrogatepass")
        out.int32(len(name) // 2)
        out.raw(name)


def _read_task(reader: WireReader, version: int) -> TaskId:
    task = reader.task()
    if version < v.FIRST_WITH_TOPOLOGY_NAME:
        return task
    name = reader.raw(2 * reader.int32()).decode("utf-16-be", "surrogatepass")
    return TaskId(task.subtopology(), task.partition(), name or None)


def _write_partitions(
    out: WireWriter, partitions: Iterable[TopicPartition], write_topic: Callable[[str], None]
) -> None:
    listed = tuple(partitions)
    out.int32(len(listed))
    for partition in listed:
        write_topic(partition.topic())
        out.int32(partition.partition())


def _read_partitions(
    reader: WireReader, read_topic: Callable[[], str]
) -> tuple[TopicPartition, ...]:
    return tuple(reader.many(lambda: TopicPartition(read_topic(), reader.int32())))


def _write_hosts(
    out: WireWriter, hosts: HostPartitions, write_topic: Callable[[str], None]
) -> None:
    out.int32(len(hosts))
    for host, partitions in hosts.items():
        out.java_string(host.host())
        out.int32(host.port())
        _write_partitions(out, partitions, write_topic)


def _read_hosts(
    reader: WireReader, read_topic: Callable[[], str]
) -> dict[HostInfo, tuple[TopicPartition, ...]]:
    def host() -> tuple[HostInfo, tuple[TopicPartition, ...]]:
        info = HostInfo(reader.java_string(), reader.int32())
        return info, _read_partitions(reader, read_topic)

    return dict(reader.many(host))


def _read_dictionary(reader: WireReader) -> Callable[[], str]:
    """Take the topics' numbers; return what takes a number and gives its topic."""
    topics = dict(reader.many(lambda: (reader.int32(), reader.java_string())))

    def topic() -> str:
        number = reader.int32()
        if number not in topics:
            raise reader.bad(f"Topic number {number} is not in its list of {len(topics)} topics.")
        return topics[number]

    return topic
