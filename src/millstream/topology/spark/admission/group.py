"""Client of an application's consumer group: reads, sets and deletes its offsets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import (
    Consumer,
    IsolationLevel,
    KafkaError,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka import KafkaException as ClientException

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from millstream.core.config import StreamsConfig
from millstream.topology.spark.clients.connecting import all_topics
from millstream.topology.spark.clients.consumers import commit, committed, connected
from millstream.topology.spark.clients.fitted import with_transactions
from millstream.topology.spark.clients.lost_ends import end_again, ended_transactions
from millstream.topology.spark.clients.rights import Right
from millstream.topology.spark.clients.settings import (
    client_settings,
    code_of,
    consumer_settings,
    producer_settings,
    raise_kafka_error,
)
from millstream.topology.spark.clients.transactions import init_transactions
from millstream.topology.spark.clients.undecided import are_undecided
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import (
    DRIVER,
    Claim,
    Committed,
    claim_of,
    committed_of,
    owner_topic,
)

TIMEOUT_S = 30.0
_FENCE_TIMEOUT_S = 60.0
_AT_ONCE = 8
_NEW_TOPIC_S = 30.0
_NEW_TOPIC_PAUSE_S = 0.2
_PENDING_TIMEOUT_S = 5.0
_SETTLED_AFTER_S = 1.0
"""How long a connected broker may take until an open transaction is taken for the reason."""

At = tuple[str, int]
"""A topic and a partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupState:
    """Committed offsets of a group."""

    claim: Claim | None = None
    tokens: Mapping[int, Committed] = field(default_factory=dict)
    offsets: Mapping[At, Committed] = field(default_factory=dict)

    @property
    def left_alone(self) -> bool:
        """Whether all committed offsets are as the claim's checkpoint has left them."""
        if self.claim is None or not self.offsets:
            return False
        marks = (each.mark for each in self.offsets.values())
        return all(mark is not None and mark.checkpoint == self.claim.checkpoint for mark in marks)

    @property
    def was_reset(self) -> bool:
        """Whether another program than the application or Kafka Streams committed offsets."""
        return any(each.mark is None and not each.by_java for each in self.offsets.values())

    def has_worked(self, checkpoint: str) -> bool:
        """Return whether a sink has committed a batch of a checkpoint.

        The driver's own marks are on what it has found committed, also before the first batch.
        """
        written = (*self.tokens.values(), *self.offsets.values())
        marks = [each.mark for each in written if each.mark is not None and each.offset > 0]
        return any(m.checkpoint == checkpoint and m.worker != DRIVER for m in marks)

    def half_written(self, checkpoint: str, done: int) -> int | None:
        """Return the batch that a sink has written and that has not ended; None for none.

        Args:
            checkpoint: Id of the checkpoint.
            done: Its last committed batch.
        """
        written = {
            token.offset - 1
            for token in self.tokens.values()
            if token.mark is not None and token.mark.checkpoint == checkpoint
        }
        return max((batch for batch in written if batch > done), default=None)


