"""A global store of a class of the program: what it does not log is gone, and that is told."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from compat_tests.spark.applications.test_interactive_queries import TallyBuilder
from compat_tests.spark.worker.attempts import Segments
from millstream import Consumed, Processor, Serdes, StreamsBuilder, StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.topology.spark.arrow_headers import headers_column
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.worker.worker_cache import Application
from millstream.topology.spark.worker.worker_task import Arrived, WorkerTask

TEXT = Serdes.String()


class GlobalTally(TallyBuilder):
    """The builder of a global store, whose topic is its changelog."""

    def loggingEnabled(self) -> bool:
        return False


class Logs(Processor[Any, Any, Any, Any]):
    """Fills the store."""

    def init(self, context: Any) -> None:
        self.store = context.getStateStore("tally")

    def process(self, record: Any) -> None:
        self.store.add(record.key(), record.timestamp())


class Keeps(Logs):
    """Fills the store without a word to the context."""

    def process(self, record: Any) -> None:
        self.store.counts[record.key()] = 1


class Reads(Processor[Any, Any, Any, Any]):
    """May read the store."""

    def process(self, record: Any) -> None:
        pass


def arrived(*keys: bytes) -> Arrived:
    blob = encode_chunk(
        offsets=pa.array(range(len(keys)), pa.int64()),
        timestamps=pa.array([100] * len(keys), pa.int64()),
        keys=binary_column(keys),
        values=binary_column(keys),
        headers=headers_column([None] * len(keys)),
    )
    row = SimpleNamespace(topic="facts", partition=0, seq=0, blob=blob)
    return Arrived([], [], [row] if keys else [], 1000)


@pytest.mark.parametrize(("fills", "told"), [(Logs, 0), (Keeps, 1)])
def test_a_store_that_nothing_would_fill_again_is_told_once(
    fills: type[Logs], told: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "localhost:1"})
    builder = StreamsBuilder()
    builder.addGlobalStore(GlobalTally(), "facts", Consumed.with_(TEXT, TEXT), fills)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).process(Reads)
    plan = builder.build().plan()
    job = Job(
        application_id="app",
        checkpoint_id="c",
        run_id="run",
        topology=b"",
        layout=compile_plan(plan, "app", {"in": 1}),
        sink_partitions={},
        exactly_once=True,
        state_dir=str(tmp_path),
    )
    owner = Application("run", plan, TaskSettings.of(config), config)
    task = WorkerTask(job, job.layout.stages[0], 0, owner)
    segments, manifest = Segments(), None
    with caplog.at_level(logging.WARNING):
        for keys in ((), (b"a", b"b"), (b"c",)):
            manifest, _ = task.run(arrived(*keys), manifest, segments)
    assert caplog.text.count('global store "tally" is of a class of the program') == told
