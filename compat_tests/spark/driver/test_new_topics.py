"""Source topics that were created just before the start."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from millstream import StreamsBuilder, StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.spark.admission import group
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.driver import brokers
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.ownership import Claim

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


def use(monkeypatch: pytest.MonkeyPatch, broker: SlowBroker) -> None:
    clock = SimpleNamespace(monotonic=lambda: broker.now, sleep=broker.sleep)
    monkeypatch.setattr(brokers, "all_topics", broker.all_topics)
    monkeypatch.setattr(brokers, "time", clock)


def asked(monkeypatch: pytest.MonkeyPatch, broker: SlowBroker) -> dict[str, int]:
    use(monkeypatch, broker)
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


def test_a_topic_to_write_to_that_is_new_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, SlowBroker(late=3))
    refusing = StreamsConfig({**CONFIG.originals(), "millstream.sink.topics": "refuse"})
    assert Brokers(refusing).sink_sizes(["new"], {"old": 2}) == {"new": 2}
    with pytest.raises(StreamsException, match='do not exist: "none"'):
        Brokers(refusing).sink_sizes(["new", "none"], {"new": 2})


class BusyBroker:
    """Answers a request for a new topic out of time, a few times, or refuses it."""

    def __init__(self, *errors: int | KafkaError) -> None:
        self.errors = list(errors)
        self.now = 0.0

    def client(self, settings: object) -> BusyBroker:
        del settings
        return self

    def create_topics(self, topics: list[Any]) -> dict[str, Any]:
        return {topics[0].topic: SimpleNamespace(result=self.answer)}

    def answer(self) -> None:
        self.now += 60
        if self.errors:
            error = self.errors.pop(0)
            raise KafkaException(error if isinstance(error, KafkaError) else KafkaError(error))

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def create(monkeypatch: pytest.MonkeyPatch, broker: BusyBroker) -> None:
    clock = SimpleNamespace(monotonic=lambda: broker.now, sleep=broker.sleep)
    monkeypatch.setattr(brokers, "AdminClient", broker.client)
    monkeypatch.setattr(brokers, "time", clock)
    Brokers(CONFIG).create_progress_topics(1, {})


def test_a_busy_broker_is_asked_again_for_an_internal_topic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = KafkaError._TIMED_OUT
    broker = BusyBroker(late, late, KafkaError.TOPIC_ALREADY_EXISTS)
    create(monkeypatch, broker)
    assert broker.errors == []


FENCED = KafkaError(
    KafkaError.INVALID_REPLICATION_FACTOR,
    "Unable to replicate the partition 1 time(s): All brokers are currently fenced, or have all "
    "their log directories cordoned.",
)


def test_brokers_that_have_just_started_are_asked_again_for_an_internal_topic(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broker = BusyBroker(FENCED, FENCED, KafkaError.TOPIC_ALREADY_EXISTS)
    create(monkeypatch, broker)
    assert broker.errors == []
    assert caplog.text.count("internal topic is asked for again") == 1
    with pytest.raises(StreamsException, match="cannot create internal topic") as caught:
        create(monkeypatch, BusyBroker(*[FENCED] * 9))
    assert "do not take part" in caught.value.hint


@pytest.mark.parametrize(
    "errors",
    [
        [KafkaError._TIMED_OUT] * 9,
        [KafkaError.TOPIC_AUTHORIZATION_FAILED],
        [KafkaError.INVALID_REPLICATION_FACTOR],
    ],
)
def test_it_is_not_asked_for_ever_nor_where_it_refuses(
    monkeypatch: pytest.MonkeyPatch, errors: list[int]
) -> None:
    broker = BusyBroker(*errors)
    with pytest.raises(StreamsException, match="cannot create internal topic"):
        create(monkeypatch, broker)
    assert broker.now < 400


class LateCoordinator:
    """Commits offsets of a group, and does not know the topic a few times."""

    def __init__(self, late: int) -> None:
        self.late = late
        self.now = 0.0
        self.committed: list[str] = []

    def commit(self, consumer: object, offsets: list[Any], patience_s: float) -> None:
        del consumer, patience_s
        if self.late > 0:
            self.late -= 1
            raise KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
        self.committed += [each.topic for each in offsets]

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def claim(monkeypatch: pytest.MonkeyPatch, broker: LateCoordinator) -> None:
    clock = SimpleNamespace(monotonic=lambda: broker.now, sleep=broker.sleep)
    monkeypatch.setattr(group, "time", clock)
    monkeypatch.setattr(group, "commit", broker.commit)
    own = Claim(number=1, checkpoint="c", instance="i", host="h", machine="m", location="/c")
    Group(CONFIG).commit(own)


def test_a_group_is_asked_again_to_commit_for_an_internal_topic_that_was_just_created(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = LateCoordinator(late=5)
    claim(monkeypatch, broker)
    assert broker.committed == ["app-millstream-owner"]
    broker = LateCoordinator(late=10_000)
    with pytest.raises(StreamsException, match="cannot commit the offsets"):
        claim(monkeypatch, broker)
    assert 5 < broker.now < 60
