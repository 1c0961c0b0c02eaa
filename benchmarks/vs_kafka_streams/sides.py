"""The two measured programs, and their start.

Both take the same arguments: workload, input topics, output topic, the ends of the warm-up and the
ends of each topic's partitions, and a file with the configuration. The Java one ends by itself; the
Python one ends when its standard input does.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from benchmarks.java_program import java_program
from benchmarks.vs_kafka_streams.workloads import PARTITIONS
from millstream.jars import jars


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A program to be measured, and the configuration that only it understands."""

    name: str
    command: Sequence[str]
    config: Mapping[str, object] = field(default_factory=dict)


def kafka_streams() -> Side:
    """The real Kafka Streams; its program is compiled at first use and kept in the cache."""
    folder = Path(__file__).with_name("java")
    return Side(
        name="kafka_streams",
        command=java_program(folder, "KafkaStreamsSide", _libraries()),
        config={"num.stream.threads": PARTITIONS, "replication.factor": 1},
    )


def millstream(entries: Mapping[str, object] | None = None) -> Side:
    """This project, with as many cores as the other side has threads, and entries of its own."""
    return Side(
        name="millstream",
        command=[sys.executable, "-m", "benchmarks.vs_kafka_streams.millstream_side"],
        config={"spark.master": f"local[{PARTITIONS}]", "spark.driver.memory": "2g"}
        | dict(entries or {}),
    )


def _libraries() -> list[Path]:
    # Kafka Streams does not bring Avro along; Spark does.
    avro = Path(pyspark.__file__).with_name("jars").glob("avro-[0-9]*.jar")
    return [*jars("streams"), *sorted(avro)]
