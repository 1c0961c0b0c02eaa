"""World around a task, provided by the test driver or by a stage on Spark."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from millstream.core.engine.output import Sent, SentChunk
from millstream.core.headers import Headers
from millstream.core.metrics.measured import Measures
from millstream.core.state.logged_rows import Logged
from millstream.core.working_copy import WorkingCopy


class TaskHost(ABC):
    """World around one task: bytes of stores, output and the wall clock.

    By default every topic has one partition, and changes of stores are not logged.
    """

    has_partitions = False
    """Whether ``partition_count`` tells how many partitions topics have in truth."""
    clock_is_time_of_day = False
    """Whether ``now_ms`` is the present time, the same in each attempt at a batch."""
    answers_come_later = False
    """Whether what goes around a circle of sub-topologies comes back only after a commit of many
    records, and not before the next record."""

    def __init__(self) -> None:
        self.measures = Measures()
        """What was sent to topics, as far as the host measures it."""
        self.global_stores: dict[str, Any] = {}
        self.shared: dict[str, Any] = {}
        """What processors of the task share, by name."""

    @abstractmethod
    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the bytes of a store, kept by the byte-store plugin called ``kind``."""

    @abstractmethod
    def send(self, record: Sent) -> None:
        """Send one record."""

    @abstractmethod
    def send_chunk(self, chunk: SentChunk) -> None:
        """Send many records in order."""

    def partition_count(self, topic: str) -> int:
        """Return how many partitions ``topic`` has."""
        del topic
        return 1

    def comes_later(self, topic: str) -> bool:
        """Tell whether what is sent to a topic of a circle comes back with a later batch."""
        del topic
        return False

    def logs_changes(self, store: str) -> bool:
        """Tell whether ``log_change`` is wanted for a store; asked once, when it opens."""
        del store
        return False

    def log_change(  # noqa: B027 - only a host that wants changes logs them
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Note a change in the form that Kafka's changelog topic would hold."""

    def keep_change(  # noqa: B027 - only a host that wants changes keeps them
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        """Note a change for the store's next task, as ``log_change`` does, but in no topic."""

    def logged(self, store: str) -> Iterable[tuple[bytes, Logged]]:
        """Return what a user's own store has to be filled with, by key."""
        del store
        return ()

    @abstractmethod
    def now_ms(self) -> int:
        """Return the wall clock: a mock's, or the time of the batch; never the machine's."""

    @abstractmethod
    def state_dir(self) -> Path:
        """Return the task's own directory."""

    def global_store(self, name: str) -> Any:
        """Return a store that every task sees whole; None if there is none of that name."""
        return self.global_stores.get(name)
