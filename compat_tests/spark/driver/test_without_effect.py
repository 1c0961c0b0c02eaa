"""Entries that have no effect on Spark are named when the application is made, and documented."""

from __future__ import annotations

import re
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.spark.applications.test_checks_before_start import pass_through
from millstream import KafkaStreams
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
        {"admin.retries": 5},
    ],
    ids=str,
)
def test_what_has_no_effect_is_named_in_one_warning(
    entry: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    (warning,) = warned(caplog, entry)
    assert all(key in warning for key in entry)


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


def test_values_are_not_named(caplog: pytest.LogCaptureFixture) -> None:
    (warning,) = warned(caplog, {"restore.consumer.sasl.password": "secret-of-mine"})
    assert "secret-of-mine" not in warning


def test_the_page_on_configuration_has_the_same_keys() -> None:
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    _, _, section = text.partition("\n### No effect\n")
    rows = re.findall(r"^\| (`.*?) \| ", section, re.MULTILINE)
    keys = [key for row in rows for key in re.findall(r"`([^`]+)`", row)]
    assert sorted(keys) == sorted([*WITHOUT_EFFECT, "client.tag.*"])
