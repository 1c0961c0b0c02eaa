"""Errors for rights that a user lacks: what was attempted, the right, and how to grant it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from millstream.core.errors import AuthorizationException, StreamsException
from millstream.topology.spark.clients.consumers import checked, committed
from millstream.topology.spark.clients.rights import Right, not_allowed_in
from millstream.topology.spark.clients.settings import code_of, kafka_error
from millstream.topology.spark.failures import failure_from

GROUP = Right("Read", "group", "app")
TOPIC = Right("Read", "topic", "in")
JAVA = (
    "org.apache.spark.SparkException: Job aborted due to stage failure\n"
    "Caused by: org.apache.kafka.common.errors.TopicAuthorizationException: "
    "Not authorized to access topics: [in]\n\tat x"
)


def test_an_error_names_the_right_that_fits_the_refused_resource() -> None:
    error = KafkaException(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED))
    failure = kafka_error("cannot read", error, needed=[TOPIC, GROUP])
    assert failure.problem == "cannot read"
    assert 'Read on group "app"' in failure.detail
    assert "--operation Read --group app " in failure.hint
    assert isinstance(failure.__cause__, AuthorizationException)


def test_the_topic_is_the_one_that_the_broker_refused() -> None:
    error = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    place: Any = SimpleNamespace(topic="other", error=error)
    with pytest.raises(KafkaException) as refused:
        checked([place])
    failure = kafka_error("cannot read", refused.value, needed=[TOPIC])
    assert 'Read on topic "other"' in failure.detail


def test_other_errors_say_nothing_of_rights() -> None:
    failure = kafka_error("x", KafkaException(KafkaError(KafkaError._TIMED_OUT)), needed=[TOPIC])
    assert "Grant" not in failure.hint


def test_a_prefixed_name_is_granted_with_its_pattern() -> None:
    command = Right("Write", "transactional-id", "app-*").command()
    assert command.endswith("--transactional-id app- --resource-pattern-type prefixed")


@pytest.mark.parametrize("text", [JAVA, JAVA.replace("[in]", "[in, two]")])
def test_what_sparks_source_may_not_read_is_told_with_how_to_grant_it(text: str) -> None:
    failure = failure_from(text)
    assert "topic in" in failure.problem
    assert "--operation Read --topic in" in failure.hint


def test_a_group_of_sparks_source_is_named() -> None:
    text = "org.apache.kafka.common.errors.GroupAuthorizationException: "
    found = not_allowed_in(f"{text}Not authorized to access group: spark-kafka-source-1")
    assert isinstance(found, StreamsException)
    assert "--group spark-kafka-source-1" in found.hint


@pytest.mark.parametrize(
    ("lists", "named", "granted"),
    [
        (["in"], 'topic "in"', "--topic in "),
        (["in, two", "a"], 'topic "a" or topic "in" or topic "two"', "--topic TOPIC "),
        ([], "one of its topics", "--topic TOPIC "),
    ],
)
def test_a_right_taken_away_while_the_query_runs_is_told_with_the_topics_it_may_be(
    lists: list[str], named: str, granted: str
) -> None:
    text = "org.apache.kafka.common.errors.TopicAuthorizationException: Topic authorization failed."
    sources = [f"MillstreamChunks[KafkaV2[Subscribe[{each}]]]" for each in lists]
    found = not_allowed_in(f"{text}\n=== Streaming Query ===\nOffsets: {{{' '.join(sources)}}}")
    assert found is not None
    assert found.problem == f"Spark's Kafka source may not read {named}"
    assert granted in found.hint
    assert ".." not in found.detail


class Refused:
    """A consumer that may not ask for its group's coordinator."""

    def __init__(self, heard: int | None) -> None:
        self._heard = heard
        self.asked: list[float] = []

    def committed(self, places: Any, timeout_s: float) -> Any:
        self.asked.append(timeout_s)
        if len(self.asked) > 1:
            return places
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    def poll(self, timeout_s: float) -> Any:
        error = None if self._heard is None else KafkaError(self._heard)
        return error and SimpleNamespace(error=lambda: error)


def test_a_group_that_may_not_be_read_is_told_before_the_request_is_out_of_time() -> None:
    consumer: Any = Refused(KafkaError.GROUP_AUTHORIZATION_FAILED)
    with pytest.raises(KafkaException) as refused:
        committed(consumer, [], 60, 60)
    assert code_of(refused.value) == KafkaError.GROUP_AUTHORIZATION_FAILED
    assert consumer.asked == [5]


@pytest.mark.parametrize("heard", [None, KafkaError._TRANSPORT])
def test_a_slow_coordinator_has_all_the_time_of_the_request(heard: int | None) -> None:
    consumer: Any = Refused(heard)
    assert committed(consumer, [], 60, 60) == []
    assert consumer.asked == [5, 55]


def test_a_text_without_a_refusal_has_none() -> None:
    assert not_allowed_in("java.lang.IllegalStateException: x") is None
