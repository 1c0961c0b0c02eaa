"""Global stores of one task, and the tasks that fill them.

Every task of a stage whose processors may read a global store gets every record of its topic,
before the batch's other records. The copies are stores like the task's own, with the same changelog
and the same version.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.errors import TaskCorruptedException
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.topology.spark.worker.inbox import raw_chunks, source_runs
from millstream.topology.spark.worker.task_host import SparkTaskHost

log = logging.getLogger(__name__)

VERSION = 1
_BEGINS_EMPTY = (
    'global store "%s" is of a class of the program and logs no changes: unlike in Kafka Streams '
    "it is empty whenever its task is created anew, as after a restart. Let it log each change by "
    "context.log_change() and register a callback that takes them back, or use a store of Stores"
)
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
    """

    def __init__(self, plan: Plan, settings: TaskSettings, host: SparkTaskHost) -> None:
        self.tasks: list[Task] = []
        """One for each global store."""
        self._host = host
        self._watched: set[str] = set()
        """Stores of users' own classes, while nothing shows whether they log their changes."""
        # Stores of an earlier task are closed, but processors would still find them.
        host.global_stores.clear()
        for store in plan.globals:
            task = Task(
                plan,
                [store.as_subtopology()],
                TaskId(store.subtopology, 0),
                settings.for_globals(),
                host,
            )
            self.tasks.append(task)
            host.global_stores.update(task.stores)
            self._watched |= {name for name in task.stores if name not in host.asked}

    def apply(self, rows: Iterable[Any]) -> None:
        """Bring the stores up to date with a batch's records of their topics.

        Raises:
            StreamsException: A record cannot be deserialized, or a store's processor failed.
        """
        filled: set[str] = set()
        for chunk in raw_chunks(source_runs(rows)):
            for task in self.tasks:
                if task.reads(chunk.topic):
                    task.add(chunk)
                    filled |= self._watched & task.stores.keys()
        for task in self.tasks:
            task.run()
            task.commit()
        self._warn(filled)

    def _warn(self, filled: set[str]) -> None:
        """Say once which stores have taken records that nothing brings back."""
        for name in filled:
            self._watched.discard(name)
            if name not in self._host.logging:
                log.warning(_BEGINS_EMPTY, name)

    def pack(self, snapshot: bytes) -> bytes:
        """Return a task's snapshot combined with those of the tasks that fill its global stores."""
        return pack([snapshot, *(task.snapshot() for task in self.tasks)])

    def unpack(self, packed: bytes) -> bytes:
        """Restore the tasks that fill the global stores; return the reading task's snapshot.

        Raises:
            TaskCorruptedException: The bytes are of another version.
        """
        own, *others = unpack(packed)
        # None where the stores are filled anew.
        for task, part in zip(self.tasks, others, strict=bool(others)):
            task.restore(part)
        return own

    def close(self) -> None:
        """Close the processors and the stores."""
        for task in self.tasks:
            task.close()
