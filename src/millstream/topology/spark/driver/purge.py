"""Deletion of records of feedback topics that have been read back."""

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

_LEAST_INTERVAL_S = 0.1
_TIMEOUT_S = 30.0


class Purger:
    """Looks from time to time how far a query has come, until the query ends.

    A batch that Spark has noted as committed is never read again. If the broker refuses, for
    instance because the application may not delete, the records stay.

    Args:
        topics: The feedback topics.
        interval_ms: Time between two looks.
        client: Settings of the Kafka client.
    """

    def __init__(self, topics: Container[str], interval_ms: int, client: Mapping[str, Any]) -> None:
        self._topics = topics
        self._interval_s = max(interval_ms / 1000, _LEAST_INTERVAL_S)
        self._client = dict(client)
        self._deleted: dict[tuple[str, int], int] = {}

    def watch(self, query: StreamingQuery) -> None:
        """Begin to look after a query; returns at once."""
        name = "millstream-purger"
        threading.Thread(target=self._watch, args=(query,), name=name, daemon=True).start()

    def _watch(self, query: StreamingQuery) -> None:
        told = ""
        try:
            while query.isActive:
                progress = query.lastProgress
                if progress is not None:
                    read = dict(read_offsets(json.loads(progress.json), self._topics))
                    told = self._tried(read, told)
                time.sleep(self._interval_s)
        except Exception as error:  # noqa: BLE001 - not worth more than a note
            log.info("purging feedback topics ended error=%r", error)

    def _tried(self, read: Mapping[tuple[str, int], int], told: str) -> str:
        """Delete what has been read; return what went wrong, which is logged when it is new."""
        try:
            self._purge(read)
        except ClientException as error:
            # The broker may be back at the next look.
            if (problem := str(error)) != told:
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
