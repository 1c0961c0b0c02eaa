"""Source topics that were created just before the start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from millstream import StreamsBuilder, StreamsConfig
from millstream.topology.spark.driver import brokers
from millstream.topology.spark.driver.brokers import Brokers

CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"})


class SlowBroker:
    """Answers without the new topic a few times."""

    def __init__(self, late: int) -> None:
        self.late = late
        self.asked = 0
        self.now = 0.0

    def all_topics(self, settings: object, timeout_s: float) -> dict[str, Any]:
        del settings, timeout_s
        self.asked += 1
        known = ["old"] if self.asked <= self.late else ["old", "new"]
        return {name: SimpleNamespace(partitions={0: None, 1: None}) for name in known}

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def asked(monkeypatch: pytest.MonkeyPatch, broker: SlowBroker) -> dict[str, int]:
    clock = SimpleNamespace(monotonic=lambda: broker.now, sleep=broker.sleep)
    monkeypatch.setattr(brokers, "all_topics", broker.all_topics)
    monkeypatch.setattr(brokers, "time", clock)
    builder = StreamsBuilder()
    builder.stream(["old", "new"]).to("out")
    return Brokers(CONFIG).topic_sizes(builder.build().plan())


def test_a_topic_that_the_broker_does_not_know_yet_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = SlowBroker(late=3)
    assert asked(monkeypatch, broker) == {"old": 2, "new": 2}
    assert broker.asked == 4


def test_a_topic_that_does_not_exist_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = SlowBroker(late=1_000)
    assert asked(monkeypatch, broker) == {"old": 2}
    assert broker.now < 5
