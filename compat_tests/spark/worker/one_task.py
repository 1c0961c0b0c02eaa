"""One task of a topology, run batch by batch without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from millstream import Serdes, StreamsConfig, Topology
from millstream.core.engine.settings import TaskSettings
from millstream.topology.spark.arrow_headers import headers_column
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import (
    RECORDS,
    binary_column,
    decode_chunk,
    encode_chunk,
    to_list,
)
from millstream.topology.spark.worker.worker_cache import Application
from millstream.topology.spark.worker.worker_task import Arrived, WorkerTask


def one_task(topology: Topology, directory: Path, **client: str) -> WorkerTask:
    """Return the first task of a topology that reads the topic "in", with texts as defaults.

    Args:
        topology: The topology.
        directory: Of its stores.
        client: Settings of clients.
    """
    text = Serdes.String()
    entries = {"application.id": "app", "bootstrap.servers": "localhost:1"}
    config = StreamsConfig({**entries, "default.key.serde": text, "default.value.serde": text})
    plan = topology.plan()
    job = Job(
        application_id="app",
        checkpoint_id="c",
        run_id="run",
        topology=b"",
        layout=compile_plan(plan, "app", {"in": 1}),
        sink_partitions={},
        exactly_once=True,
        state_dir=str(directory),
        client=client,
    )
    owner = Application("run", plan, TaskSettings.of(config), config)
    return WorkerTask(job, job.layout.stages[0], 0, owner)


def arrived(keys: str, first: int) -> Arrived:
    """Return a batch of records, each with a letter as its key, from an offset on."""
    return Arrived([row_of("in", keys, first)], [], [], 1000)


def row_of(topic: str, keys: str, first: int) -> Any:
    """Return the row of such records of a topic."""
    data = [key.encode() for key in keys]
    blob = encode_chunk(
        offsets=pa.array(range(first, first + len(keys)), pa.int64()),
        timestamps=pa.array([100] * len(keys), pa.int64()),
        keys=binary_column(data),
        values=binary_column(data),
        headers=headers_column([None] * len(keys)),
    )
    return SimpleNamespace(topic=topic, partition=0, seq=first, blob=blob)


def values(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the values of the records that a batch sends."""
    sent = [decode_chunk(row["blob"])["values"] for row in rows if row["kind"] == RECORDS]
    return [value.decode() for column in sent for value in to_list(column)]
