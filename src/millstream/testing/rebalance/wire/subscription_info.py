"""Metadata from a member to the leader: version, process, tasks and lags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from millstream.core.errors import (
    IllegalArgumentException,
    IllegalStateException,
    TaskAssignmentException,
)
from millstream.core.processor import TaskId
from millstream.testing.rebalance.wire import versions as v
from millstream.testing.rebalance.wire.buffers import WireReader, WireWriter, unnamed
from millstream.testing.rebalance.wire.java_order import in_number_order, in_task_order

NO_PROCESS = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionInfo:
    """A member's part of a rebalance.

    Args:
        version: The format, 1 to 11.
        latest_supported_version: The newest format that the member reads; versions 1 and 2 do not
            carry it and are read back with -1.
        process_id: The client's id, the same for all its threads.
        user_end_point: Its ``application.server``.
        task_offset_sums: The tasks that it has state of, and the sum of the offsets to which that
            state goes; -2 where the task ran as active. Before version 7 only active or not.
        unique_field: Something that differs from the last time, so that the broker sees a change.
        error_code: 0, or the `AssignorError` that the member reports.
        client_tags: Its ``client.tag.*``.

    Raises:
        IllegalArgumentException: ``version`` is below 1 or above the latest that is supported.

    Source: ``processor.internals.assignment.SubscriptionInfo``; KIP-429 names the fields of
    version 4.

    Example:
        >>> info = SubscriptionInfo(process_id=UUID(int=7), task_offset_sums={TaskId(0, 1): -2})
        >>> SubscriptionInfo.decode(info.encode()).prev_tasks()
        frozenset({0_1})
    """

    version: int = v.LATEST_VERSION
    latest_supported_version: int = v.LATEST_VERSION
    process_id: UUID = NO_PROCESS
    user_end_point: str | None = None
    task_offset_sums: Mapping[TaskId, int] = field(default_factory=dict)
    unique_field: int = 0
    error_code: int = 0
    client_tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        most = self.latest_supported_version
        if most == v.UNKNOWN_VERSION:
            most = v.FIRST_WITH_SUPPORTED_VERSION - 1
        if not 1 <= self.version <= most:
            raise IllegalArgumentException(
                f"cannot subscribe with metadata of version {self.version}",
                detail=f"It has to be between 1 and {most}.",
            )

    def prev_tasks(self) -> frozenset[TaskId]:
        """Return the tasks that the member ran as active."""
        sums = self.task_offset_sums.items()
        return frozenset(task for task, total in sums if total == v.LATEST_OFFSET)

    def standby_tasks(self) -> frozenset[TaskId]:
        """Return the tasks that the member has state of and did not run."""
        return frozenset(self.task_offset_sums) - self.prev_tasks()

    def encode(self) -> bytes:
        """Return the bytes.

        Raises:
            IllegalStateException: There is no such version.
            TaskAssignmentException: A value does not fit the format, or a task's topology has a
                name, which only versions 10 and 11 carry.
        """
        if self.version > v.LATEST_VERSION:
            raise IllegalStateException(
                f"cannot encode a subscription of version {self.version}",
                detail=f"The latest is {v.LATEST_VERSION}.",
            )
        out = WireWriter()
        out.int32(self.version)
        if self.version >= v.FIRST_WITH_SUPPORTED_VERSION:
            out.int32(self.latest_supported_version)
        out.raw(self.process_id.bytes)
        if self.version < v.FIRST_WITH_OFFSET_SUMS:
            self._write_task_sets(out)
        if self.version >= v.FIRST_WITH_ENDPOINT:
            out.sized((self.user_end_point or "").encode())
        if self.version >= v.FIRST_WITH_TOPOLOGY_NAME:
            _write_sums(out, self.task_offset_sums)
        elif self.version >= v.FIRST_WITH_OFFSET_SUMS:
            self._write_grouped_sums(out)
        if self.version >= v.FIRST_WITH_UNIQUE_FIELD:
            out.number("b", self.unique_field)
        if self.version >= v.FIRST_WITH_MEMBER_ERROR:
            out.int32(self.error_code)
        if self.version >= v.FIRST_WITH_CLIENT_TAGS:
            _write_tags(out, self.client_tags)
        return out.written()

    @staticmethod
    def decode(data: bytes) -> SubscriptionInfo:
        """Read the bytes; of a version above 11 only the two version numbers.

        Raises:
            TaskAssignmentException: The bytes are not those of a subscription.
        """
        reader = WireReader(data, "a subscription")
        version = reader.int32()
        try:
            if version > v.LATEST_VERSION:
                return SubscriptionInfo(version=version, latest_supported_version=reader.int32())
            return _decoded(reader, version)
        except IllegalArgumentException as error:
            raise TaskAssignmentException(
                "cannot decode a subscription", detail=f"{error.problem}: {error.detail}"
            ) from error

    def _write_task_sets(self, out: WireWriter) -> None:
        active = self.prev_tasks()
        standby = [task for task in self.task_offset_sums if task not in active]
        for tasks in (filter(active.__contains__, self.task_offset_sums), standby):
            ordered = in_task_order(tasks)
            out.int32(len(ordered))
            for task in ordered:
                out.task(unnamed(task, self.version))

    def _write_grouped_sums(self, out: WireWriter) -> None:
        groups: dict[int, list[TaskId]] = {}
        for task in self.task_offset_sums:
            groups.setdefault(task.subtopology(), []).append(task)
        out.int32(len(groups))
        for subtopology in in_number_order(task.subtopology() for task in self.task_offset_sums):
            out.int32(subtopology)
            out.int32(len(groups[subtopology]))
            for task in groups[subtopology]:
                out.int32(unnamed(task, self.version).partition())
                out.number("q", self.task_offset_sums[task])


def _decoded(reader: WireReader, version: int) -> SubscriptionInfo:
    supported = v.UNKNOWN_VERSION
    if version >= v.FIRST_WITH_SUPPORTED_VERSION:
        supported = reader.int32()
    process = reader.uuid()
    sums: dict[TaskId, int] = {}
    if version < v.FIRST_WITH_OFFSET_SUMS:
        sums.update(dict.fromkeys(reader.many(reader.task), v.LATEST_OFFSET))
        sums.update(dict.fromkeys(reader.many(reader.task), v.UNKNOWN_OFFSET_SUM))
    end_point = reader.text(reader.sized()) if version >= v.FIRST_WITH_ENDPOINT else ""
    if version >= v.FIRST_WITH_OFFSET_SUMS:
        sums = _read_sums(reader, version)
    tags: dict[str, str] = {}
    unique = reader.number("b") if version >= v.FIRST_WITH_UNIQUE_FIELD else 0
    error = reader.int32() if version >= v.FIRST_WITH_MEMBER_ERROR else 0
    if version >= v.FIRST_WITH_CLIENT_TAGS:
        tags = dict(reader.many(lambda: _read_tag(reader)))
    return SubscriptionInfo(
        version=version,
        latest_supported_version=supported,
        process_id=process,
        user_end_point=end_point or None,
        task_offset_sums=sums,
        unique_field=unique,
        error_code=error,
        client_tags=tags,
    )


def _write_sums(out: WireWriter, sums: Mapping[TaskId, int]) -> None:
    out.int32(len(sums))
    for task, total in sums.items():
        out.task(task)
        out.number("q", total)
        out.kafka_string(task.topologyName())


def _read_sums(reader: WireReader, version: int) -> dict[TaskId, int]:
    if version >= v.FIRST_WITH_TOPOLOGY_NAME:
        return dict(reader.many(lambda: _read_sum(reader)))

    def of_subtopology() -> list[tuple[TaskId, int]]:
        subtopology = reader.int32()
        return reader.many(lambda: (TaskId(subtopology, reader.int32()), reader.number("q")))

    return {task: total for group in reader.many(of_subtopology) for task, total in group}


def _read_sum(reader: WireReader) -> tuple[TaskId, int]:
    subtopology, partition, total = reader.int32(), reader.int32(), reader.number("q")
    return TaskId(subtopology, partition, reader.kafka_string()), total


def _write_tags(out: WireWriter, tags: Mapping[str, str]) -> None:
    out.int32(len(tags))
    for key, value in tags.items():
        out.sized(key.encode())
        out.sized(value.encode())


def _read_tag(reader: WireReader) -> tuple[str, str]:
    return reader.text(reader.sized()), reader.text(reader.sized())
