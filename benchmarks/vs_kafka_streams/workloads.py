"""The workloads of both sides, and their topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

GUARANTEES = ("at_least_once", "exactly_once_v2")
PARTITIONS = 2
RECORDS = 2_400_000
"""Counted records of a round, where one is as little work as to copy it: some ten seconds of work.
With fewer, a good part of what is measured are the compilers of both JVMs."""
KEYS = 10_000
CUSTOMERS = 10_000
FEW_FOREIGN_KEYS = 1_000
FIRST_TIMESTAMP_MS = 1_700_000_000_000
WINDOW_SIZE_MS = 10_000
SESSION_GAP_MS = 5_000
JOIN_DIFFERENCE_MS = 5_000
GRACE_MS = 1_000
DEDUPLICATION_MS = 10_000
HISTORY_MS = 60_000
EXPIRY_MS = 20_000
SWEEP_MS = 10_000
COPIES = 8
SHORT_KEY_LENGTH = 3
REPARTITION_NAME = "short"
FOREIGN_NAME = "foreign"

_TWO_BATCHES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What the harness has to know of a job."""

    right_every: int = 0
    """One record of so many goes to a second topic; 0: there is only one topic."""
    foreign_keys: int = 0
    """Rows of the first topic begin with the key of one of so many rows of the second one."""
    new_keys: bool = False
    """Each record of the first topic has a key of its own, as orders have; else one of a few."""
    between: tuple[str, ...] = ()
    """The application's own topics whose offsets count, without its name in front."""
    feedback: tuple[str, ...] = ()
    """Those of them that are on the broker for millstream, too."""
    times_vary: bool = False
    """A result has the time of whatever came last from elsewhere, which no two runs have alike."""
    every_record: bool = False
    """Each record of the output is a result; else the last one of each key that has a value is."""
    rows: int = 0
    """Rows of a second topic that is filled before all else and whose records are not counted."""
    weight: int = 1
    """One record is as much work as so many of another workload; so many fewer are taken."""
    value: str = "text"
    """What a value is: a short "text", a "large" one (10 kB), or "avro"."""
    headers: int = 0
    """Headers of each record."""
    verify_with: Mapping[str, object] = field(default_factory=dict)
    """Kafka Streams' configuration under `--verify`, if its results depend on the wall clock."""


_FOREIGN_KEY_JOIN: Any = {
    "between": (
        f"{FOREIGN_NAME}-subscription-registration-topic",
        f"{FOREIGN_NAME}-subscription-response-topic",
    ),
    "times_vary": True,
    "feedback": (f"{FOREIGN_NAME}-subscription-response-topic",),
}

_UNMATCHED: Any = {
    "right_every": 2,
    "every_record": True,
    "weight": 4,
    "verify_with": {"__emit.interval.ms.kstreams.outer.join.spurious.results.fix__": 0},
}

WORKLOADS: Mapping[str, Workload] = {
    "pass": Workload(every_record=True),
    "count": Workload(),
    "window-count": Workload(weight=2),
    "repartition-count": Workload(between=(f"{REPARTITION_NAME}-repartition",)),
    "session-count": Workload(weight=3),
    "suppress-final": Workload(weight=3),
    "emit-final": Workload(
        verify_with={"__emit.interval.ms.kstreams.windowed.aggregation__": 0}, weight=3
    ),
    "sliding-count": Workload(weight=4),
    "cogroup": Workload(right_every=2),
    "table-join": Workload(right_every=2),
    "stream-join": Workload(right_every=2, every_record=True, weight=3),
    "stream-left-join": Workload(**_UNMATCHED),
    "stream-outer-join": Workload(**_UNMATCHED),
    "global-join": Workload(rows=KEYS, every_record=True),
    "versioned-join": Workload(right_every=2, every_record=True, weight=2),
    "dedup": Workload(every_record=True),
    "processor": Workload(every_record=True, weight=2),
    "flat-map": Workload(every_record=True, weight=4),
    "large-values": Workload(value="large", weight=40),
    "headers": Workload(every_record=True, headers=10, weight=3),
    "avro": Workload(every_record=True, value="avro"),
    "fk-join": Workload(
        right_every=100, foreign_keys=CUSTOMERS, new_keys=True, weight=4, **_FOREIGN_KEY_JOIN
    ),
    "fk-join-few-keys": Workload(
        right_every=10, foreign_keys=FEW_FOREIGN_KEYS, **_FOREIGN_KEY_JOIN
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A topic that is filled before any run, and offsets of its partitions in order."""

    topic: str
    warm_up_ends: tuple[int, ...]
    end_offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One drain of the input topics, the same for either side."""

    workload: str
    guarantee: str
    cache_bytes: int
    bootstrap_servers: str
    inputs: tuple[Input, ...]
    timeout_s: float
    broker_pid: int | None = None
    """The broker's process, if it is on this machine and known."""

    @property
    def records(self) -> int:
        """Records in the topics, warm-up included."""
        return sum(sum(each.end_offsets) for each in self.inputs)

    @property
    def records_per_batch(self) -> int | None:
        """What a batch of millstream may read, so that the clock can start after one.

        None: there are enough records for its default, 500,000.
        """
        return None if self.records >= _TWO_BATCHES else max(1, self.records // 3)

    @property
    def warm_up_ends(self) -> Mapping[str, tuple[int, ...]]:
        """Topic -> the offsets at which its warm-up ends."""
        return {each.topic: each.warm_up_ends for each in self.inputs}

    @property
    def end_offsets(self) -> Mapping[str, tuple[int, ...]]:
        """Topic -> the offsets at which it ends."""
        return {each.topic: each.end_offsets for each in self.inputs}

    def between(self, application: str) -> list[str]:
        """Return the names of the application's own topics whose offsets count."""
        return [f"{application}-{name}" for name in WORKLOADS[self.workload].between]

    def feedback(self, application: str) -> list[str]:
        """Return those of them that are on the broker for millstream, too."""
        return [f"{application}-{name}" for name in WORKLOADS[self.workload].feedback]
