"""Task host on Spark: stores, output and the time of the batch for one task."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

from millstream.core.engine.host import TaskHost
from millstream.core.engine.output import Sent, SentChunk
from millstream.core.file_names import directory_name
from millstream.core.headers import Headers
from millstream.core.state.logged_rows import Logged, from_row, to_row
from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import open_store, store_class
from millstream.topology.spark.job import Job
from millstream.topology.spark.state.changelog import LOGGED, Changelog
from millstream.topology.spark.state.slots import DirectoryLock, checkpoint_slot
from millstream.topology.spark.worker.logged_changes import LoggedChanges
from millstream.topology.spark.worker.outbox import Outbox
from millstream.topology.spark.worker.topics import max_age_s, partition_count


class SparkTaskHost(TaskHost):
    """Host of one task in one worker; lives as long as the task.

    Args:
        job: Facts about the application.
        configs: The application's configuration.
        task: The task's name.
        shares: Whether stores that allow it are shared with the machine's other workers.
        logged: Takes the changes for changelog topics; None if none are written.
        place: Locked directory for all stores, which the host keeps locked; None to have them in
            the process's slot.
    """

    has_partitions = True
    clock_is_time_of_day = True
    answers_come_later = True

    def __init__(
        self,
        job: Job,
        configs: Mapping[str, Any],
        task: str,
        *,
        shares: bool = False,
        logged: LoggedChanges | None = None,
        place: DirectoryLock | None = None,
    ) -> None:
        super().__init__()
        self._job = job
        self._configs = configs
        self._task = task
        self._clock_ms = 0
        self._made = time.monotonic()
        self._logged = logged
        self.asked: set[str] = set()
        """Stores with a working copy, which is their changelog: ``log_change`` is not needed."""
        self.logging: set[str] = set()
        """Users' own stores that have logged a change."""
        self.changelog = Changelog(self._open_store, job.kinds)
        self.own_place = place
        """Locked directory of the stores; None if they are in the process's slot."""
        self._lock: DirectoryLock | None = None
        """Lock of the machine's shared stores; None if no store is shared."""
        if shares and place is None:
            self._lock = DirectoryLock(self._root() / "shared" / job.checkpoint_id / task)
        self._uses_shared = False
        self._state_dir_is_old = True
        """Whether what is in the task's own directory was left by an earlier task."""
        self.begin(0)

    def begin(self, clock_ms: int) -> None:
        """Start a batch: an empty outbox and the batch's wall clock."""
        self._clock_ms = clock_ms
        self._counts: dict[str, int] = {}
        self.outbox = Outbox(self._job.layout.routes)
        self.measures = self.outbox.measures
        # It is called for each record of a user's processor: not by way of another method.
        self.send = self.outbox.send  # type: ignore[method-assign]
        if self._logged is not None:
            self._logged.begin()

    def lock_shared(self) -> bool:
        """Take the lock of shared stores for a batch; False if open shared stores are locked.

        Then they must be closed, and this worker continues with its own copies.
        """
        if self._lock is None or not self._uses_shared or self._lock.acquire():
            return True
        self._lock, self._uses_shared = None, False
        return False

    def unlock_shared(self) -> None:
        """End the turn with shared stores, and release their lock."""
        if self._lock is None:
            return
        try:
            if self._uses_shared:
                self.changelog.rest()
        finally:
            self._lock.release()

    def discard_stores(self) -> None:
        """Close the stores and delete their files; they are restored when they are opened again."""
        with suppress(Exception):
            self.changelog.close()
        own = self._slot() if self.own_place is None else self.own_place.directory
        rmtree(own / "stores", ignore_errors=True)
        if self._lock is not None and self._uses_shared:
            rmtree(self._lock.directory / "stores", ignore_errors=True)

    def close(self) -> None:
        """Close the stores, and unlock the host's own directory."""
        with suppress(Exception):
            self.changelog.close()
        self.leave()

    def leave(self) -> None:
        """Unlock the host's own directory, if it has one; its stores are closed."""
        if self.own_place is not None:
            self.own_place.release()

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        self.asked.add(store)
        return self.changelog.working_copy(store, kind)

    def send(self, record: Sent) -> None:
        self.outbox.send(record)

    def send_chunk(self, chunk: SentChunk) -> None:
        self.outbox.send_chunk(chunk)

    def partition_count(self, topic: str) -> int:
        """Return how many partitions a topic has, for the length of a batch."""
        if topic not in self._counts:
            self._counts[topic] = self._count(topic)
        return self._counts[topic]

    def _count(self, topic: str) -> int:
        layout = self._job.layout
        if topic in layout.routes:
            return layout.routes[topic][1]
        if topic in layout.feedback:
            return layout.feedback[topic]
        first = self._job.sink_partitions.get(topic)
        if first is not None and time.monotonic() - self._made < max_age_s(self._job):
            return first
        return partition_count(self._job, topic, first)

    def comes_later(self, topic: str) -> bool:
        return topic in self._job.layout.feedback

    def logs_changes(self, store: str) -> bool:
        """Return whether it is a user's own store, without a working copy in the changelog.

        Or a store of which each write goes to a changelog topic.

        Called after the store has opened its byte stores.
        """
        return store not in self.asked or self._logs_each(store)

    def log_change(
        self,
        store: str,
        key: bytes,
        value: bytes | None,
        timestamp: int | None,
        headers: Headers | None,
    ) -> None:
        """Log a change of a user's own store; the last one of each key is stored."""
        if self._logged is None or not self._logs_each(store):
            self.keep_change(store, key, value, timestamp, headers)
            return
        time_ms = self._clock_ms if timestamp is None else timestamp
        self._logged.log_write(store, key, value, time_ms)

    def keep_change(
        self,
        store: str,
        key: bytes,
        value: bytes | None,
        timestamp: int | None,
        headers: Headers | None,
    ) -> None:
        """Keep the last change of each key in the state, where ``logged`` finds it."""
        if timestamp is None:
            timestamp = self._clock_ms
        self.logging.add(store)
        data = None if value is None else to_row(value, timestamp, headers)
        self.changelog.working_copy(store, LOGGED).put(key, data)

    def logged(self, store: str) -> Iterator[tuple[bytes, Logged]]:
        """Yield the logged entries of a user's own store."""
        for key, data in self.changelog.working_copy(store, LOGGED).scan(None, None):
            self.logging.add(store)
            yield key, from_row(data)

    def log_changes(self, stream_time: int) -> None:
        """Send the batch's changes to the changelog topics, if any are written."""
        if self._logged is None:
            return
        for chunk in self._logged.chunks(self.changelog.changes(), stream_time, self._clock_ms):
            self.outbox.log(chunk)

    def now_ms(self) -> int:
        """Return the batch's wall clock, which is the same in a repeated batch."""
        return self._clock_ms

    def state_dir(self) -> Path:
        """Return the task's own directory, created on first use."""
        directory = self._slot() / "task"
        if self._state_dir_is_old:
            self._state_dir_is_old = False
            rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True, exist_ok=True)
        return directory

    def renew_state_dir(self) -> None:
        """Let the task's own directory be empty when it is asked for next, by a new task.

        The files of a user's own store that are there may have entries of a batch that has failed,
        or that another worker has deleted since. The store gets all of its entries from what it has
        logged.
        """
        self._state_dir_is_old = True

    def _logs_each(self, store: str) -> bool:
        return self._logged is not None and store in self._logged.each

    def _root(self) -> Path:
        return Path(self._job.state_dir) / self._job.application_id

    def _slot(self) -> Path:
        return checkpoint_slot(self._root(), self._job.checkpoint_id) / self._task

    def _open_store(self, store: str, kind: str) -> ByteStore:
        traits, directory = store_class(kind).traits, Path()
        if traits.durable:
            directory = self._place(traits.shareable) / "stores" / kind / directory_name(store)
            directory.mkdir(parents=True, exist_ok=True)
        return open_store(kind, directory, self._configs)

    def _place(self, shareable: bool) -> Path:
        if self.own_place is not None:
            return self.own_place.directory
        if shareable and self._lock is not None and self._lock.acquire():
            self._uses_shared = True
            return self._lock.directory
        return self._slot()
