"""What an application that has ended answers, in the words of Kafka Streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    IllegalStateException,
    KafkaStreams,
    KeyQuery,
    Materialized,
    StateQueryRequest,
    StreamsBuilder,
    StreamsStoppedException,
)

ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"}


@pytest.fixture
def ended() -> KafkaStreams:
    builder = StreamsBuilder()
    builder.table("in", Materialized.as_("rows"))
    streams = KafkaStreams(builder.build(), ENTRIES)
    streams.close()
    return streams


def test_a_query_is_not_told_to_come_again(ended: KafkaStreams) -> None:
    request = StateQueryRequest.inStore("rows").withQuery(KeyQuery.withKey("a"))
    with pytest.raises(StreamsStoppedException) as raised:
        ended.query(request)
    assert raised.value.getMessage() == (
        "KafkaStreams has been stopped (NOT_RUNNING). This instance can no longer serve queries."
    )


def test_client_instance_ids_are_gone(ended: KafkaStreams) -> None:
    with pytest.raises(IllegalStateException) as raised:
        ended.clientInstanceIds(5)
    assert raised.value.getMessage() == "KafkaStreams has been stopped (NOT_RUNNING)."


@pytest.mark.parametrize(
    ("setter", "name"),
    [
        (KafkaStreams.setStateListener, "StateListener"),
        (KafkaStreams.setGlobalStateRestoreListener, "GlobalStateRestoreListener"),
        (KafkaStreams.setStandbyUpdateListener, "StandbyUpdateListener"),
        (KafkaStreams.setUncaughtExceptionHandler, "UncaughtExceptionHandler"),
    ],
)
def test_nothing_can_be_set(
    ended: KafkaStreams, setter: Callable[[KafkaStreams, Any], None], name: str
) -> None:
    with pytest.raises(IllegalStateException) as raised:
        setter(ended, None)
    assert raised.value.getMessage() == (
        f"Can only set {name} before calling start(). Current state is: NOT_RUNNING"
    )
