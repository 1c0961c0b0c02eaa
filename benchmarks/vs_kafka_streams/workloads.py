"""The four jobs both sides run, and the topic they read."""

from __future__ import annotations

from dataclasses import dataclass

WORKLOADS = ("pass", "count", "window-count", "repartition-count")
GUARANTEES = ("at_least_once", "exactly_once_v2")
PARTITIONS = 2
KEYS = 10_000
FIRST_TIMESTAMP_MS = 1_700_000_000_000
WINDOW_SIZE_MS = 10_000
GRACE_MS = 1_000
SHORT_KEY_LENGTH = 3
REPARTITION_NAME = "short"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One drain of the input topic, the same for either side."""

    workload: str
    guarantee: str
    cache_bytes: int
    bootstrap_servers: str
    input_topic: str
    warm_up_ends: tuple[int, ...]
    end_offsets: tuple[int, ...]
    timeout_s: float

    @property
    def records(self) -> int:
        """Records in the topic, warm-up included."""
        return sum(self.end_offsets)
