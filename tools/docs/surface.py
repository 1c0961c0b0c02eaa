"""Public names of millstream, and their counterparts in Kafka."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from millstream.core.later_names import LATER

HOMES = {
    "millstream.core.serdes": "org.apache.kafka.common.serialization",
    "millstream.core.metrics": "org.apache.kafka.common.metrics",
    "millstream.core.headers": "org.apache.kafka.common.header",
    "millstream.core.java_durations": "java.time",
    "millstream.core.java_time": "java.time",
    "millstream.core.java_units": "java.time.temporal",
    "millstream.serdes.registry": "Confluent",
}
"""Packages of Java whose names rooms of ours have; Kafka Streams' own are in surface.json."""

CLIENTS = {
    "ConsumerConfig": "org.apache.kafka.clients.consumer",
    "ProducerConfig": "org.apache.kafka.clients.producer",
    "AdminClientConfig": "org.apache.kafka.clients.admin",
    "CommonClientConfigs": "org.apache.kafka.clients",
    "ConsumerRecord": "org.apache.kafka.clients.consumer",
    "ProducerRecord": "org.apache.kafka.clients.producer",
    "TopicPartition": "org.apache.kafka.common",
    "TimestampType": "org.apache.kafka.common.record",
    "TopicConfig": "org.apache.kafka.common.config",
    "SaslConfigs": "org.apache.kafka.common.config",
    "SslConfigs": "org.apache.kafka.common.config",
    "AbstractConfig": "org.apache.kafka.common.config",
    "ConfigException": "org.apache.kafka.common.config",
    "KafkaException": "org.apache.kafka.common",
    "MetricName": "org.apache.kafka.common",
    "Metric": "org.apache.kafka.common",
    "Header": "org.apache.kafka.common.header",
    "ClassCastException": "java.lang",
    "IllegalArgumentException": "java.lang",
    "IllegalStateException": "java.lang",
    "NullPointerException": "java.lang",
    "UnsupportedOperationException": "java.lang",
    "NoSuchElementException": "java.util",
}
COMMON_ERRORS = "org.apache.kafka.common.errors"

FURTHER = (
    "millstream.testing",
    "millstream.testing.broker",
    "millstream.testing.registry",
    "millstream.testing.kit",
    "millstream.serdes",
    "millstream.serdes.avro",
    "millstream.plugins",
)
"""Public modules besides ``millstream``."""


@dataclass(frozen=True, order=True)
class PublicName:
    """A name that programs import, where they import it from, and the module that has it."""

    name: str
    door: str
    home: str


def public_names() -> list[PublicName]:
    """Return every public name once, with the first module that programs find it in."""
    found = {
        name: PublicName(name, "millstream", home)
        for name, home in LATER.items()
        if not home.startswith("millstream.porting")
    }
    for door in FURTHER:
        module = importlib.import_module(door)
        for name, home in _offered(module):
            found.setdefault(name, PublicName(name, door, home))
    return sorted(found.values())


def _offered(module: ModuleType) -> Iterator[tuple[str, str]]:
    for name, value in vars(module).items():
        home = getattr(value, "__module__", "")
        if not name.startswith("_") and str(home).startswith("millstream.") and callable(value):
            yield name, home


def kafka_names(root: Path) -> dict[str, str]:
    """Return the full name of each public class of Kafka Streams by its name."""
    text = (root / "compat_tests" / "api" / "surface.json").read_text(encoding="utf-8")
    return {name.rpartition(".")[2]: name for name in json.loads(text)}


def counterpart(name: str, home: str, kafkas: dict[str, str]) -> str:
    """Return the full name of a class's counterpart in Java, or nothing if it has none."""
    if name in kafkas:
        return kafkas[name]
    if name in CLIENTS:
        return f"{CLIENTS[name]}.{name}"
    if home == "millstream.core.errors" and name.endswith("Exception"):
        ours = ("SchemaRegistry", "WorkerDied")
        return "" if name.startswith(ours) else f"{COMMON_ERRORS}.{name}"
    for room, package in HOMES.items():
        # JSON's serde is ours; Kafka has none.
        if home.startswith(room) and not name.startswith(("Json", "MockSchemaRegistry")):
            return f"{package}.{name}"
    return ""
