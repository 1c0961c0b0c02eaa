"""Entries that have no effect on Spark are named when the application is made, and documented."""

from __future__ import annotations

import re
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.spark.applications.test_checks_before_start import pass_through
from millstream import (
    KafkaStreams,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    TopologyConfig,
)
from millstream.core.wrapper import NoOpProcessorWrapper
from millstream.topology.spark.driver.without_effect import WITHOUT_EFFECT

ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"}


def warned(caplog: pytest.LogCaptureFixture, entries: dict[str, Any]) -> list[str]:
    KafkaStreams(pass_through("in", "out"), ENTRIES | entries)
    messages = [record.getMessage() for record in caplog.records]
    return [each for each in messages if "without effect" in each]


@pytest.mark.parametrize(
    "entry",
    [
        {"num.stream.threads": "4"},
        {"max.task.idle.ms": 5000},
        {"group.protocol": "streams"},
        {"millstream.ui.host": "0.0.0.0", "millstream.ui.token": "t"},
        {"rack.aware.assignment.tags": "zone", "client.tag.zone": "a"},
        {"config.providers": "env"},
        {"default.client.supplier": str},
        {"client.tag.zone": "a"},
        {"session.timeout.ms": 6000},
        {"consumer.max.poll.records": 5},
        {"main.consumer.group.instance.id": "a"},
        {"restore.consumer.fetch.max.bytes": 5},
        {"global.consumer.auto.offset.reset": "latest"},
        {"buffer.memory": 5},
        {"producer.buffer.memory": 5},
        {"producer.enable.idempotence": False},
        {"producer.no.such.setting": 5},
        {"consumer.no.such.setting": 5},
        {"main.consumer.fetch.max.byte": 5},
        {"admin.retries": 5},
        {"metric.reporters": [Exception]},
    ],
    ids=str,
)
def test_what_has_no_effect_is_named_in_one_warning(
    entry: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    (warning,) = warned(caplog, entry)
    assert all(key in warning for key in entry)


def test_the_setting_that_may_have_been_meant_is_named(caplog: pytest.LogCaptureFixture) -> None:
    (warning,) = warned(caplog, {"main.consumer.fetch.max.byte": 5})
    assert "Kafka's consumer has no setting of this name" in warning
    assert "main.consumer.fetch.max.bytes is one" in warning


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"num.stream.threads": "1", "group.protocol": "CLASSIC", "config.providers": []},
        {"acks": "all", "producer.linger.ms": 5, "producer.max.request.size": 2_000_000},
        {"producer.enable.idempotence": "true", "admin.client.id": "a", "client.id": "a"},
        {"auto.offset.reset": "latest", "client.rack": "a", "consumer.fetch.max.bytes": 5},
        {"security.protocol": "SSL", "admin.ssl.truststore.location": "t", "topic.retention.ms": 5},
        {"an.entry.of.mine": 5, "schema.registry.url": "http://127.0.0.1:8081"},
    ],
    ids=str,
)
def test_other_entries_are_not_named(
    entry: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert warned(caplog, entry) == []


def built_without(
    caplog: pytest.LogCaptureFixture, topology: Topology, entries: dict[str, Any]
) -> list[str]:
    KafkaStreams(topology, ENTRIES | entries)
    messages = [record.getMessage() for record in caplog.records]
    return [each for each in messages if "the topology was built without" in each]


def streamed(props: Any = None, config: TopologyConfig | None = None) -> Topology:
    builder = StreamsBuilder() if config is None else StreamsBuilder(config)
    builder.stream("in").to("out")
    return builder.build(props)


class Wrapping(NoOpProcessorWrapper):
    """A wrapper of a user."""


OF_BUILDERS: list[dict[str, Any]] = [
    {"topology.optimization": "all"},
    {"topology.optimization": "merge.repartition.topics"},
    {"ensure.explicit.internal.resource.naming": "true"},
    {"default.dsl.store": "in_memory"},
    {"processor.wrapper.class": Wrapping},
]


@pytest.mark.parametrize("entry", OF_BUILDERS, ids=str)
def test_what_the_topology_was_built_without_is_named(
    entry: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    (warning,) = built_without(caplog, streamed(), entry)
    assert all(key in warning for key in entry)


@pytest.mark.parametrize("entry", OF_BUILDERS, ids=str)
def test_what_the_topology_was_built_with_is_not_named(
    entry: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    config = TopologyConfig(StreamsConfig(ENTRIES | entry))
    assert built_without(caplog, streamed(entry, config), entry) == []


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"topology.optimization": "none", "default.dsl.store": "rocksDB"},
        {"ensure.explicit.internal.resource.naming": False},
        {"processor.wrapper.class": NoOpProcessorWrapper},
        {"default.dsl.store": "lmdb"},
    ],
    ids=str,
)
def test_defaults_are_not_named(entry: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    assert built_without(caplog, streamed(), entry) == []


def test_the_processor_api_has_nothing_to_optimise(caplog: pytest.LogCaptureFixture) -> None:
    topology = Topology().addSource("in", "a").addSink("out", "b", "in")
    assert built_without(caplog, topology, {"topology.optimization": "all"}) == []


def test_values_are_not_named(caplog: pytest.LogCaptureFixture) -> None:
    (warning,) = warned(caplog, {"restore.consumer.sasl.password": "secret-of-mine"})
    assert "secret-of-mine" not in warning


def test_the_page_on_configuration_has_the_same_keys() -> None:
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    _, _, section = text.partition("\n### No effect\n")
    rows = re.findall(r"^\| (`.*?) \| ", section, re.MULTILINE)
    keys = [key for row in rows for key in re.findall(r"`([^`]+)`", row)]
    assert sorted(keys) == sorted([*WITHOUT_EFFECT, "client.tag.*"])
