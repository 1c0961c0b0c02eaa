"""Clients of Spark's Kafka sources, which hold up the end of a query while no broker answers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark import SparkContext
from pyspark.sql.streaming.query import StreamingQuery

log = logging.getLogger(__name__)

PATIENCE_S = 2.0
_KAFKA = "KafkaMicroBatchStream"
_CHUNKS = "ChunkStream"
"""Ours around it."""


@contextmanager
def hastened(query: StreamingQuery, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Let a query that is stopped in the block give up what it has asked brokers for.

    A source closes its admin client, which waits for the answers to its last requests for up to
    ``default.api.timeout.ms``: a minute without a broker. A second close, without patience, ends
    that wait.

    Args:
        query: The query.
        patience_s: How long to leave it alone.
    """
    over = threading.Event()

    def hasten() -> None:
        if over.wait(patience_s):
            return
        try:
            _close_clients(query)
        except Exception as error:  # noqa: BLE001 - another version of Spark may raise anything
            log.info("the query ends when its requests to Kafka are out of time: %r", error)

    threading.Thread(target=hasten, name="millstream-hastened-stop", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _close_clients(query: Any) -> None:
    sources = query._jsq.streamingQuery().sources()
    for number in range(sources.size()):
        source = sources.apply(number)
        kind = source.getClass().getSimpleName()
        if kind == _CHUNKS:
            kind, source = _KAFKA, source.kafka()
        # The source of ticks has no client.
        if kind == _KAFKA:
            client = source.kafkaOffsetReader()._admin()
            if client is not None:
                client.close(_jvm().java.time.Duration.ZERO)


def _jvm() -> Any:
    return SparkContext._jvm
