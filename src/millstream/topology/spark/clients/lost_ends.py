"""Ends of transactions that a broker has lost, and how they are written again.

A transaction ends twice: its coordinator notes the outcome, and each partition that it wrote to
gets a marker. A broker whose disk was full may come back with the first and without the second. The
partition then has an open transaction for ever, although its outcome is known. The next marker of
the same producer closes it; so an empty transaction with the same outcome is the end that it lost.
"""

from __future__ import annotations

import enum
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.core.errors import StreamsException, TimeoutException
from millstream.topology.spark.clients.connecting import all_topics
from millstream.topology.spark.clients.consumers import committed
from millstream.topology.spark.clients.deadlines import close_in_background, in_time
from millstream.topology.spark.clients.python_client import (
    as_client_exception,
    can_connect,
    python_settings,
)
from millstream.topology.spark.clients.settings import code_of
from millstream.topology.spark.clients.undecided import are_undecided

log = logging.getLogger(__name__)

T = TypeVar("T")
_ASK_MS = 5_000
_PAUSE_S = 0.1
_LOADED_S = 30.0
"""How long a coordinator may take to load its transactions, after its broker's start."""
_QUICK_S = 0.5
"""How long the broker may take to give out an offset, before it is asked why it does not."""
_DECIDED_S = 2.0
"""How long markers of a transaction that is over may take."""


class TransactionOutcome(enum.Enum):
    """How a transaction ends, which its coordinator has noted."""

    COMMITTED = "committed"
    ABORTED = "aborted"


_OUTCOMES = {
    "PrepareCommit": TransactionOutcome.COMMITTED,
    "CompleteCommit": TransactionOutcome.COMMITTED,
    "PrepareAbort": TransactionOutcome.ABORTED,
    "PrepareEpochFence": TransactionOutcome.ABORTED,
    "CompleteAbort": TransactionOutcome.ABORTED,
}
"""The coordinator's states from which a transaction can end in one way only."""


@dataclass(frozen=True, slots=True)
class EndedTransaction:
    """The last transaction of a transactional id, for its coordinator."""

    id: str
    producer_id: int
    outcome: TransactionOutcome


def ended_transactions(settings: Mapping[str, Any], ids: Iterable[str]) -> list[EndedTransaction]:
    """Return the last transaction of each transactional id whose coordinator has ended it.

    Others are left out: one that is open, and one after which a producer has begun anew. All are
    left out where the broker does not tell, as one before Kafka 3.0.

    Args:
        settings: Of a client, by librdkafka's names.
        ids: The transactional ids.

    Raises:
        ClientException: A coordinator does not answer, or not yet.
        TimeoutException: A call of the client did not return.
    """
    if not can_connect(settings):
        return []

    def ask(admin: Any) -> list[EndedTransaction]:
        return [found for id_ in ids if (found := _described(admin, id_)) is not None]

    try:
        return _asked(settings, "describe_transactions", ask)
    except TimeoutException:
        raise
    except Exception as error:
        if getattr(error, "retriable", False):
            raise as_client_exception(error) from error
        log.info("cannot ask for the outcome of transactions error=%r", error)
        return []


def _described(admin: Any, id_: str) -> EndedTransaction | None:
    from kafka import errors

    give_up = time.monotonic() + _LOADED_S
    while True:
        try:
            known = admin.describe_transactions([id_])[id_]
            break
        except errors.KafkaError as error:
            # It was never used, or is not to be seen.
            if not error.retriable:
                return None
            if time.monotonic() > give_up:
                raise
        time.sleep(_PAUSE_S)
    outcome = _OUTCOMES.get(known.state.value)
    return None if outcome is None else EndedTransaction(id_, known.producer_id, outcome)


