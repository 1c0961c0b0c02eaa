"""Partition counts of the topics that sinks write to, in a worker."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from confluent_kafka import KafkaException as ClientException
from confluent_kafka import Producer

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients.settings import raise_kafka_error
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker.worker_cache import Application, cached

log = logging.getLogger(__name__)

TIMEOUT_S = 30.0
_MAX_AGE_MS = 300_000
"""Kafka's default of ``metadata.max.age.ms``."""


def max_age_s(job: Job) -> float:
    """Return how old a count may be, in seconds; without a broker, as between DataFrames, any."""
    if "bootstrap.servers" not in job.client:
        return math.inf
    return float(job.client.get("metadata.max.age.ms", _MAX_AGE_MS)) / 1000


class TopicSizes:
    """Cache of partition counts, read from the broker by an idle producer.

    As in Kafka's producer, a count is asked for again when it is older than
    ``metadata.max.age.ms``: a topic may get more partitions.

    Args:
        job: Facts about the application.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, job: Job, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = Producer(dict(job.client))
        self._clock = clock
        self._max_age_s = max_age_s(job)
        self._counts: dict[str, int] = {}
        self._asked_at: dict[str, float] = {}

    def count(self, topic: str, before: int | None = None) -> int:
        """Return a topic's partition count; the request may create the topic.

        Args:
            topic: The topic.
            before: A count that was right once, for a broker that does not answer.

        Raises:
            StreamsException: The topic does not exist, or the broker does not answer.
        """
        now = self._clock()
        known = self._counts.get(topic, before)
        if topic not in self._counts or now - self._asked_at[topic] > self._max_age_s:
            try:
                known = self._ask(topic)
            except StreamsException as error:
                if known is None:
                    raise
                log.info("the partition count stays as it was topic=%s error=%s", topic, error)
            self._counts[topic], self._asked_at[topic] = known, now
        return self._counts[topic]

    def close(self) -> None:
        """Do nothing: the client ends with the object."""

    def _ask(self, topic: str) -> int:
        problem = f'cannot find out how many partitions topic "{topic}" has'
        try:
            found = self._client.list_topics(topic, TIMEOUT_S).topics[topic]
        except ClientException as error:
            raise_kafka_error(problem, error)
        if found.error is not None:
            raise StreamsException(
                problem, detail=f"{found.error.str()}.", hint="Create the topic first."
            )
        return len(found.partitions)


def partition_count(job: Job, topic: str, before: int | None = None) -> int:
    """Return a topic's partition count; ``before`` if the broker does not answer."""

    def make(owner: Application) -> TopicSizes:
        del owner
        return TopicSizes(job)

    return cached(job, "topic sizes", make).count(topic, before)
