"""The jobs that both sides run, and the topics they read."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

GUARANTEES = ("at_least_once", "exactly_once_v2")
PARTITIONS = 2
KEYS = 10_000
FOREIGN_KEYS = 1_000
FIRST_TIMESTAMP_MS = 1_700_000_000_000
WINDOW_SIZE_MS = 10_000
SESSION_GAP_MS = 5_000
JOIN_DIFFERENCE_MS = 5_000
GRACE_MS = 1_000
DEDUPLICATION_MS = 10_000
SHORT_KEY_LENGTH = 3
REPARTITION_NAME = "short"
FOREIGN_NAME = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What the harness has to know of a job."""

    right_every: int = 0
    """One record of so many goes to a second topic; 0: there is only one topic."""
    by_foreign_key: bool = False
    """Rows of the first topic begin with the key of a row of the second one."""
    between: tuple[str, ...] = ()
    """The application's own topics whose offsets count, without its name in front."""
    feedback: tuple[str, ...] = ()
    """Those of them that are on the broker for millstream, too."""
    times_vary: bool = False
    """A result has the time of whatever came last from elsewhere, which no two runs have alike."""
    every_record: bool = False
    """Each record of the output is a result; else the last one of each key that has a value is."""


WORKLOADS: Mapping[str, Workload] = {
    "pass": Workload(every_record=True),
    "count": Workload(),
    "window-count": Workload(),
    "repartition-count": Workload(between=(f"{REPARTITION_NAME}-repartition",)),
    "session-count": Workload(),
    "suppress-final": Workload(),
    "table-join": Workload(right_every=2),
    "stream-join": Workload(right_every=2, every_record=True),
    "dedup": Workload(every_record=True),
    "fk-join": Workload(
        right_every=10,
        by_foreign_key=True,
        between=(
            f"{FOREIGN_NAME}-subscription-registration-topic",
            f"{FOREIGN_NAME}-subscription-response-topic",
        ),
        times_vary=True,
        feedback=(f"{FOREIGN_NAME}-subscription-response-topic",),
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

    @property
    def records(self) -> int:
        """Records in the topics, warm-up included."""
        return sum(sum(each.end_offsets) for each in self.inputs)

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


def record(workload: Workload, number: int, rng: random.Random) -> tuple[int, bytes, bytes, int]:
    """Number of the topic, key, value and timestamp of one record; keys are drawn at random."""
    on_right = workload.right_every > 0 and number % workload.right_every == 0
    key = b"k%d" % rng.randrange(KEYS)
    if workload.by_foreign_key:
        foreign = b"f%d" % (int(key[1:]) % FOREIGN_KEYS)
        if on_right:
            key = b"f%d" % rng.randrange(FOREIGN_KEYS)
        value = b"%s|%d" % (key if on_right else foreign, number)
    else:
        value = b'{"user":"%s","n":%d,"amount":%d}' % (key, number, number % 1000)
    return int(on_right), key, value, FIRST_TIMESTAMP_MS + number
