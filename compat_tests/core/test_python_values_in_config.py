"""Durations and paths as Python has them, in every entry that a duration or a path belongs to."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from millstream import Duration, StreamsConfig
from millstream.core.config.clients import main_consumer_settings, plain_producer_settings
from millstream.core.errors import ConfigException

NEEDED = {"application.id": "app", "bootstrap.servers": "localhost:9"}


def test_own_entries_take_durations_and_paths(tmp_path: Path) -> None:
    config = StreamsConfig(
        NEEDED
        | {
            "state.dir": tmp_path,
            "commit.interval.ms": timedelta(seconds=2),
            "task.timeout.ms": Duration.ofMinutes(1),
            "millstream.checkpoint.location": tmp_path / "checkpoint",
        }
    )
    assert config.getString("state.dir") == str(tmp_path)
    assert config.getString("millstream.checkpoint.location") == str(tmp_path / "checkpoint")
    assert (config.getLong("commit.interval.ms"), config.getLong("task.timeout.ms")) == (
        2000,
        60_000,
    )


def test_entries_for_clients_take_them_too(tmp_path: Path) -> None:
    config = StreamsConfig(
        NEEDED
        | {
            "session.timeout.ms": timedelta(seconds=30),
            "main.consumer.max.poll.interval.ms": timedelta(minutes=2),
            "producer.linger.ms": timedelta(milliseconds=7),
            "delivery.timeout.ms": timedelta(minutes=3),
            "ssl.truststore.location": tmp_path,
            "topic.retention.ms": timedelta(days=1),
        }
    )
    consumer = main_consumer_settings(config, exactly_once=False)
    producer = plain_producer_settings(config, exactly_once=False)
    assert consumer["session.timeout.ms"] == 30_000
    assert consumer["max.poll.interval.ms"] == 120_000
    assert consumer["topic.retention.ms"] == 86_400_000
    assert (producer["linger.ms"], producer["delivery.timeout.ms"]) == (7, 180_000)
    assert producer["ssl.truststore.location"] == str(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("num.stream.threads", timedelta(1)), ("client.id", Path("x")), ("commit.interval.ms", 1.5)],
)
def test_they_are_refused_where_they_mean_nothing(name: str, value: object) -> None:
    with pytest.raises(ConfigException, match=name):
        StreamsConfig(NEEDED | {name: value})
