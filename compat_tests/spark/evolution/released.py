"""Checkpoints as released versions wrote them, and the program that they belong to.

``python -m compat_tests.spark.evolution.released 0.1.0`` writes one with this version and a broker
of its own; run it with each release.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    TimeWindows,
    Topology,
)
from millstream.jars.fetch import extract
from millstream.testing.broker import EmbeddedBroker, wait_for

FOLDER = Path(__file__).parent / "checkpoints"
APP, TOPICS = "released", ("released-in", "released-out")
PLACE = "file:/released/"
"""Location of the packed checkpoints."""
TEXT = Serdes.String()
RECORDS = [("a", "x"), ("b", "y"), ("a", "z"), ("c", "x")]


def program(*, filtered: bool = False) -> Topology:
    """Counts without a name, the latest value, and counts by minute; perhaps below a filter."""
    builder = StreamsBuilder()
    source: Any = builder.stream(TOPICS[0], Consumed.with_(TEXT, TEXT))
    if filtered:
        source = source.filter(lambda key, value: True)
    grouped = source.groupByKey(Grouped.with_(TEXT, TEXT))
    counts = grouped.count()
    counts.toStream().mapValues(str).to(TOPICS[1], Produced.with_(TEXT, TEXT))
    grouped.reduce(lambda one, other: other, Materialized.as_("latest"))
    minutes = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(60_000))
    minutes.count(Materialized.as_("minutes"))
    return builder.build()


def config(directory: Path, servers: str = "nowhere:1") -> dict[str, Any]:
    """The configuration; the checkpoint lies below ``directory``."""
    return {
        "application.id": APP,
        "bootstrap.servers": servers,
        "state.dir": str(directory),
        "default.key.serde": TEXT,
        "default.value.serde": TEXT,
        "spark.master": "local[1]",
    }


def unpacked(version: str, directory: Path) -> dict[str, Any]:
    """Unpack the checkpoint of a version, and return a configuration that has it."""
    with tarfile.open(FOLDER / f"{version}.tar.gz") as archive:
        extract(archive, directory / APP)
    _moved(directory / APP, PLACE, f"file:{directory}/{APP}/")
    return config(directory)


def packed(version: str, directory: Path) -> None:
    """Pack the checkpoint below a directory."""
    _moved(directory / APP, f"file:{directory}/{APP}/", PLACE)
    FOLDER.mkdir(exist_ok=True)
    with tarfile.open(FOLDER / f"{version}.tar.gz", "w:gz") as archive:
        archive.add(directory / APP / "checkpoint", "checkpoint")


def _moved(directory: Path, before: str, now: str) -> None:
    """Change the location of a checkpoint: Spark writes it into the metadata of operators."""
    for file in directory.glob("checkpoint/state/*/_metadata/v2/[0-9]*"):
        file.write_text(file.read_text().replace(before, now))
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def main(version: str) -> None:
    """Write the checkpoint of the installed version."""
    with EmbeddedBroker() as broker, tempfile.TemporaryDirectory() as name:
        servers, directory = broker.bootstrap_servers, Path(name)
        admin = AdminClient({"bootstrap.servers": servers})
        for made in admin.create_topics([NewTopic(topic, 1, 1) for topic in TOPICS]).values():
            made.result()
        producer = Producer({"bootstrap.servers": servers})
        for number, (key, value) in enumerate(RECORDS, start=1):
            producer.produce(TOPICS[0], value, key, timestamp=number * 1000)
        producer.flush()
        with KafkaStreams(program(), config(directory, servers)) as streams:
            streams.start()
            wait_for(lambda: _committed(servers) == len(RECORDS))
        packed(version, directory)


def _committed(servers: str) -> int:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": APP})
    (found,) = consumer.committed([TopicPartition(TOPICS[0], 0)], 30)
    consumer.close()
    return int(found.offset)


if __name__ == "__main__":
    main(sys.argv[1])
