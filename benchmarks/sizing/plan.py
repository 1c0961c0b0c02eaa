"""A cluster that is not there, computed from constants."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.sizing.model import Constants, batch_s, steady_batch_s

KEPT_BATCHES = 100
"""``spark.sql.streaming.minBatchesToRetain``."""
MIN_SLICE = 64 * 1024
"""What a batch rewrites of a task's state at least, in bytes before compression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What is asked for."""

    executors: int
    cores: int
    """Of an executor."""
    partitions: int
    rate: float
    """Records a second."""
    keys: int
    cpu_s_per_million: float
    interval_s: float = 0.0
    """``commit.interval.ms``; 0: the next batch begins at once."""
    entry_bytes: float = 60.0
    """Of a key and its value in a segment."""
    plain_bytes: float = 130.0
    """The same before compression, as the rolling rewrite counts."""
    copy_bytes: float = 125.0
    """The same in a working copy on the disk."""
    restored_per_s: float = 500_000.0
    """Entries that one core puts into a store."""
    state_files: float = 5.0
    """That a task leaves in the checkpoint in a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the model says of a cluster."""

    batch_s: float
    serial_s: float
    """Of it the driver's serial work."""
    capacity: float
    """Records a second at which a batch takes the interval, or ten times an empty batch."""
    connections: float
    transactions_per_s: float
    result_mb: float
    """What the tasks of a batch send to the driver."""
    checkpoint_gb: float
    copies_gb: float
    """Working copies on one executor's disk."""
    files: float
    """In the checkpoint."""
    restore_s: float
    """To build what a lost executor held, on the others."""
    round_h: float
    """A round of the rolling rewrite, in hours."""

    def rows(self) -> list[tuple[str, str]]:
        """Return words and figure for each."""
        return [
            ("a batch", f"{self.batch_s:,.1f} s"),
            ("of it serial work of the driver", f"{self.serial_s:,.1f} s"),
            ("the most records a second", f"{self.capacity:,.0f}"),
            ("connections of the brokers", f"{self.connections:,.0f}"),
            ("transactions a second", f"{self.transactions_per_s:,.0f}"),
            ("results of a batch's tasks", f"{self.result_mb:,.1f} MB"),
            ("checkpoint", f"{self.checkpoint_gb:,.1f} GB"),
            ("files in the checkpoint", f"{self.files:,.0f}"),
            ("working copies, an executor", f"{self.copies_gb:,.1f} GB"),
            ("restore of a lost executor", f"{self.restore_s:,.0f} s"),
            ("a round of the rewrite", f"{self.round_h:,.1f} h"),
        ]


def planned(found: Constants, wanted: Cluster) -> Plan:
    """Return what the model says of a cluster."""
    cores = wanted.executors * wanted.cores
    shape = {"partitions": wanted.partitions, "cores": cores}
    per_million = wanted.cpu_s_per_million
    steady = steady_batch_s(found, **shape, rate=wanted.rate, cpu_s_per_million=per_million)
    empty = batch_s(found, **shape, records=0, cpu_s_per_million=per_million)
    length = max(steady, wanted.interval_s)
    each = batch_s(found, **shape, records=wanted.rate * length, cpu_s_per_million=per_million)
    at_most = wanted.interval_s if wanted.interval_s > empty else 10 * empty
    capacity = (1 - empty / at_most) * min(cores, wanted.partitions) * 1e6 / per_million
    state_bytes = wanted.keys * wanted.entry_bytes
    changed = min(wanted.rate * length, float(wanted.keys))
    rewritten = max(MIN_SLICE * wanted.partitions, changed * wanted.plain_bytes)
    return Plan(
        batch_s=each,
        serial_s=found.serial_ms.at(wanted.partitions) / 1000,
        capacity=capacity,
        connections=found.connections.at(wanted.partitions),
        transactions_per_s=wanted.partitions / length,
        result_mb=found.result_bytes.at(wanted.partitions) / 1e6,
        checkpoint_gb=(2 * state_bytes + KEPT_BATCHES * changed * wanted.entry_bytes) / 1e9,
        copies_gb=wanted.keys / wanted.executors * wanted.copy_bytes / 1e9,
        files=wanted.partitions * KEPT_BATCHES * (wanted.state_files + 1),
        restore_s=_restore_s(wanted, cores),
        round_h=wanted.keys * wanted.plain_bytes / rewritten * length / 3600,
    )


def _restore_s(wanted: Cluster, cores: int) -> float:
    """Return how long the lost tasks take on the cores that are left; a task has one core."""
    lost = wanted.partitions / wanted.executors
    left = max(1, cores - wanted.cores)
    waves = max(1.0, lost / left)
    # A changelog has up to two entries for a key.
    return waves * 2 * wanted.keys / wanted.partitions / wanted.restored_per_s
