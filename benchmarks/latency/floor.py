"""Spark's own floor: an empty line of as many stages, from Kafka to Kafka, without any engine.

The records of a partition become one row with their times; a stage reads one value of state, writes
it, and passes its rows on. The last part writes a record for each time to Kafka, at least once.
Settings are those of the application's query.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
)

from benchmarks.latency.shapes import PARTITIONS, RESULTS, SHAPES, SOURCE
from millstream.topology.spark.driver.session import new_session, query_session
from millstream.topology.spark.surrogate import surrogate_keys

_SCHEMA = "key int, at array<bigint>"


class Empty(StatefulProcessor):
    """A stage that does nothing but read and write one value."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._state = handle.getValueState("state", "batches bigint")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        del key, timerValues
        before = self._state.get()
        self._state.update(((before[0] if before else 0) + 1,))
        yield from rows

    def close(self) -> None:
        """Do nothing."""


def main() -> None:
    config: dict[str, Any] = json.loads(sys.argv[1])
    stages = SHAPES[config.pop("latency.shape")].stages
    spark = new_session(config, "floor")
    session = query_session(spark, config, PARTITIONS)
    query = (
        _line(session, config["bootstrap.servers"], stages)
        .writeStream.format("noop")
        .outputMode("append")
        .option("checkpointLocation", config["state.dir"] + "/floor")
        .trigger(processingTime="0 milliseconds")
        .start()
    )
    found: dict[int, dict[str, int]] = {}
    threading.Thread(target=_collect, args=(query, found), daemon=True).start()
    sys.stdin.read()
    print(json.dumps([found[number] for number in sorted(found)]), flush=True)
    query.stop()
    spark.stop()


def _line(session: SparkSession, servers: str, stages: int) -> DataFrame:
    source = (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", servers)
        .option("kafka.fetch.max.wait.ms", "1")
        .option("subscribe", SOURCE)
        .option("startingOffsets", "earliest")
        .load()
    )
    keys = F.array(*(F.lit(key) for key in surrogate_keys(PARTITIONS)))
    rows = source.select(
        keys.getItem(F.col("partition")).alias("key"), F.unix_millis("timestamp").alias("at")
    )
    # A row has the times of a task's records: rows between stages are few, as chunks are.
    line = rows.mapInArrow(_together, _SCHEMA)
    for _ in range(stages):
        line = line.groupBy("key").transformWithState(Empty(), _SCHEMA, "append", "None")
    return line.mapInArrow(_writer(servers), _SCHEMA)


def _together(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    key, times = None, []
    for batch in batches:
        if batch.num_rows:
            key = batch.column("key")[0].as_py()
            times += batch.column("at").to_pylist()
    if times:
        columns = [pa.array([key], pa.int32()), pa.array([times], pa.list_(pa.int64()))]
        yield pa.RecordBatch.from_arrays(columns, ["key", "at"])


def _writer(servers: str) -> Any:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # Here, as the class names a module that no worker can import.
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})
        for batch in batches:
            for times in batch.column("at").to_pylist():
                for at in times:
                    producer.produce(RESULTS, b"", timestamp=at)
        producer.flush(30)
        yield from ()

    return write


def _collect(query: Any, found: dict[int, dict[str, int]]) -> None:
    while True:
        time.sleep(0.3)
        for batch in query.recentProgress:
            if "addBatch" in batch["durationMs"]:
                found[int(batch["batchId"])] = batch["durationMs"]


if __name__ == "__main__":
    main()
