"""The check: a backlog that a cluster drains, beside what the model says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from benchmarks.sizing.model import (
    Constants,
    batch_s,
    cpu_of_a_batch_s,
    own_cpu_s_per_million,
)
from benchmarks.vs_kafka_streams.rounds import drain, prepare
from benchmarks.vs_kafka_streams.sides import millstream
from benchmarks.vs_kafka_streams.workloads import PARTITIONS
from millstream.testing.broker import EmbeddedBroker

WORKLOAD = "count"
_CACHE_BYTES = 10 * 2**20
_TIMEOUT_S = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """How a cluster has drained a backlog."""

    master: str
    cores: int
    """Of all executors."""
    records: int
    batch: int
    """Most records of a batch."""
    seconds: float
    cpu_s: float
    """Of the application's processes."""
    broker_cpu_s: float
    others: float
    """Cores of the machine that something else kept busy."""

    @property
    def batches(self) -> float:
        """How many batches it took."""
        return self.records / self.batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A drain beside what the model says."""

    drained: Drained
    model_s: float
    """As if each executor had a machine of its own."""
    bound_s: float
    """What the processor time of all takes, as the machine has only so many cores."""
    cpu_s: float
    """Processor time of the application by the model, which other load does not change."""

    @property
    def predicted_s(self) -> float:
        """What the model says for this machine."""
        return max(self.model_s, self.bound_s)

    @property
    def ratio(self) -> float:
        """Measured by predicted."""
        return self.drained.seconds / self.predicted_s

    @property
    def cpu_ratio(self) -> float:
        """Measured by predicted processor time."""
        return self.drained.cpu_s / self.cpu_s


def drained(
    master: str, cores: int, *, records: int, warm_up: int, batch: int, folder: Path
) -> Drained:
    """Let an application count a backlog, and return how it went.

    Args:
        master: Of Spark.
        cores: Of its executors together.
        records: Of the backlog.
        warm_up: Records before them.
        batch: Most records of a batch.
        folder: Of the run's files.

    Raises:
        BenchmarkError: The application ended, or did not read all in time.
    """
    folder.mkdir(parents=True)
    entries = {"spark.master": master, "millstream.max.records.per.batch": batch}
    with _no_logs_left(), EmbeddedBroker() as broker:
        job = prepare(
            broker.bootstrap_servers,
            workload=WORKLOAD,
            guarantee="exactly_once_v2",
            cache_bytes=_CACHE_BYTES,
            warm_up=warm_up,
            records=records,
            timeout_s=_TIMEOUT_S,
            broker_pid=broker.pid,
        )
        found = drain(job, millstream({**entries, "spark.driver.memory": "1g"}), folder)
    return Drained(
        master=master,
        cores=cores,
        records=found.records,
        batch=batch,
        seconds=found.seconds,
        cpu_s=found.costs.own_cpu_s,
        broker_cpu_s=found.costs.cpu_s.get("broker", 0.0),
        others=found.costs.others,
    )


def checked(found: Constants, calibration: Drained, run: Drained, machine_cores: int) -> Checked:
    """Compare a drain with the model.

    Args:
        found: The constants.
        calibration: A drain in local mode, which says what a record takes.
        run: The drain.
        machine_cores: That executors, driver and broker share.
    """
    per_million = own_cpu_s_per_million(
        found,
        cpu_s=calibration.cpu_s,
        records=calibration.records,
        batches=calibration.batches,
        partitions=PARTITIONS,
    )
    each_s = batch_s(
        found,
        partitions=PARTITIONS,
        cores=run.cores,
        records=run.batch,
        cpu_s_per_million=per_million,
    )
    every_cpu_s = (calibration.cpu_s + calibration.broker_cpu_s) / calibration.records * run.records
    batch_cpu_s = cpu_of_a_batch_s(found, PARTITIONS)
    return Checked(
        drained=run,
        model_s=run.batches * each_s,
        bound_s=every_cpu_s / machine_cores,
        cpu_s=run.batches * batch_cpu_s + run.records / 1e6 * per_million,
    )


@contextmanager
def _no_logs_left() -> Iterator[None]:
    """Delete the logs that executors of a local cluster leave in pyspark's own folder."""
    work = Path(pyspark.__file__).parent / "work"
    before = set(work.glob("*"))
    try:
        yield
    finally:
        for each in set(work.glob("*")) - before:
            shutil.rmtree(each, ignore_errors=True)