def end_again(settings: Mapping[str, Any], ended: EndedTransaction, group: str) -> None:
    """End a transaction once more, where it is still open: for a group's offsets, and in topics.

    All topics that the client sees are looked through: records that stayed open would be taken for
    those of the producer's next transaction. Producers with this transactional id are fenced.

    Args:
        settings: Of a client, by librdkafka's names.
        ended: The transaction.
        group: The group whose offsets are in the transaction.

    Raises:
        ClientException: Kafka refuses, also the look into one of the topics, or does not answer.
        StreamsException: No broker answers.
        TimeoutException: A call of the client did not return.
    """
    from kafka import KafkaProducer, errors
    from kafka.structs import TopicPartition as Place

    topics = all_topics(settings, _ASK_MS / 1000)
    places = [
        Place(name, n) for name in topics if name[:2] != "__" for n in topics[name].partitions
    ]

    def still_open(admin: Any) -> list[Any]:
        found = admin.describe_producers(places)
        return [at for at in places if _is_open(found[at].active_producers, ended.producer_id)]

    def end() -> int:
        open_ = _asked(settings, "describe_producers", still_open)
        own = python_settings(settings)
        producer = cast("Any", KafkaProducer(**own, transactional_id=ended.id, acks="all"))
        try:
            producer.init_transactions()
            producer.begin_transaction()
            # The client has no call for partitions without records.
            manager = producer._transaction_manager
            for place in open_:
                manager.maybe_add_partition_to_transaction(place)
            # Without offsets: their partition joins the transaction, and gets its marker.
            producer.send_offsets_to_transaction({}, group)
            # An abort would forget those that are not added yet, and nothing tells when they are.
            give_up = time.monotonic() + _LOADED_S
            while manager.has_partitions_to_add() and not manager.has_error():
                if time.monotonic() > give_up:
                    raise errors.KafkaTimeoutError("partitions are not added to a transaction")
                time.sleep(_PAUSE_S)
            if ended.outcome is TransactionOutcome.COMMITTED:
                producer.commit_transaction()
            else:
                producer.abort_transaction()
            if manager.has_error():
                raise manager.last_error
        finally:
            close_in_background(producer)
        return len(open_)

    try:
        count = in_time("end_again", end)
    except errors.KafkaError as error:
        raise as_client_exception(error) from error
    log.warning(
        "the broker had lost the end of a transaction, and has it again "
        "transactional_id=%s group=%s outcome=%s partitions_of_topics=%d",
        ended.id,
        group,
        ended.outcome.value,
        count,
    )


def _is_open(producers: Iterable[Any], producer_id: int) -> bool:
    return any(
        each.producer_id == producer_id and each.current_transaction_start_offset >= 0
        for each in producers
    )


def _asked(settings: Mapping[str, Any], name: str, ask: Callable[[Any], T]) -> T:
    """Return what an administrative client answers."""
    # Imported here: few processes need it, and the import is slow.
    from kafka import KafkaAdminClient

    def call() -> T:
        own = python_settings(settings)
        # Its stubs lack a limit.
        client = cast("Any", KafkaAdminClient)
        admin = client(**own, request_timeout_ms=_ASK_MS, bootstrap_timeout_ms=_ASK_MS)
        try:
            return ask(admin)
        finally:
            close_in_background(admin)

    return in_time(name, call)


class LastTransaction:
    """The last transaction of a transactional id, which may have lost its end.

    Args:
        settings: Of a client, by librdkafka's names.
        id_: The transactional id.
        group: The group whose offsets its transactions have.
        place: Topic and partition of an offset that each of its transactions has, and no others.
    """

    def __init__(
        self, settings: Mapping[str, Any], id_: str, group: str, place: tuple[str, int]
    ) -> None:
        self._settings, self._id, self._group, self._place = settings, id_, group, place
        self._ended: EndedTransaction | None = None
        """What its coordinator said, and may have forgotten since."""

    def end(self, consumer: Consumer) -> None:
        """End it again if its end is lost; else do nothing.

        To be called before a producer begins anew, as the coordinator then forgets the outcome. So
        none may begin if this fails.

        Args:
            consumer: A member of the group that reads what is decided.

        Raises:
            ClientException: Kafka refuses, or does not answer; may be tried again.
            TimeoutException: A call of the client did not return.
        """
        if not self._is_decided(consumer):
            known = [self._ended] if self._ended else ended_transactions(self._settings, [self._id])
            if not known:
                # The producer's beginning ends one that is open.
                return
            (self._ended,) = known
            self._end_if_open(self._ended)
        self.forget()

    def forget(self) -> None:
        """Note that it is decided: what is held back later is of another transaction."""
        self._ended = None

    def _end_if_open(self, ended: EndedTransaction) -> None:
        try:
            # Markers of one that has just ended may be on their way.
            if are_undecided(self._settings, self._group, [self._place], _DECIDED_S):
                end_again(self._settings, ended, self._group)
        except (ClientException, StreamsException) as error:
            # Not to write is right as long as it is open: what is written next would end it.
            problem = "a transaction without its end cannot be ended transactional_id=%s error=%s"
            log.warning(problem, self._id, error)
            raise ClientException(KafkaError(KafkaError._TIMED_OUT, str(error))) from error

    def _is_decided(self, consumer: Consumer) -> bool:
        try:
            committed(consumer, [TopicPartition(*self._place)], _QUICK_S, _QUICK_S)
        except ClientException as error:
            if code_of(error) != KafkaError._TIMED_OUT:
                raise
            return False
        return True
