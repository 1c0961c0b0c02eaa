"""Errors for rights that a user lacks: what was attempted, the right, and how to grant it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from millstream.core.errors import AuthorizationException, StreamsException
from millstream.topology.spark.clients.consumers import checked
from millstream.topology.spark.clients.rights import Right, not_allowed_in
from millstream.topology.spark.clients.settings import kafka_error
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


def test_a_text_without_a_refusal_has_none() -> None:
    assert not_allowed_in("java.lang.IllegalStateException: x") is None
