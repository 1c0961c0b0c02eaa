"""Global stores of one task, and the tasks that fill them.

Every task of a stage whose processors may read a global store gets every record of its topic,
before the batch's other records. The copies are stores like the task's own, with the same changelog
and the same version.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

from millstream.core.engine.assembly import close_all
from millstream.core.engine.global_context import GLOBAL_TASK
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.errors import TaskCorruptedException
from millstream.core.plan import Plan
from millstream.topology.spark.worker.inbox import raw_chunks, source_runs
from millstream.topology.spark.worker.refilling import Refilling, unlogged
from millstream.topology.spark.worker.task_host import SparkTaskHost

VERSION = 1
_HEAD, _LENGTH = struct.Struct("<BI"), struct.Struct("<I")


def pack(parts: Sequence[bytes]) -> bytes:
    """Return the snapshots of a task, its own first and then those of its global stores, as one."""
    return _HEAD.pack(VERSION, len(parts)) + b"".join(
        _LENGTH.pack(len(part)) + part for part in parts
    )


def unpack(packed: bytes) -> list[bytes]:
    """Return the snapshots that ``pack`` combined.

    Raises:
        TaskCorruptedException: The bytes are damaged, or of another version.
    """
    try:
        return _parts(packed)
    except struct.error as error:
        raise TaskCorruptedException(
            "the snapshot of global stores is damaged",
            detail=f"It has {len(packed)} bytes: {error}.",
            hint="Restore the checkpoint or the savepoint from a copy.",
        ) from error


def unlogged_of(packed: bytes, tables: int) -> set[str]:
    """Return the stores that have taken records and logged nothing.

    Args:
        packed: What ``GlobalTables.pack`` has returned.
        tables: How many global stores there are.
    """
    read = unpack(packed)[1 + tables :]
    return unlogged(read[0]) if read else set()


def _parts(packed: bytes) -> list[bytes]:
    version, count = _HEAD.unpack_from(packed)
    if version != VERSION:
        raise TaskCorruptedException(
            f"the snapshot of global stores has format {version}",
            detail=f"This program reads format {VERSION}.",
        )
    parts, start = list[bytes](), _HEAD.size
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(packed, start)
        start += _LENGTH.size + length
        if start > len(packed):
            raise struct.error(f"part {len(parts)} would end at byte {start}")
        parts.append(packed[start - length : start])
    return parts


class GlobalTables:
    """The global stores that one task can read.

    Args:
        plan: The topology.
        settings: The settings of tasks.
        host: The host of the task that reads the stores.
        refilling: Reads the topics of stores that log nothing again.
    """

    def __init__(
        self, plan: Plan, settings: TaskSettings, host: SparkTaskHost, refilling: Refilling
    ) -> None:
        self.tasks: list[Task] = []
        """One for each global store."""
        self._host = host
        self._refilling = refilling
        self._own: set[str] = set()
        """Stores of users' own classes."""
        # Stores of an earlier task are closed, but processors would still find them.
        host.global_stores.clear()
        for store in plan.globals:
            task = Task(
                plan,
                [store.as_subtopology()],
                GLOBAL_TASK,
                settings.for_globals(),
                host,
            )
            self.tasks.append(task)
            host.global_stores.update(task.stores)
            self._own |= {name for name in task.stores if name not in host.asked}

    def apply(self, rows: Iterable[Any]) -> None:
        """Bring the stores up to date with a batch's records of their topics.

        Raises:
            StreamsException: A record cannot be deserialized, or a store's processor failed.
        """
        unlogged = self._own - self._host.logging
        for chunk in raw_chunks(source_runs(rows)):
            for task in self.tasks:
                if task.reads(chunk.topic):
                    task.add(chunk)
                    if own := unlogged & task.stores.keys():
                        self._refilling.note(own, chunk)
        for task in self.tasks:
            task.run()
            task.commit()
        if unlogged:
            self._refilling.tell(self._own - self._host.logging)

    def pack(self, snapshot: bytes) -> bytes:
        """Return a task's snapshot combined with those of the tasks that fill its global stores."""
        parts = [snapshot, *(task.snapshot() for task in self.tasks)]
        if self._own:
            parts.append(self._refilling.save(self._own - self._host.logging))
        return pack(parts)

    def unpack(self, packed: bytes) -> bytes:
        """Restore the tasks that fill the global stores; return the reading task's snapshot.

        Raises:
            TaskCorruptedException: The bytes are of another version.
            StreamsException: A store cannot be filled again from its topic.
        """
        own, *others = unpack(packed)
        # None where the stores are filled anew.
        if others:
            self._restore(others[: len(self.tasks)], others[len(self.tasks) :])
        return own

    def _restore(self, parts: Sequence[bytes], read: Sequence[bytes]) -> None:
        for task, part in zip(self.tasks, parts, strict=True):
            task.restore(part)
        unlogged = self._own - self._host.logging
        if unlogged:
            self._refilling.restore(read[0] if read else None, unlogged)
        for task in self.tasks:
            if own := unlogged & task.stores.keys():
                self._refilling.refill(task, own)

    def close(self) -> None:
        """Close the processors and the stores, even if some of them fail."""
        close_all(task.close for task in self.tasks)
