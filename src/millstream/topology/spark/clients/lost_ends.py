"""Ends of transactions that a broker has lost, and how they are written again.

A transaction ends twice: its coordinator notes the outcome, and each partition that it wrote to
gets a marker. A broker whose disk was full may come back with the first and without the second. The
partition then has an open transaction for ever, although its outcome is known. The next marker of
the same producer closes it; so an empty transaction with the same outcome is the end that it lost.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka import KafkaException as ClientException

from millstream.core.errors import StreamsException
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

_ASK_MS = 5_000
_DECIDED_S = 2.0
"""How long the broker may take to give out an offset, before it is asked why it does not."""


class TransactionEnd(enum.Enum):
    """What the coordinator has noted of a transaction that is over."""

    COMMITTED = "CompleteCommit"
    ABORTED = "CompleteAbort"


def outcomes(settings: Mapping[str, Any], ids: Iterable[str]) -> dict[str, TransactionEnd]:
    """Return the outcome of the last transaction of each transactional id.

    Ids without one are left out: their transaction is open, or they have begun anew since. All are
    left out where the broker does not tell, as one before Kafka 3.0.

    Args:
        settings: Of a client, by librdkafka's names.
        ids: The transactional ids.
    """
    if not can_connect(settings):
        return {}
    # Imported here: few processes need it, and the import is slow.
    from kafka import KafkaAdminClient

    def ask() -> dict[str, TransactionEnd]:
        admin: Any = KafkaAdminClient(**python_settings(settings), request_timeout_ms=_ASK_MS)
        found = {}
        try:
            for id_ in ids:
                # An id that was never used is an error.
                with suppress(Exception):
                    state = admin.describe_transactions([id_])[id_].state.value
                    found[id_] = TransactionEnd(state)
        finally:
            close_in_background(admin)
        return found

    try:
        return in_time("describe_transactions", ask)
    except Exception as error:  # noqa: BLE001 - it is told that the transaction is open
        log.info("cannot ask for the outcome of transactions error=%r", error)
        return {}


def end_again(settings: Mapping[str, Any], id_: str, group: str, outcome: TransactionEnd) -> None:
    """End the last transaction of a transactional id for a group's offsets once more.

    Producers with this transactional id are fenced.

    Args:
        settings: Of a client, by librdkafka's names.
        id_: The transactional id.
        group: The group whose offsets are in the transaction.
        outcome: How it has ended.

    Raises:
        ClientException: Kafka refuses, or does not answer.
        TimeoutException: A call of the client did not return.
    """
    from kafka import KafkaProducer, errors

    def end() -> None:
        own = python_settings(settings)
        producer = KafkaProducer(**own, transactional_id=id_, acks="all")
        try:
            producer.init_transactions()
            producer.begin_transaction()
            # Without offsets: their partition joins the transaction, and gets its marker.
            producer.send_offsets_to_transaction({}, group)
            if outcome is TransactionEnd.COMMITTED:
                producer.commit_transaction()
            else:
                producer.abort_transaction()
        finally:
            close_in_background(producer)

    try:
        in_time("end_again", end)
    except errors.KafkaError as error:
        raise as_client_exception(error) from error
    log.warning(
        "the broker had lost the end of a transaction, and has it again "
        "transactional_id=%s group=%s outcome=%s",
        id_,
        group,
        outcome.value,
    )


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
        self._outcome: TransactionEnd | None = None

    def end(self, consumer: Consumer) -> None:
        """End it again if its end is lost; else do nothing.

        To be called before a producer begins anew, as the coordinator then forgets the outcome.

        Args:
            consumer: A member of the group that reads what is decided.

        Raises:
            ClientException: Kafka refuses, or does not answer, while the transaction ends.
            TimeoutException: A call of the client did not return.
        """
        if not self._is_held_back(consumer):
            self._outcome = None
            return
        self._outcome = self._outcome or outcomes(self._settings, [self._id]).get(self._id)
        if self._outcome is not None:
            end_again(self._settings, self._id, self._group, self._outcome)

    def _is_held_back(self, consumer: Consumer) -> bool:
        try:
            committed(consumer, [TopicPartition(*self._place)], _DECIDED_S, _DECIDED_S)
            return False
        except ClientException as error:
            # What else there is, the caller hears of by itself.
            if code_of(error) != KafkaError._TIMED_OUT:
                return False
        try:
            return are_undecided(self._settings, self._group, [self._place], _DECIDED_S)
        except StreamsException:
            return False
