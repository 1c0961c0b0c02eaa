"""When a transaction is ended again, and what is remembered until then; without a broker."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException
from kafka import errors

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients import lost_ends
from millstream.topology.spark.clients.lost_ends import (
    EndedTransaction,
    LastTransaction,
    TransactionOutcome,
    ended_transactions,
)

ENDED = EndedTransaction("app-0", 7, TransactionOutcome.ABORTED)


class StandInBroker:
    """Answers for a broker: whether offsets are decided, and what their coordinator knows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.decided, self.answers, self.ends, self.loads = False, True, True, False
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
        if self.loads:
            raise ClientException(KafkaError(KafkaError.COORDINATOR_LOAD_IN_PROGRESS))
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


@pytest.fixture
def last(broker: StandInBroker) -> LastTransaction:
    return LastTransaction({}, "app-0", "app", ("tokens", 0))


def test_an_outcome_that_the_coordinator_has_forgotten_is_kept(
    broker: StandInBroker, last: LastTransaction
) -> None:
    broker.ends = False
    with pytest.raises(ClientException):
        last.end(CONSUMER)
    broker.ends = True
    last.end(CONSUMER)
    assert broker.ended == [ENDED]


@pytest.mark.parametrize("missing", ["answers", "loads"])
def test_no_producer_begins_before_the_broker_has_answered(
    broker: StandInBroker, last: LastTransaction, missing: str
) -> None:
    """Its beginning would make the coordinator forget the outcome."""
    setattr(broker, missing, missing == "loads")
    with pytest.raises(ClientException):
        last.end(CONSUMER)
    assert broker.ended == []
    setattr(broker, missing, missing != "loads")
    last.end(CONSUMER)
    assert broker.ended == [ENDED]


@pytest.mark.parametrize("by_whom", ["itself", "its sink"])
def test_an_outcome_is_forgotten_with_its_transaction(
    broker: StandInBroker, last: LastTransaction, by_whom: str
) -> None:
    broker.ends = False
    with pytest.raises(ClientException):
        last.end(CONSUMER)
    broker.ends = True
    if by_whom == "itself":
        broker.decided = True
        last.end(CONSUMER)
        broker.decided = False
    else:
        last.forget()
    last.end(CONSUMER)
    assert broker.ended == []


def test_what_is_open_for_its_coordinator_stays(
    broker: StandInBroker, last: LastTransaction
) -> None:
    broker.known = []
    last.end(CONSUMER)
    assert broker.ended == []


class StandInAdmin:
    """Answers in turn, with a state or an error."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)

    def describe_transactions(self, ids: list[str]) -> dict[str, Any]:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return {ids[0]: SimpleNamespace(state=SimpleNamespace(value=answer), producer_id=7)}


def test_a_coordinator_that_loads_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_ends, "_PAUSE_S", 0)
    loading = errors.CoordinatorLoadInProgressError()
    admin = StandInAdmin(loading, loading, "PrepareAbort")
    assert lost_ends._described(admin, "app-0") == ENDED
    monkeypatch.setattr(lost_ends, "_LOADED_S", -1)
    with pytest.raises(errors.CoordinatorLoadInProgressError):
        lost_ends._described(StandInAdmin(loading), "app-0")


@pytest.mark.parametrize("answer", ["Ongoing", "Empty", errors.TransactionalIdNotFoundError()])
def test_one_without_an_outcome_is_left_out(answer: Any) -> None:
    assert lost_ends._described(StandInAdmin(answer), "app-0") is None


def test_a_broker_that_is_away_is_no_broker_without_an_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*asked: Any) -> Any:
        raise errors.KafkaTimeoutError("Unable to bootstrap")

    monkeypatch.setattr(lost_ends, "_asked", away)
    with pytest.raises(ClientException, match="Unable to bootstrap"):
        ended_transactions({}, ["app-0"])
