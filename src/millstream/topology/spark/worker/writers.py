"""Writers of a sink partition: exactly once or at least once.

Together with its output a batch commits the offsets of its source records, and a token: the offset
``batch + 1`` on the progress topic. A batch whose token is already committed has been written, so a
repeated batch writes nothing. ``sink_rules`` decides. Its input is read after the producer is
initialized, so that another instance has either fenced this producer or its claim is read.
"""

from __future__ import annotations

import logging
import math
import os
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka import KafkaException as ClientException
from pyarrow import Buffer

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients.client_log import ClientLog
from millstream.topology.spark.clients.connecting import ConnectionErrors
from millstream.topology.spark.clients.consumers import commit, committed
from millstream.topology.spark.clients.deadlines import ClientCall, close_in_background, in_time
from millstream.topology.spark.clients.fitted import with_transactions
from millstream.topology.spark.clients.lost_ends import LastTransaction
from millstream.topology.spark.clients.rights import kind_of
from millstream.topology.spark.clients.settings import (
    code_of,
    is_transient,
    needs_new_producer,
)
from millstream.topology.spark.clients.transactions import init_transactions
from millstream.topology.spark.job import Job
from millstream.topology.spark.ownership import Mark, claim_of, committed_of
from millstream.topology.spark.wire import decode_chunk
from millstream.topology.spark.worker.missing_topics import (
    MissingTopicError,
    await_topics,
    flush,
    gone,
)
from millstream.topology.spark.worker.producing import produce, smaller_batches
from millstream.topology.spark.worker.refused_records import (
    Deliveries,
    Unsent,
    is_too_large,
    lost_topic,
    not_written,
)
from millstream.topology.spark.worker.sink_rules import ConsumedRange, Found, Writer, must_write
from millstream.topology.spark.worker.zero_time import (
    ZeroTimeProducer,
    can_write,
    has_zero_time,
)

log = logging.getLogger(__name__)

TIMEOUT_S = 60.0
ABORT_TIMEOUT_S = 10.0
_FOUND_S = 15.0
"""How long offsets may be held back until a new producer ends what holds them back."""
_PAUSE_S = 0.5
_RENEWALS = 3

Output = tuple[str, bytes | Buffer]
"""A topic and a chunk for it."""
Chunk = tuple[str, dict[str, Any]]
"""A topic and a chunk's columns."""
Sources = Sequence[ConsumedRange | tuple[str, int, int]]
"""Source topics, partitions and the offsets to commit."""


