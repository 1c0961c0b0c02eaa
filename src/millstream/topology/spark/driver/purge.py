"""Deletion of records of feedback topics that committed batches have read."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Container, Iterator, Mapping
from typing import Any

from confluent_kafka import KafkaException as ClientException
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql.streaming.query import StreamingQuery

log = logging.getLogger(__name__)

_MIN_INTERVAL_S = 0.1
_TIMEOUT_S = 30.0


class Purger:
    """Deletes read records of feedback topics from time to time, until the query ends.

    A committed batch is never read again. If the broker refuses, for instance because the
    application has no right to delete, the records stay.

    Args:
        topics: The feedback topics.
        interval_ms: Time between two deletions.
        client: Settings of the Kafka client.
    """

    def __init__(self, topics: Container[str], interval_ms: int, client: Mapping[str, Any]) -> None:
        self._topics = topics
        self._interval_s = max(interval_ms / 1000, _MIN_INTERVAL_S)
        self._client = dict(client)
        self._deleted: dict[tuple[str, int], int] = {}

    def watch(self, query: StreamingQuery) -> None:
        """Start the thread for a query."""
        name = "millstream-purger"
        threading.Thread(target=self._watch, args=(query,), name=name, daemon=True).start()

    def _watch(self, query: StreamingQuery) -> None:
        logged = ""
        try:
            while query.isActive:
                progress = query.lastProgress
                if progress is not None:
                    read = dict(read_offsets(json.loads(progress.json), self._topics))
                    logged = self._try_purge(read, logged)
                time.sleep(self._interval_s)
        except Exception as error:  # noqa: BLE001 - records that stay do no harm
            log.info("purging feedback topics ended error=%r", error)

    def _try_purge(self, read: Mapping[tuple[str, int], int], logged: str) -> str:
        """Delete what has been read; return the problem, which is logged when it is new."""
        try:
            self._purge(read)
        except ClientException as error:
            # The broker may answer at the next attempt.
            if (problem := str(error)) != logged:
                log.info("feedback topics not purged error=%s", problem)
            return problem
        return ""

    def _purge(self, read: Mapping[tuple[str, int], int]) -> None:
        new = {place: to for place, to in read.items() if to > self._deleted.get(place, 0)}
        if not new:
            return
        admin = AdminClient(self._client)
        wanted = [TopicPartition(*place, offset) for place, offset in new.items()]
        for answer in admin.delete_records(wanted).values():
            answer.result(_TIMEOUT_S)
        self._deleted |= new


def read_offsets(
    progress: Mapping[str, Any], topics: Container[str]
) -> Iterator[tuple[tuple[str, int], int]]:
    """Yield (topic, partition) and the offset after the last record of the batches so far."""
    for source in progress.get("sources") or ():
        end = source.get("endOffset")
        for topic, partitions in end.items() if isinstance(end, Mapping) else ():
            if topic in topics:
                yield from (((topic, int(number)), to) for number, to in partitions.items())
