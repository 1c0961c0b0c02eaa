"""A start does not wait for the time-out of a transaction that a killed sink has left open."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from confluent_kafka import KafkaError, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.spark.admission import group as module
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.ownership import owner_topic

OWNER = owner_topic("app")


class Broker:
    """Answers at once for claims, and for other offsets when no transaction is open."""

    def __init__(self, *, is_open: bool) -> None:
        self.is_open = is_open
        self.heard: list[str] = []

    def committed(
        self, _: Any, places: list[TopicPartition], *timeouts: float
    ) -> list[TopicPartition]:
        del timeouts
        hidden = self.is_open and any(place.topic != OWNER for place in places)
        self.heard.append("hidden" if hidden else f"{len(places)} offsets")
        if hidden:
            raise ClientException(KafkaError(KafkaError._TIMED_OUT, "Timed out"))
        return [TopicPartition(place.topic, place.partition, -1001) for place in places]

    def ended(self, _: Any, ids: list[str]) -> list[Any]:
        self.heard.append(f"outcomes of {len(ids)}")
        return []

    def fence(self, _: Group, sinks: int) -> None:
        self.heard.append(f"fenced {sinks}")
        self.is_open = False


def asked(broker: Broker, guarantee: str = "exactly_once_v2", *, settle: bool = True) -> list[str]:
    config = {
        "application.id": "app",
        "bootstrap.servers": "localhost:1",
        "processing.guarantee": guarantee,
    }
    with (
        patch.object(module, "committed", broker.committed),
        patch.object(module, "ended_transactions", broker.ended),
        patch.object(Group, "fence", lambda *about: broker.fence(*about)),
    ):
        Group(StreamsConfig(config)).state([("in", 0)], 2, settle=settle)
    return broker.heard


def test_the_broker_is_connected_before_hidden_offsets_are_taken_for_an_open_transaction() -> None:
    # A fence makes the broker forget the outcomes.
    found = ["1 offsets", "hidden", "outcomes of 2", "fenced 2", "4 offsets"]
    assert asked(Broker(is_open=True)) == found


def test_nothing_is_fenced_where_no_transaction_is_open() -> None:
    assert asked(Broker(is_open=False)) == ["1 offsets", "4 offsets"]


@pytest.mark.parametrize(
    ("guarantee", "settle"), [("at_least_once", True), ("exactly_once_v2", False)]
)
def test_nothing_is_fenced_where_that_is_not_wanted(guarantee: str, settle: bool) -> None:
    broker = Broker(is_open=True)
    with pytest.raises(StreamsException, match="cannot read the committed offsets"):
        asked(broker, guarantee, settle=settle)
    assert broker.heard == ["1 offsets", "hidden"]
