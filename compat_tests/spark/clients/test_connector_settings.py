"""What Spark's Kafka source is told."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import StreamsConfig
from millstream.topology.spark.clients.settings import connector_settings


def settings(**more: Any) -> dict[str, str]:
    config = {"application.id": "app", "bootstrap.servers": "nowhere:0", **more}
    return connector_settings(StreamsConfig(config))


def test_a_read_does_not_wait_for_records_behind_its_end() -> None:
    # With Kafka's 500 ms every batch took half a second longer: requests of a connection queue up.
    assert int(settings()["kafka.fetch.max.wait.ms"]) <= 10


@pytest.mark.parametrize(
    ("key", "used"), [("fetch.max.wait.ms", "77"), ("max.poll.records", "65536")]
)
def test_only_what_a_batch_depends_on_cannot_be_given(key: str, used: str) -> None:
    assert settings(**{f"consumer.{key}": 77})[f"kafka.{key}"] == used


class Reporter:
    """A metrics reporter as a Java program has it."""


@pytest.mark.parametrize(
    ("reporters", "told"),
    [([Reporter], None), ([Reporter()], None), (["a.B", "c.D"], "a.B,c.D"), ("a.B", "a.B")],
)
def test_the_jvm_is_told_of_no_reporter_in_python(reporters: Any, told: str | None) -> None:
    assert settings(**{"metric.reporters": reporters}).get("kafka.metric.reporters") == told
