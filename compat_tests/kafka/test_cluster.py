"""Topics, records and waits of integration tests, on a real broker."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any

import pytest
from confluent_kafka import Producer

from compat_tests.kafka.fixture import KafkaServer
from millstream import Headers, KeyValue, Serdes
from millstream.core.errors import (
    BrokerNotFoundException,
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.testing import TestRecord
from millstream.testing.broker import (
    BrokerError,
    EmbeddedBroker,
    KafkaCluster,
    ProduceError,
    ReadTimeoutError,
    TopicMismatchError,
    WaitTimeoutError,
    wait_for,
)

_numbers = count()


@pytest.fixture
def cluster(kafka: KafkaServer) -> KafkaCluster:
    return KafkaCluster([kafka.bootstrap_servers])


@pytest.fixture
def topic(cluster: KafkaCluster) -> str:
    name = f"cluster-{next(_numbers)}"
    cluster.create_topics(name)
    return name


def test_records_of_any_kind_come_back_as_they_went(cluster: KafkaCluster, topic: str) -> None:
    headers = Headers().add("source", b"web").add("nothing", None)
    cluster.produce(
        topic,
        [
            TestRecord("a", 1, headers, 5),
            TestRecord("b", 2, Headers().add("source", b""), 0),
            TestRecord(None, None, 0),
            TestRecord("d", None, datetime(3000, 1, 1, tzinfo=timezone.utc)),
        ],
        value_serde=Serdes.Long(),
    )
    assert cluster.read(topic, 4, value_serde=Serdes.Long()) == [
        TestRecord("a", 1, headers, 5),
        TestRecord("b", 2, Headers().add("source", b""), 0),
        TestRecord(None, None, 0),
        TestRecord("d", None, 32_503_680_000_000),
    ]


class Lambdas:
    """A serde whose halves are functions, as lambdas are in Java."""

    def serializer(self) -> Any:
        return lambda topic, data: data.encode()

    def deserializer(self) -> Any:
        return lambda topic, data: data.decode()


def test_halves_of_a_serde_may_be_functions(cluster: KafkaCluster, topic: str) -> None:
    serde: Any = Lambdas()
    cluster.produce(topic, [("k", "v")], key_serde=serde, value_serde=serde)
    (record,) = cluster.read(topic, 1, key_serde=serde, value_serde=serde)
    assert (record.key(), record.value()) == ("k", "v")


def test_pairs_get_the_present_time(cluster: KafkaCluster, topic: str) -> None:
    before = datetime.now(timezone.utc)
    cluster.produce(topic, [KeyValue("a", "1"), ("b", "2")])
    first, second = cluster.read(topic, 2)
    assert (first.key(), first.value(), second.key(), second.value()) == ("a", "1", "b", "2")
    assert (first.timestamp() or 0) + 1000 > before.timestamp() * 1000


def test_keys_go_where_other_clients_send_them_and_the_rest_in_turn(cluster: KafkaCluster) -> None:
    cluster.create_topics("cluster-parts", partitions=3)
    keys = [f"key-{number}" for number in range(12)]
    cluster.produce("cluster-parts", [(key, "ours") for key in keys])
    theirs = Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "partitioner": "murmur2_random"}
    )
    for key in keys:
        theirs.produce("cluster-parts", "theirs", key)
    theirs.flush()
    order: dict[str | None, list[str | None]] = {"ours": [], "theirs": []}
    for record in cluster.read("cluster-parts", 24):
        order[record.value()].append(record.key())
    # By partition, and so different where the two chose differently.
    assert order["ours"] == order["theirs"] != keys

    cluster.create_topics("cluster-turns", partitions=2)
    cluster.produce("cluster-turns", [(None, "a"), (None, "b"), (None, "c")])
    assert [each.value() for each in cluster.read("cluster-turns", 3)] == ["a", "c", "b"]


def test_a_given_partition_takes_all(cluster: KafkaCluster) -> None:
    cluster.create_topics("cluster-one-part", partitions=2)
    cluster.produce("cluster-one-part", [("a", "1"), ("b", "2")], partition=1)
    cluster.produce("cluster-one-part", [("c", "3")], partition=0)
    assert [each.key() for each in cluster.read("cluster-one-part", 3)] == ["c", "a", "b"]


def test_a_partition_that_is_not_there_is_an_error(cluster: KafkaCluster, topic: str) -> None:
    with pytest.raises(ProduceError, match="could not be written"):
        cluster.produce(topic, [("a", "1")], partition=7)


def test_existing_topics_are_fine_when_they_are_as_asked(cluster: KafkaCluster) -> None:
    config = {"cleanup.policy": "compact", "min.insync.replicas": 1}
    for _ in range(2):
        cluster.create_topics("cluster-again", "cluster-again", partitions=2, config=config)
    cluster.create_topics("cluster-again", partitions=2)
    assert cluster.topics()["cluster-again"] == 2
    with pytest.raises(TopicMismatchError) as caught:
        cluster.create_topics("cluster-again", partitions=3)
    assert str(caught.value) == (
        'topic "cluster-again" exists with 2 partitions, not 3\n'
        "  hint: Delete it, or name another topic."
    )
    with pytest.raises(TopicMismatchError, match="cleanup.policy=compact, not delete"):
        cluster.create_topics("cluster-again", partitions=2, config={"cleanup.policy": "delete"})


def test_a_deleted_topic_is_gone_and_can_be_made_anew(cluster: KafkaCluster, topic: str) -> None:
    cluster.produce(topic, [("a", "1")])
    cluster.delete_topics(topic, "cluster-never-was")
    assert topic not in cluster.topics()
    cluster.create_topics(topic)
    assert cluster.read(topic, 0) == []


def test_what_the_broker_refuses_is_named(cluster: KafkaCluster) -> None:
    with pytest.raises(BrokerError, match='cannot create topic "a b"'):
        cluster.create_topics("a b")
    with pytest.raises(BrokerError, match="no.such.setting"):
        cluster.create_topics("cluster-bad", config={"no.such.setting": 1})
    with pytest.raises(ProduceError, match="it does not exist"):
        cluster.produce("cluster-never-was", [("a", "1")])


def test_too_few_records_are_counted_and_shown(cluster: KafkaCluster, topic: str) -> None:
    cluster.produce(topic, [TestRecord("a", "1", 5)])
    with pytest.raises(ReadTimeoutError) as caught:
        cluster.read(topic, 2, timeout=timedelta(seconds=5))
    assert str(caught.value) == (
        f'topic "{topic}" has 1 record, not 2, after 5 s\n'
        "  detail: The last ones: TestRecord(key='a', value='1', headers=Headers(), timestamp=5)"
    )
    assert caught.value.records == [TestRecord("a", "1", 5)]
    assert isinstance(caught.value, TimeoutError)
    with pytest.raises(ReadTimeoutError, match="The topic does not exist"):
        cluster.read("cluster-never-was", 1, timeout=0.1)


def test_records_of_an_open_or_aborted_transaction_do_not_count(
    cluster: KafkaCluster, topic: str
) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": topic})
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(topic, "aborted", "a")
    producer.flush()
    assert cluster.read(topic, 0) == []
    producer.abort_transaction()
    producer.begin_transaction()
    producer.produce(topic, "committed", "a")
    producer.commit_transaction()
    assert [each.value() for each in cluster.read(topic, 1)] == ["committed"]


def test_a_record_that_a_serde_cannot_read_has_its_place(cluster: KafkaCluster, topic: str) -> None:
    cluster.produce(topic, [("a", "not a number")])
    with pytest.raises(SerializationException, match="Partition 0, offset 0") as caught:
        cluster.read(topic, 1, value_serde=Serdes.Long())
    assert caught.value.__cause__ is not None


def test_nothing_is_written_when_an_item_is_wrong(cluster: KafkaCluster, topic: str) -> None:
    for wrong in ([("a", 1)], [("a", "1"), "b"], "text", {"a": "1"}):
        with pytest.raises(ClassCastException):
            cluster.produce(topic, wrong)  # type: ignore[arg-type]
    with pytest.raises(ClassCastException, match="key_serde cannot be the class LongSerde"):
        cluster.produce(topic, [], key_serde=type(Serdes.Long()))  # type: ignore[arg-type]
    assert cluster.read(topic, 0) == []


def test_more_records_than_the_clients_queue_holds_arrive(
    cluster: KafkaCluster, topic: str
) -> None:
    cluster.produce(topic, ((None, str(number)) for number in range(120_000)))
    values = [each.value() for each in cluster.read(topic, 120_000)]
    assert values == [str(number) for number in range(120_000)]


def test_a_cluster_that_is_not_there_is_named() -> None:
    with pytest.raises(BrokerNotFoundException, match='no broker answers at "127.0.0.1:1"'):
        KafkaCluster("127.0.0.1:1").create_topics("a", timeout=0.2)


def test_a_broker_that_does_not_run_says_so_at_once() -> None:
    broker = EmbeddedBroker()
    with pytest.raises(BrokerError, match="the broker is not running"):
        broker.read("a", 1)
    assert repr(broker) == f"EmbeddedBroker('127.0.0.1:{broker.port}')"


def test_wrong_numbers_are_refused() -> None:
    cluster = KafkaCluster("127.0.0.1:1")
    with pytest.raises(IllegalArgumentException, match="partitions is 0"):
        cluster.create_topics("a", partitions=0)
    with pytest.raises(ClassCastException, match="name cannot be a list"):
        cluster.create_topics(["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(IllegalArgumentException, match="min_records is -1"):
        cluster.read("a", -1)
    with pytest.raises(IllegalArgumentException, match="timeout is -1"):
        cluster.read("a", 1, timeout=-1)
    with pytest.raises(ClassCastException, match="timeout cannot be a str"):
        cluster.read("a", 1, timeout="5")  # type: ignore[call-overload]


def test_a_wait_returns_what_the_condition_returned() -> None:
    answers = iter([None, [], ["x"]])
    assert wait_for(lambda: next(answers)) == ["x"]


def test_a_wait_that_ends_in_vain_says_for_what() -> None:
    with pytest.raises(WaitTimeoutError, match="waited 0 s in vain until the store has 3 keys"):
        wait_for(lambda: False, 0, "the store has 3 keys")


def test_assertions_in_a_condition_mean_not_yet_and_other_errors_end_the_wait() -> None:
    def holds() -> bool:
        assert next(tries) == 2, "too early"
        return True

    tries = count()
    assert wait_for(holds)
    with pytest.raises(WaitTimeoutError, match="too early") as caught:
        wait_for(holds, timedelta(0))
    assert isinstance(caught.value.__cause__, AssertionError)
    with pytest.raises(ZeroDivisionError):
        wait_for(lambda: 1 // 0)
