"""Partition counts of topics that only workers know, read from the broker."""

from __future__ import annotations

from confluent_kafka import KafkaException as ClientException
from confluent_kafka import Producer

from millstream.core.errors import StreamsException
from millstream.topology.spark.clients.settings import raise_kafka_error
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker.worker_cache import Application, cached

TIMEOUT_S = 30.0


class TopicSizes:
    """Cache of partition counts, read from the broker by an idle producer."""

    def __init__(self, job: Job) -> None:
        self._client = Producer(dict(job.client))
        self._counts: dict[str, int] = {}

    def count(self, topic: str) -> int:
        """Return a topic's partition count; the request may create the topic.

        Raises:
            StreamsException: The topic does not exist, or the broker does not answer.
        """
        if topic not in self._counts:
            self._counts[topic] = self._ask(topic)
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


def partition_count(job: Job, topic: str) -> int:
    """Return a topic's partition count, read once per worker."""

    def make(owner: Application) -> TopicSizes:
        del owner
        return TopicSizes(job)

    return cached(job, "topic sizes", make).count(topic)
