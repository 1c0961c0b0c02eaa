"""What a task asks of whoever runs it: the test driver, or a stage on Spark."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from millstream.core.engine.working_copy import WorkingCopy
from millstream.core.headers import Headers
from millstream.core.metrics.measured import Measures

log = logging.getLogger(__name__)


class TaskHost(Protocol):
    """The world around one task."""

    measures: Measures
    """What was sent to topics, as far as the host measures it."""

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the bytes of a store, kept by the byte-store plugin called ``kind``."""

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
        partition: int | None,
    ) -> None:
        """Send one record; a partition of None asks for Kafka's default partitioner."""

    def send_chunk(
        self,
        topic: str,
        keys: list[bytes | None],
        values: list[bytes | None],
        timestamps: Sequence[int],
        headers: list[Headers | None] | None,
        partitions: list[int | None] | None = None,
    ) -> None:
        """Send many records in order; partitions of None are Kafka's default ones."""

    def partition_count(self, topic: str) -> int:
        """Return how many partitions ``topic`` has."""

    def logs_changes(self, store: str) -> bool:
        """Tell whether ``log_change`` is wanted for a store; asked once, when it opens."""

    def log_change(
        self,
        store: str,
        key: bytes,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
    ) -> None:
        """Note a change in the form that Kafka's changelog topic would hold."""

    def logged(self, store: str) -> Iterable[tuple[bytes, bytes, int]]:
        """Return what a user's own store has to be filled with: key, value, time of the change."""

    def now_ms(self) -> int:
        """Return the wall clock: a mock's, or the time of the batch; never the machine's."""

    def state_dir(self) -> Path:
        """Return the task's own directory."""

    def global_store(self, name: str) -> Any:
        """Return a store that every task sees whole; None if there is none of that name."""

    def configs(self) -> Mapping[str, Any]:
        """Return the application's configuration."""


class FillsGlobalStores:
    """What the hosts of tasks that fill global stores share: nothing can be sent from there."""

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
        partition: int | None,
    ) -> None:
        """Drop a record for a dead letter queue, as Kafka Streams does."""
        del key, value, timestamp, headers, partition
        log.warning("a global store cannot send to a dead letter queue topic=%s", topic)
