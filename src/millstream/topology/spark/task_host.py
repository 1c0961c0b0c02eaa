"""The world around one task on Spark: its stores, its output, the time of the batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from millstream.core.headers import Headers
from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import store_class
from millstream.topology.spark.changelog import Changelog
from millstream.topology.spark.job import Job
from millstream.topology.spark.outbox import Outbox
from millstream.topology.spark.slots import claimed_slot
from millstream.topology.spark.topics import partition_count


class SparkTaskHost:
    """Implements ``TaskHost`` for one task of one worker; lives as long as the task does."""

    def __init__(self, job: Job, configs: Mapping[str, Any], task: str) -> None:
        self._job = job
        self._configs = configs
        self._task = task
        self._clock_ms = 0
        self.changelog = Changelog(self._open_store)
        self.begin(0)

    def begin(self, clock_ms: int) -> None:
        """Start a batch: an empty outbox and the batch's wall clock."""
        self._clock_ms = clock_ms
        self.outbox = Outbox(self._job.layout.routes)

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the bytes of a store."""
        return self.changelog.working_copy(store, kind)

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
        partition: int | None,
    ) -> None:
        """Send one record."""
        self.outbox.send(topic, key, value, timestamp, headers, partition)

    def send_chunk(
        self,
        topic: str,
        keys: list[bytes | None],
        values: list[bytes | None],
        timestamps: Sequence[int],
        headers: list[Headers | None] | None,
        partitions: list[int | None] | None = None,
    ) -> None:
        """Send many records."""
        self.outbox.send_chunk(topic, keys, values, timestamps, headers, partitions)

    def partition_count(self, topic: str) -> int:
        """Return how many partitions a topic has."""
        if topic in self._job.layout.routes:
            return self._job.layout.routes[topic][1]
        known = self._job.sink_partitions.get(topic)
        return partition_count(self._job, topic) if known is None else known

    def logs_changes(self, store: str) -> bool:
        """Return False: the changelog is in the checkpoint, not in topics."""
        del store
        return False

    def log_change(
        self,
        store: str,
        key: bytes,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
    ) -> None:
        """Do nothing; nobody calls it."""

    def now_ms(self) -> int:
        """Return the batch's time, which a repeated batch sees again."""
        return self._clock_ms

    def state_dir(self) -> Path:
        """Return the task's own directory, made on first use."""
        directory = self._slot() / "task"
        directory.mkdir(parents=True, exist_ok=True)
        return directory

    def global_store(self, name: str) -> Any:
        """Return None: there are no global stores on Spark."""
        del name
        return None

    def configs(self) -> Mapping[str, Any]:
        """Return the application's configuration."""
        return self._configs

    def _slot(self) -> Path:
        root = Path(self._job.state_dir) / self._job.application_id
        return claimed_slot(root) / self._job.checkpoint_id / self._task

    def _open_store(self, store: str, kind: str) -> ByteStore:
        opened = store_class(kind)
        directory = Path()
        if opened.traits.durable:
            directory = self._slot() / "stores" / kind / store
            directory.mkdir(parents=True, exist_ok=True)
        return opened.open(directory, self._configs)