class SinkWriter:
    """The producer of one sink partition in one worker.

    Args:
        job: The application.
        partition: Number of the sink partition.
    """

    def __init__(self, job: Job, partition: int) -> None:
        self._job = job
        self._partition = partition
        self._mark = Mark(job.checkpoint_id, f"{os.getpid()}-{uuid.uuid4().hex[:8]}")
        self._writer = Writer(
            application_id=job.application_id,
            checkpoint=job.checkpoint_id,
            instance=job.instance,
            partition=partition,
            exactly_once=job.exactly_once,
        )
        self._consumer = Consumer(dict(job.consumer))
        self._settings = job.producer
        self._producer: Producer | None = None
        self._at_zero: ZeroTimeProducer | None = None
        self._sent = Deliveries()
        self._heard = ConnectionErrors()
        self._has_written = False
        self._connecting: ClientCall[None] | None = None
        token = (job.progress_topic, partition)
        own = job.client, self._transactional_id(), job.application_id, token
        self._last = LastTransaction(*own)

    @property
    def is_idle(self) -> bool:
        """Whether it has written nothing so far."""
        return not self._has_written

    def connect(self) -> None:
        """Connect in the background, before there is anything to write.

        What fails there fails the first attempt of ``write``, which may try again.
        """
        self._heard.refusal = None
        self._connecting = ClientCall("connect", self._connect)

    def write(self, batch: int, outputs: Sequence[Output], consumed: Sources) -> bool:
        """Write a batch unless it has been written; return whether it was written now.

        Transient failures, such as a broker's restart, are retried within limits.

        Raises:
            TaskMigratedException: Another instance has taken over the application.
            StreamsException: The group's offsets do not fit the batch, or Kafka refuses a
                request or does not answer.
            TimeoutException: A call of the client did not return; the worker ends.
        """
        places = [e if isinstance(e, ConsumedRange) else ConsumedRange(*e) for e in consumed]
        started = time.monotonic()
        give_up = started + self._job.patience_s
        if self._connecting is None:
            self._heard.refusal = None
        renewed, tried = 0, False
        while True:
            try:
                is_new = self._has_connected()
                written = self._attempt(batch, outputs, places, is_new=is_new)
                self._has_written = True
                return written
            except BaseException as error:
                # A producer may still send records after a failed call, even after an abort. The
                # initialisation of the next producer makes the broker refuse them.
                self._let_go()
                if isinstance(error, MissingTopicError):
                    self._sent.unsent = Unsent(error.topic, 0)
                elif not isinstance(error, ClientException):
                    raise
                elif (lost := self._lost(error, places, started)) is not None:
                    raise lost from error
                renewed += needs_new_producer(error)
                again = renewed <= _RENEWALS if needs_new_producer(error) else is_transient(error)
                # A starting broker may refuse a request that it accepts a moment later.
                refused_first = not self._has_written and self._heard.refusal
                again = again and kind_of(code_of(error)) is None
                again = again or self._has_smaller_batches(error)
                if refused_first or not again or time.monotonic() > give_up:
                    heard, sent = self._heard, self._sent
                    refused = not_written(self._job, self._partition, error, outputs, heard, sent)
                    raise refused from refused.__cause__
                # Once: while a broker is away, there are many attempts.
                level = logging.DEBUG if tried else logging.WARNING
                said = "sink retries partition=%d batch=%d error=%s"
                log.log(level, said, self._partition, batch, error)
                tried = True
            time.sleep(_PAUSE_S)

    def close(self) -> None:
        """Close the clients; the next producer aborts an open transaction."""
        with suppress(Exception):
            self._has_connected()
        self._let_go()
        in_time("close", self._consumer.close)

    def _connect(self) -> None:
        try:
            self._new_producer()
            # The group's coordinator is found, too.
            self._found(())
        except BaseException:
            self._let_go()
            raise

    def _has_connected(self) -> bool:
        """Return whether ``connect`` has made a producer since the last call; wait for its end.

        Raises:
            ClientException: Kafka has refused it, or has not answered.
            TimeoutException: A call of the client did not return; the worker ends.
        """
        connecting, self._connecting = self._connecting, None
        if connecting is None:
            return False
        connecting.done.wait()
        connecting.result()
        return True

    def _let_go(self) -> None:
        if self._producer is not None:
            # ``poll`` calls ``error_cb``, which records why the client is not connected.
            with suppress(Exception):
                self._producer.poll(0)
        for client in (self._producer, self._at_zero):
            if client is not None:
                close_in_background(client)
        self._producer = self._at_zero = None

    def _attempt(
        self,
        batch: int,
        outputs: Sequence[Output],
        consumed: Sequence[ConsumedRange],
        *,
        is_new: bool,
    ) -> bool:
        self._sent.failed = self._sent.unsent = None
        if self._producer is None:
            self._producer, is_new = self._new_producer(), True
        found = self._found(consumed)
        last = None if found.token is None else found.token.mark
        if self._job.exactly_once and not is_new and last != self._mark:
            # Another worker has run the partition meanwhile and fenced this producer.
            self._let_go()
            self._producer = self._new_producer()
            found = self._found(consumed)
        if not must_write(self._writer, batch, consumed, found):
            return False
        # The client would try for a minute to commit offsets of a topic that is gone.
        if self._has_written and found.token is None and (lost := self._lost_topic(consumed)):
            raise lost
        offsets = self._offsets(batch, consumed)
        chunks = [(topic, decode_chunk(blob)) for topic, blob in outputs]
        at_zero = self._topics_at_zero(chunks)
        if not self._job.exactly_once:
            plain = [each for each in chunks if each[0] not in at_zero]
            self._write(plain)
            self._flush(plain)
            if at_zero:
                await_topics(self._producer, at_zero)
                self._write_at_zero([each for each in chunks if each[0] in at_zero])
            commit(self._consumer, offsets, TIMEOUT_S)
        elif at_zero:
            return self._write_transaction_at_zero(batch, chunks, consumed)
        else:
            self._write_transaction(chunks, offsets)
        return True

    def _topics_at_zero(self, chunks: Sequence[Chunk]) -> set[str]:
        """Return the topics with records at event time 0; none if they cannot be written so."""
        feedback = self._job.layout.feedback
        found = {topic for topic, each in chunks if topic not in feedback and has_zero_time(each)}
        if not found or can_write(self._job.producer, [each for _, each in chunks]):
            return found
        log.warning("event times of 0 become the present time topics=%s", sorted(found))
        return set()

    def _write_at_zero(self, chunks: Sequence[Chunk]) -> None:
        if self._at_zero is None:
            self._at_zero = ZeroTimeProducer(self._job.producer, None)
        self._at_zero.write(chunks)

    def _write_transaction_at_zero(
        self, batch: int, chunks: Sequence[Chunk], consumed: Sequence[ConsumedRange]
    ) -> bool:
        assert self._producer is not None
        await_topics(self._producer, {topic for topic, _ in chunks})
        producer = ZeroTimeProducer(self._job.producer, self._transactional_id())
        try:
            # It has fenced every other producer, also this writer's; their committed writes stay.
            self._let_go()
            if not must_write(self._writer, batch, consumed, self._found(consumed)):
                return False
            offsets = self._offsets(batch, consumed)
            producer.write_transaction(chunks, offsets, self._job.application_id)
        finally:
            close_in_background(producer)
        return True

    def _write_transaction(self, chunks: Sequence[Chunk], offsets: list[TopicPartition]) -> None:
        producer = self._producer
        assert producer is not None
        in_time("begin_transaction", producer.begin_transaction)
        try:
            # Before the records: should the broker lose the end of this transaction, its offsets
            # show it, whatever the broker has of the records (``LastTransaction``).
            group = self._consumer.consumer_group_metadata()
            in_time(
                "send_offsets_to_transaction",
                lambda: producer.send_offsets_to_transaction(offsets, group, TIMEOUT_S),
            )
            self._write(chunks)
            self._flush(chunks)
            in_time("commit_transaction", lambda: producer.commit_transaction(TIMEOUT_S))
        except ClientException as error:
            # A refused record ends the transaction before its report is read; the abort purges
            # the producer's queue, which is reported as a delivery failure too.
            producer.poll(_PAUSE_S)
            cause = None if isinstance(error, MissingTopicError) else self._sent.failed
            self._abort(producer)
            if cause is not None:
                raise ClientException(cause) from error
            raise

    def _abort(self, producer: Producer) -> None:
        # If it fails, the next producer's initialisation aborts the transaction.
        with suppress(ClientException):
            in_time("abort_transaction", lambda: producer.abort_transaction(ABORT_TIMEOUT_S))

    def _write(self, chunks: Iterable[Chunk]) -> None:
        assert self._producer is not None
        for topic, columns in chunks:
            is_feedback = topic in self._job.layout.feedback
            produce(self._producer, topic, columns, self._check, is_feedback=is_feedback)
            self._check()

    def _flush(self, chunks: Sequence[Chunk]) -> None:
        assert self._producer is not None
        flush(self._producer, {topic for topic, _ in chunks}, self._check, TIMEOUT_S)

    def _check(self) -> None:
        if self._sent.failed is not None:
            raise ClientException(self._sent.failed)

    def _new_producer(self) -> Producer:
        # A producer that was let go may still tell of its records.
        self._sent = Deliveries()
        calls: dict[str, Any] = {"on_delivery": self._sent, "throttle_cb": self._sent.throttled}
        settings = dict(self._settings) | calls | {"error_cb": self._heard, "logger": ClientLog()}
        if self._job.exactly_once:
            settings = with_transactions(settings, self._transactional_id())
            self._last.end(self._consumer)
        producer = self._producer = Producer(settings)
        if self._job.exactly_once:
            init_transactions(producer, self._job.progress_topic, TIMEOUT_S)
        return producer

    def _lost(
        self, error: ClientException, consumed: Sequence[ConsumedRange], started: float
    ) -> StreamsException | None:
        """Return the error for offsets whose topic is gone; None for other failures."""
        if code_of(error) != KafkaError.UNKNOWN_TOPIC_OR_PART or self._sent.failed is not None:
            return None
        # What is not tried again here ends this attempt.
        known = self._has_written or not is_transient(error)
        return self._lost_topic(consumed, math.inf if known else time.monotonic() - started)

    def _lost_topic(
        self, consumed: Sequence[ConsumedRange], waited_s: float = math.inf
    ) -> StreamsException | None:
        own = self._job.progress_topic
        lost = gone(self._consumer, {own, *(each.topic for each in consumed)}, waited_s)
        return lost_topic(self._job.application_id, lost[0], own) if lost else None

    def _has_smaller_batches(self, error: BaseException) -> bool:
        """Return whether the broker may take the records in smaller batches; use these then."""
        if self._sent.failed is None or not is_too_large(error):
            return False
        smaller = smaller_batches(self._settings)
        self._settings = smaller or self._settings
        return smaller is not None

    def _transactional_id(self) -> str:
        return f"{self._job.application_id}-{self._partition}"

    def _found(self, consumed: Sequence[ConsumedRange]) -> Found:
        """Read the committed offsets that decide about a batch, in one request."""
        places = [TopicPartition(self._job.progress_topic, self._partition)]
        places += [TopicPartition(each.topic, each.partition) for each in consumed]
        if self._job.instance:
            places.append(TopicPartition(self._job.owner_topic, 0))
        answers = committed(self._consumer, places, TIMEOUT_S, _FOUND_S)
        self._last.forget()
        found = {(answer.topic, answer.partition): answer for answer in answers}
        token, *sources = (found[place.topic, place.partition] for place in places)
        claim = claim_of(sources.pop()) if self._job.instance else None
        return Found(
            token=committed_of(token),
            claim=claim,
            offsets={(each.topic, each.partition): committed_of(each) for each in sources},
        )

    def _offsets(self, batch: int, consumed: Sequence[ConsumedRange]) -> list[TopicPartition]:
        mark = self._mark.text()
        token = TopicPartition(self._job.progress_topic, self._partition, batch + 1, mark)
        return [TopicPartition(c.topic, c.partition, c.committed, mark) for c in consumed] + [token]
