"""Topics to write to that a broker does not have, and does not create."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground
from compat_tests.spark.worker.test_writers import chunk, values
from millstream import StreamsException
from millstream.core.errors import InvalidTopicException, MissingSourceTopicException
from millstream.testing.broker import EmbeddedBroker, wait_for
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker import missing_topics
from millstream.topology.spark.worker.sink_rules import ConsumedRange
from millstream.topology.spark.worker.writers import SinkWriter

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def strict() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(config={"auto.create.topics.enable": False}) as running:
        yield running


@pytest.fixture
def play(strict: EmbeddedBroker, tmp_path: Path, request: pytest.FixtureRequest) -> Playground:
    name = request.node.name.replace("[", "-").rstrip("]")[-60:]
    return Playground(strict.bootstrap_servers, name, tmp_path)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_topics, "LOOK_S", 0.3)
    monkeypatch.setattr(missing_topics, "PATIENCE_S", 1.0)


def test_a_missing_topic_is_told_at_once_and_ends_the_batch(
    job: Job, play: Playground, caplog: pytest.LogCaptureFixture
) -> None:
    target, other = f"{play.name}-none", f"{play.name}-other"
    # The producer that is let go tells of its record a moment later.
    writer = SinkWriter(
        replace(job, producer={**job.producer, "topic.metadata.propagation.max.ms": 2500}), 0
    )
    with pytest.raises(StreamsException, match=f'topic "{target}" to write to') as caught:
        writer.write(0, [(target, chunk(b"a"))], [])
    assert isinstance(caught.value.__cause__, InvalidTopicException)
    assert [r.getMessage() for r in caplog.records if "does not exist" in r.getMessage()] == [
        f'topic "{target}" to write to does not exist; its records wait until it is created'
    ]
    with pytest.raises(StreamsException, match=f'topic "{other}" to write to'):
        writer.write(0, [(other, chunk(b"a"))], [])
    writer.close()


class Slow:
    """A producer whose records go one by one, and the clock that they take time of."""

    def __init__(self, records: int) -> None:
        self.left = records
        self.now = 0.0

    def __len__(self) -> int:
        return self.left

    def monotonic(self) -> float:
        return self.now

    def flush(self, timeout_s: float) -> int:
        self.now += timeout_s
        self.left -= self.left > 1
        return self.left

    def list_topics(self, topic: str, timeout_s: float) -> Any:
        return SimpleNamespace(topics={topic: SimpleNamespace(error=None)})


def test_records_that_a_quota_holds_back_may_take_longer_than_one_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    producer: Any = Slow(6)
    monkeypatch.setattr(missing_topics, "time", producer)
    with pytest.raises(KafkaException) as caught:
        missing_topics.flush(producer, ["out"], lambda: None, 0.5)
    # The last one does not go. The others took 5 * 0.3 s, three times what one answer may take.
    assert producer.left == 1
    assert caught.value.args[0].code() == KafkaError._TIMED_OUT
    assert producer.now == pytest.approx(5 * 0.3 + 2 * 0.3)


def test_records_wait_for_a_topic_that_comes_soon(
    job: Job, play: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing_topics, "PATIENCE_S", 60.0)
    target = f"{play.name}-soon"
    later = threading.Timer(1.5, create_topic, (play.servers, target))
    later.start()
    writer = SinkWriter(job, 0)
    assert writer.write(0, [(target, chunk(b"a"))], []) is True
    later.join()
    assert values(play, target, 1, more=0.3) == [b"a"]
    writer.close()


@pytest.mark.parametrize("exactly_once", [True, False])
def test_records_of_event_time_zero_wait_for_a_topic_as_long_as_others(
    job: Job, play: Playground, caplog: pytest.LogCaptureFixture, *, exactly_once: bool
) -> None:
    target = f"{play.name[-40:]}-none"
    writer = SinkWriter(replace(job, exactly_once=exactly_once), 0)
    # kafka-python alone would wait for a minute, and say that the broker does not answer.
    with pytest.raises(StreamsException, match=f'topic "{target}" to write to'):
        writer.write(0, [(target, chunk(b"a", time=0))], [])
    assert f'topic "{target}" to write to does not exist' in caplog.text

    create_topic(play.servers, target)
    assert writer.write(0, [(target, chunk(b"a", time=0))], []) is True
    assert [m.timestamp()[1] for m in play.read(target, 1)] == [0]
    writer.close()


def test_a_name_that_no_topic_can_have_is_told_at_once(job: Job) -> None:
    writer = SinkWriter(job, 0)
    with pytest.raises(StreamsException, match='"two words" cannot be the name') as caught:
        writer.write(0, [("two words", chunk(b"a"))], [])
    assert "letters, digits" in caught.value.hint
    writer.close()


def test_an_internal_topic_that_was_deleted_is_named_and_the_batch_is_written_once(
    job: Job, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    writer = SinkWriter(job, 0)
    assert writer.write(0, [(target, chunk(b"a"))], [ConsumedRange(source, 0, 1, 0)]) is True
    delete(play, job.progress_topic)
    group = Consumer({"bootstrap.servers": play.servers, "group.id": job.application_id})
    token = TopicPartition(job.progress_topic, 0)
    # The broker forgets the offsets of a topic a moment after the topic.
    wait_for(lambda: group.committed([token], 30)[0].offset < 0, 30)
    group.close()
    consumed = [ConsumedRange(source, 0, 2, 1)]
    with pytest.raises(StreamsException, match=f'internal topic "{job.progress_topic}"') as caught:
        writer.write(1, [(target, chunk(b"b"))], consumed)
    assert "was deleted while it runs" in caught.value.problem
    writer.close()

    create_topic(play.servers, job.progress_topic, partitions=2)
    again = SinkWriter(job, 0)
    again.write(1, [(target, chunk(b"b"))], consumed)
    assert again.write(2, [(target, chunk(b"c"))], [ConsumedRange(source, 0, 3, 2)]) is True
    again.close()
    assert values(play, target, 3, more=0.3) == [b"a", b"b", b"c"]


def test_a_source_topic_that_was_deleted_is_named(job: Job, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    delete(play, source)
    # With exactly once, the client tries for a minute before it says so.
    writer = SinkWriter(replace(job, exactly_once=False), 0)
    with pytest.raises(MissingSourceTopicException, match=f'topic "{source}" that application'):
        writer.write(0, [(target, chunk(b"a"))], [ConsumedRange(source, 0, 1, 0)])
    writer.close()


def delete(play: Playground, topic: str) -> None:
    """Delete a topic, and wait until the broker does not know it any more."""
    admin = AdminClient({"bootstrap.servers": play.servers})
    admin.delete_topics([topic])[topic].result(30)
    wait_for(lambda: topic not in admin.list_topics(timeout=30).topics, 30)