class Group:
    """Requests to the broker about one application's group.

    Args:
        config: The application's configuration.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self._id: str = config.getString("application.id")
        self._exactly_once = config.exactly_once()
        self._client = client_settings(config)
        self._consumer = consumer_settings(config, self._id)
        self._producer = producer_settings(config)
        connector = config.getMainConsumerConfigs("", "", 0)
        self._reading = {
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            # Records that the application cannot see are ignored here too.
            "isolation.level": connector.get("isolation.level") or "read_uncommitted",
        }
        self._progress, self._owner = progress_topic(self._id), owner_topic(self._id)

    def state(self, places: Iterable[At], sinks: int, *, settle: bool = True) -> GroupState:
        """Return the group's committed offsets, tokens and claim.

        Args:
            places: The source partitions.
            sinks: How many partitions the progress topic has.
            settle: Whether to end a transaction that a killed sink has left open, if one hides the
                offsets.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        asked = [TopicPartition(self._owner, 0)]
        asked += [TopicPartition(self._progress, number) for number in range(sinks)]
        asked += [TopicPartition(*place) for place in places]
        settle = settle and self._exactly_once
        with self._connected("read the committed offsets of") as consumer:
            # A claim is in no transaction: after its answer, only one of them can delay the others.
            committed(consumer, asked[:1], TIMEOUT_S, TIMEOUT_S)
            try:
                pending_s = _SETTLED_AFTER_S if settle else _PENDING_TIMEOUT_S
                answers = committed(consumer, asked, TIMEOUT_S, pending_s)
            except ClientException as error:
                if not settle or error.args[0].code() != KafkaError._TIMED_OUT:
                    raise
                answers = self._settled(consumer, asked, sinks)
        claims = [each for each in answers if each.topic == self._owner]
        found = {(p.topic, p.partition): committed_of(p) for p in answers if p not in claims}
        known = {place: offset for place, offset in found.items() if offset is not None}
        return GroupState(
            claim=claim_of(claims[0]),
            tokens={n: known[topic, n] for topic, n in known if topic == self._progress},
            offsets={place: known[place] for place in known if place[0] != self._progress},
        )

    def _settled(
        self, consumer: Consumer, asked: list[TopicPartition], sinks: int
    ) -> list[TopicPartition]:
        """End what a killed sink, or a broker, has left open; return the offsets after that."""
        names = [self._transactional_id(sink) for sink in range(sinks)]
        # Fenced, the coordinator forgets it.
        known = ended_transactions(self._client, names)
        self.fence(sinks)
        try:
            return committed(consumer, asked, TIMEOUT_S, _PENDING_TIMEOUT_S)
        except ClientException as error:
            if code_of(error) != KafkaError._TIMED_OUT:
                raise
        for ended in known:
            token = (self._progress, names.index(ended.id))
            if are_undecided(self._client, self._id, [token], _PENDING_TIMEOUT_S):
                end_again(self._client, ended, self._id)
        return committed(consumer, asked, TIMEOUT_S, TIMEOUT_S)

    def claim(self) -> Claim | None:
        """Return the claim on the application; None if there is none."""
        return self.state((), 0).claim

    def commit(
        self,
        claim: Claim,
        offsets: Mapping[At, int] | None = None,
        tokens: Mapping[int, int] | None = None,
        mark: str = "",
    ) -> None:
        """Commit a claim, and offsets of source topics and tokens with a mark, in one request.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        wanted = [TopicPartition(self._owner, 0, claim.number, claim.text())]
        for (topic, partition), offset in (offsets or {}).items():
            wanted.append(TopicPartition(topic, partition, offset, mark))
        for partition, offset in (tokens or {}).items():
            wanted.append(TopicPartition(self._progress, partition, offset, mark))
        give_up = time.monotonic() + _NEW_TOPIC_S
        with self._connected("commit the offsets of") as consumer:
            while True:
                try:
                    return commit(consumer, wanted, TIMEOUT_S)
                except ClientException as error:
                    # The group's broker may not know an internal topic yet that was just created.
                    unknown = code_of(error) == KafkaError.UNKNOWN_TOPIC_OR_PART
                    if not unknown or time.monotonic() > give_up:
                        raise
                time.sleep(_NEW_TOPIC_PAUSE_S)

    def fence(self, sinks: int) -> None:
        """End the transactions of all sinks and fence their producers.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        try:
            with ThreadPoolExecutor(_AT_ONCE) as threads:
                list(threads.map(self._fence, range(sinks)))
        except ClientException as error:
            needed = [Right("Write", "transactional-id", f"{self._id}-*")]
            problem = f'cannot end the transactions of application "{self._id}"'
            raise_kafka_error(problem, error, needed)

    def ends(self, places: Sequence[At]) -> dict[At, int]:
        """Return the end offsets of partitions, records of open transactions included.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        # Its stubs leave it untyped.
        return self._listed(places, OffsetSpec.latest(), "end")  # type: ignore[no-untyped-call]

    def begins(self, places: Sequence[At]) -> dict[At, int]:
        """Return the offsets of the oldest records that partitions still have.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        # Its stubs leave it untyped.
        return self._listed(places, OffsetSpec.earliest(), "first")  # type: ignore[no-untyped-call]

    def undecided(self, topics: Iterable[str]) -> dict[At, tuple[int, int]]:
        """Return where open transactions end what can be read now, and where the partitions end.

        Nothing where the application reads what is not committed, too.

        Args:
            topics: The topics.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        if self._reading["isolation.level"] != "read_committed":
            return {}
        sizes = all_topics(self._client, TIMEOUT_S)
        places = [(name, n) for name in topics if name in sizes for n in sizes[name].partitions]
        # Its stubs leave it untyped.
        latest: Any = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        stable = self._listed(places, latest, "end", IsolationLevel.READ_COMMITTED)
        ends = self._listed(places, latest, "end")
        return {at: (stable[at], ends[at]) for at in places if stable[at] < ends[at]}

    def _listed(
        self,
        places: Sequence[At],
        spec: Any,
        which: str,
        isolation: IsolationLevel = IsolationLevel.READ_UNCOMMITTED,
    ) -> dict[At, int]:
        if not places:
            return {}
        asked: Any = {TopicPartition(*place): spec for place in places}
        admin = AdminClient(self._client)  # a name: the request ends with the client
        try:
            answers = admin.list_offsets(asked, isolation_level=isolation).items()
            return {(p.topic, p.partition): each.result(TIMEOUT_S).offset for p, each in answers}
        except ClientException as error:
            needed = [Right("Describe", "topic")]
            raise_kafka_error(f"cannot read the {which} offsets of topics", error, needed)

    def topic_ids(self, topics: Iterable[str]) -> dict[str, str]:
        """Return the ids of topics; unknown ones are left out."""
        found, names = {}, sorted(topics)
        admin = AdminClient(self._client)
        for name, answer in admin.describe_topics(TopicCollection(names)).items() if names else ():
            with suppress(ClientException):
                found[name] = str(answer.result(TIMEOUT_S).topic_id)
        return found

    def with_records(self, ranges: Mapping[At, tuple[int, int]]) -> set[At]:
        """Return the partitions that have a record in their range of offsets.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        if not ranges:
            return set()
        found: set[At] = set()
        with self._connected("look for records for", **self._reading) as consumer:
            consumer.assign([TopicPartition(*at, first) for at, (first, _) in ranges.items()])
            waiting = set(ranges)
            while waiting:
                message = consumer.poll(TIMEOUT_S)
                if message is None:
                    raise ClientException(KafkaError(KafkaError._TIMED_OUT, "No answer"))
                error, at = message.error(), (message.topic() or "", message.partition() or 0)
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise ClientException(error)
                if at in waiting:
                    waiting.discard(at)
                    consumer.pause([TopicPartition(*at)])
                    if error is None and (message.offset() or 0) < ranges[at][1]:
                        found.add(at)
        return found

    def _fence(self, sink: int) -> None:
        id_ = self._transactional_id(sink)
        producer = Producer(with_transactions(self._producer, id_))
        init_transactions(producer, self._progress, _FENCE_TIMEOUT_S)

    def _transactional_id(self, sink: int) -> str:
        return f"{self._id}-{sink}"

    def _connected(self, what: str, **settings: Any) -> AbstractContextManager[Consumer]:
        return connected(self._consumer | settings, f'cannot {what} group "{self._id}"')
