"""What Spark's Kafka source is told."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import StreamsConfig
from millstream.topology.spark.clients import connector_settings


def settings(**more: Any) -> dict[str, str]:
    config = {"application.id": "app", "bootstrap.servers": "nowhere:0", **more}
    return connector_settings(StreamsConfig(config))


def test_a_read_does_not_wait_for_records_behind_its_end() -> None:
    # With Kafka's 500 ms every batch took half a second longer: requests of a connection queue up.
    assert int(settings()["kafka.fetch.max.wait.ms"]) <= 10


@pytest.mark.parametrize("key", ["fetch.max.wait.ms", "max.poll.records"])
def test_what_spark_decides_cannot_be_given_and_all_else_can(key: str) -> None:
    given = settings(**{f"consumer.{key}": 77}).get(f"kafka.{key}")

    assert given == ("65536" if key == "max.poll.records" else "77")
