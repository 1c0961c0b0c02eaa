"""Watch over the topics that a running application reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from compat_tests.kafka.topics import create_topics
from compat_tests.spark.support import Playground, eventually
from millstream import MissingSourceTopicException, StreamsBuilder, StreamsConfig, StreamsException
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.driver import patterns
from millstream.topology.spark.driver.source_topics import SourceTopics
from millstream.topology.spark.failures import failure_from


class Cluster:
    """Topics with ids."""

    def __init__(self, **ids: str) -> None:
        self.ids = ids
        self.away = False

    def __call__(self, topics: Iterable[str]) -> dict[str, str]:
        if self.away:
            raise OSError("no answer")
        return {topic: self.ids[topic] for topic in topics if topic in self.ids}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(orders="a", customers="b")


@pytest.fixture
def sources(cluster: Cluster) -> Iterable[SourceTopics]:
    sources = SourceTopics("app", cluster, look_s=0.01)
    yield sources
    sources.end()


def test_the_same_topics_are_no_failure(sources: SourceTopics, cluster: Cluster) -> None:
    sources.watch(["orders", "customers"])
    cluster.ids["other"] = "c"

    assert sources.look()
    assert sources.replaced() is None


def test_a_topic_that_was_created_again_is_named(sources: SourceTopics, cluster: Cluster) -> None:
    sources.watch(["orders", "customers"])
    cluster.ids["orders"] = "c"

    eventually(lambda: sources.replaced() is not None, expected=True)
    failure = sources.replaced()
    assert isinstance(failure, StreamsException)
    assert '"app"' in failure.problem
    assert failure.problem.endswith('again while it runs: "orders"')
    assert "cleanUp()" in failure.hint


def test_changelog_topics_that_were_created_again_are_told_once(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    sources = SourceTopics("app", cluster, look_s=0.01)
    sources.watch(["orders"], ["app-counts-changelog", "customers"])
    cluster.ids["app-counts-changelog"] = "made by a record"
    cluster.ids["customers"] = "c"
    eventually(lambda: bool(caplog.messages), expected=True)
    cluster.ids["customers"] = "d"
    eventually(lambda: len(caplog.messages), expected=2)
    sources.end()
    assert 'created again while it runs: "customers";' in caplog.text
    assert "app-counts-changelog" not in caplog.text
    assert sources.replaced() is None


def test_new_topics_that_match_a_pattern_are_told_once(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    found = {"orders"}
    sources = SourceTopics("app", cluster, look_s=0.01, matching=lambda: set(found))
    sources.watch(["orders"])
    assert not caplog.messages
    found.add("orders-2")
    eventually(lambda: bool(caplog.messages), expected=True)
    found.add("orders-3")
    eventually(lambda: len(caplog.messages), expected=2)
    sources.end()
    assert [each.rpartition(": ")[2] for each in caplog.messages] == ['"orders-2"', '"orders-3"']
    assert "from the next start on" in caplog.text


def test_a_transaction_that_stays_open_is_told_once(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    open_at = {("orders", 1): (5, 9)}
    looks: list[object] = []

    def undecided(topics: Iterable[str]) -> dict[tuple[str, int], tuple[int, int]]:
        looks.append(topics)
        return dict(open_at)

    sources = SourceTopics("app", cluster, look_s=3600, undecided=undecided)
    sources.watch(["orders"])
    sources.end()
    assert looks == [["orders"]]
    open_at["customers", 0] = 1, 2
    assert sources._look_or_log()
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(
        'app: partition 1 of topic "orders" has a transaction that is open: what is there from '
        "offset 5 on, up to 4 records, is not read before it ends."
    )
    open_at["orders", 1] = 5, 12
    open_at["customers", 0] = 3, 4
    for _ in range(2):
        assert sources._look_or_log()
    assert [each.partition(" has ")[0] for each in caplog.messages[1:]] == [
        'app: partition 0 of topic "customers"'
    ]


def test_a_broker_tells_where_an_open_transaction_stops_reading(play: Playground) -> None:
    topic = play.topic("open")
    play.produce(topic, [(b"k", b"v", 1, 1)])
    committed = Group(StreamsConfig(play.config(processing_guarantee="exactly_once_v2")))
    assert committed.undecided([topic, "none"]) == {}
    producer = Producer({"bootstrap.servers": play.servers, "transactional.id": play.name})
    producer.init_transactions(30)
    producer.begin_transaction()
    for _ in range(3):
        producer.produce(topic, b"v", b"k", 1)
    assert producer.flush(30) == 0
    assert committed.undecided([topic, "none"]) == {(topic, 1): (1, 4)}
    assert Group(StreamsConfig(play.config())).undecided([topic]) == {}
    producer.abort_transaction(30)
    eventually(lambda: committed.undecided([topic]), {})


def test_patterns_match_the_topics_that_the_broker_has_now(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["orders", "orders-2", "others", "app-millstream-progress", "__consumer_offsets"]
    monkeypatch.setattr(patterns, "all_topics", lambda settings, timeout_s: dict.fromkeys(names))
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"})
    builder = StreamsBuilder()
    builder.stream(re.compile("orders.*|__.*|app-.*")).to("out")
    assert patterns.matching(builder.build().plan(), config) == {"orders", "orders-2"}

    names.clear()
    plain = StreamsBuilder()
    plain.stream("orders").to("out")
    monkeypatch.delattr(patterns, "all_topics")
    assert patterns.matching(plain.build().plan(), config) == set()


def test_an_answer_that_does_not_come_is_no_other_topic(
    sources: SourceTopics, cluster: Cluster
) -> None:
    sources.watch(["orders"])
    cluster.away = True
    with pytest.raises(OSError, match="no answer"):
        sources.look()
    cluster.away = False
    del cluster.ids["orders"]

    assert sources.look()
    cluster.ids["orders"] = "c"
    eventually(lambda: sources.replaced() is not None, expected=True)


def test_a_broker_that_is_away_at_the_start_is_asked_again(
    sources: SourceTopics, cluster: Cluster
) -> None:
    cluster.away = True
    sources.watch(["orders"])
    assert sources.explained(failure := failure_from(GONE)) is failure
    cluster.away = False
    assert sources.look()
    cluster.ids["orders"] = "c"

    eventually(lambda: sources.replaced() is not None, expected=True)


GONE = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host"


@pytest.mark.parametrize(
    ("text", "deleted", "named"),
    [(GONE, "orders", True), (GONE, "", False), ("boom", "orders", False)],
)
def test_a_failure_by_a_deleted_topic_names_it(
    sources: SourceTopics, cluster: Cluster, text: str, deleted: str, named: bool
) -> None:
    sources.watch(["orders", "customers"])
    cluster.ids.pop(deleted, None)
    failure = failure_from(text)

    found = sources.explained(failure)

    assert (found is failure) is not named
    if named:
        assert isinstance(found, MissingSourceTopicException)
        assert found.problem.endswith('reads were deleted while it runs: "orders"')
        assert found.__cause__ is failure.__cause__


def test_a_broker_tells_a_topic_from_its_successor(play: Playground) -> None:
    group = Group(StreamsConfig(play.config()))
    topic = play.topic("again")
    sources = SourceTopics("app", group.topic_ids, look_s=3600)
    sources.watch([topic])
    assert sources.look()

    admin = AdminClient({"bootstrap.servers": play.servers})
    admin.delete_topics([topic])[topic].result(30)
    eventually(lambda: group.topic_ids([topic]), {})
    assert sources.look()
    create_topics(play.servers, [topic])
    eventually(sources.look, expected=False)
    sources.end()
