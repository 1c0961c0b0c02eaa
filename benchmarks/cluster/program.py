"""What the applications of experiments share: they print batches, and end with their input."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from millstream import KafkaStreams, Serdes, Stores, StreamsBuilder, Topology
from millstream.core.serdes import Serde

COUNTS = "counts"


def counting(source: str, target: str, counter: type[Any], values: Serde[Any]) -> Topology:
    """Return a topology with one processor and its store.

    Args:
        source: Topic it reads.
        target: Topic it writes.
        counter: Class of the processor.
        values: Serde of the store's values.
    """
    builder = StreamsBuilder()
    stores = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore(COUNTS), Serdes.String(), values
    )
    builder.addStateStore(stores)
    builder.stream(source).process(counter, COUNTS).to(target)
    return builder.build()


def given() -> tuple[dict[str, Any], str, str]:
    """Return what the command line says: the configuration, and the topics to read and write."""
    config = json.loads(sys.argv[1])
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    source, target = sys.argv[2:4]
    return config, source, target


def run_to_the_end(streams: KafkaStreams) -> None:
    """Run until standard input ends; print a line of JSON for each batch.

    A line ``more`` or ``fewer`` asks Spark for one executor more, or to end one.
    """
    streams.setStateListener(lambda new, old: os._exit(1) if new.name == "ERROR" else None)
    with streams:
        streams.start()
        threading.Thread(target=_tell_batches, args=(streams,), daemon=True).start()
        for line in sys.stdin:
            _resize(line.strip())
    SparkSession.builder.getOrCreate().stop()


def print_line(line: Mapping[str, Any]) -> None:
    """Print a line of JSON at once: several threads print, and no line may end within another."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _resize(word: str) -> None:
    session = SparkSession.builder.getOrCreate()
    jvm: Any = session._jvm
    java_context: Any = session._jsc
    context = java_context.sc()
    executors = context.getExecutorIds().mkString(",").split(",")
    if word == "more":
        nowhere = jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(jvm.java.util.HashMap())
        context.requestTotalExecutors(len(executors) + 1, 0, nowhere)
    else:
        context.killExecutor(max(executors, key=int))


def _tell_batches(streams: KafkaStreams) -> None:
    last = -1.0
    while True:
        time.sleep(0.1)
        found = {name.name(): each.metricValue() for name, each in streams.metrics().items()}
        if found.get("batch-id", -1) != last:
            last = found["batch-id"]
            line = {
                "batch": int(last),
                "ms": found["batch-time-ms"],
                "records": found["records"],
                "at": time.time(),
            }
            print_line(line)
