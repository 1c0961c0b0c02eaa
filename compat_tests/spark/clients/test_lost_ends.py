"""What is remembered of a transaction that could not be ended again; without a broker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients import lost_ends
from millstream.topology.spark.clients.lost_ends import (
    EndedTransaction,
    LastTransaction,
    TransactionOutcome,
)

ENDED = EndedTransaction("app-0", 7, TransactionOutcome.ABORTED)


class StandInBroker:
    """Answers for a broker: whether offsets are decided, and what their coordinator knows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.decided, self.answers, self.ends = False, True, True
        self.known: list[EndedTransaction] = [ENDED]
        self.ended: list[EndedTransaction] = []
        for name in ("committed", "are_undecided", "ended_transactions", "end_again"):
            monkeypatch.setattr(lost_ends, name, getattr(self, name))

    def committed(self, *asked: Any) -> None:
        if not self.decided:
            raise ClientException(KafkaError(KafkaError._TIMED_OUT))

    def are_undecided(self, *asked: Any) -> bool:
        if not self.answers:
            raise StreamsException("no answer")
        return not self.decided

    def ended_transactions(self, settings: Any, ids: Iterable[str]) -> list[EndedTransaction]:
        return [each for each in self.known if each.id in ids]

    def end_again(self, settings: Any, ended: EndedTransaction, group: str) -> None:
        self.known = []
        if not self.ends:
            raise ClientException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
        self.ended.append(ended)


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> StandInBroker:
    return StandInBroker(monkeypatch)


CONSUMER: Any = None


def test_an_outcome_that_the_coordinator_has_forgotten_is_kept(broker: StandInBroker) -> None:
    last, broker.ends = LastTransaction({}, "app-0", "app", ("tokens", 0)), False
    with pytest.raises(ClientException):
        last.end(CONSUMER)
    broker.ends, broker.answers = True, False
    last.end(CONSUMER)
    assert broker.ended == []
    broker.answers = True
    last.end(CONSUMER)
    assert broker.ended == [ENDED]


def test_an_outcome_is_forgotten_with_its_transaction(broker: StandInBroker) -> None:
    last, broker.ends = LastTransaction({}, "app-0", "app", ("tokens", 0)), False
    with pytest.raises(ClientException):
        last.end(CONSUMER)
    broker.ends, broker.decided = True, True
    last.end(CONSUMER)
    broker.decided = False
    last.end(CONSUMER)
    assert broker.ended == []


def test_what_is_open_for_its_coordinator_stays(broker: StandInBroker) -> None:
    broker.known = []
    LastTransaction({}, "app-0", "app", ("tokens", 0)).end(CONSUMER)
    assert broker.ended == []
