"""The two measured programs, and their start.

Both take the same arguments: workload, input topics, output topic, the ends of the warm-up and the
ends of each topic's partitions, and a file with the configuration. The Java one ends by itself; the
Python one ends when its standard input does.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.workloads import PARTITIONS
from millstream.jars import cache_dir, jars, java_command

_PROGRAM = "KafkaStreamsSide"
_SOURCES = sorted(Path(__file__).with_name("java").glob("*.java"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A program to be measured, and the configuration that only it understands."""

    name: str
    command: Sequence[str]
    config: Mapping[str, object] = field(default_factory=dict)


def kafka_streams() -> Side:
    """The real Kafka Streams; its program is compiled at first use and kept in the cache."""
    classpath = os.pathsep.join(map(str, [_compiled(), *_libraries()]))
    return Side(
        name="kafka_streams",
        command=[
            *(java_command(), "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"),
            *("-cp", classpath, _PROGRAM),
        ],
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


def _compiled() -> Path:
    lock = " ".join(path.name for path in _libraries())
    text = b"".join(source.read_bytes() for source in _SOURCES)
    key = hashlib.sha256(text + lock.encode()).hexdigest()[:16]
    classes = cache_dir() / "benchmarks" / key
    if not (classes / f"{_PROGRAM}.class").exists():
        classes.parent.mkdir(parents=True, exist_ok=True)
        # Into place in one step: what an interrupted compiler leaves is never taken for a program.
        with TemporaryDirectory(prefix=".javac-", dir=classes.parent) as scratch:
            _compile(Path(scratch, key)).rename(classes)
    return classes


def _compile(target: Path) -> Path:
    libraries = os.pathsep.join(map(str, _libraries()))
    command = [_javac(), "-cp", libraries, "-d", str(target), *map(str, _SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError("cannot compile the Kafka Streams side", detail=done.stderr.strip())
    return target


def _javac() -> str:
    beside = Path(java_command()).resolve().with_name("javac")
    found = str(beside) if beside.exists() else shutil.which("javac")
    if found is None:
        raise BenchmarkError(
            "cannot find javac",
            detail="The Kafka Streams side is compiled at first use.",
            hint="Install a JDK; a JRE is not enough here.",
        )
    return found
