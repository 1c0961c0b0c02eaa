"""Global stores of classes of the program: filled again from their topics, as in Kafka Streams.

Such a store may keep its entries where millstream does not see them, and log nothing. When its task
is created anew, all that can bring them back is the topic: the records that the store has taken go
through its processor once more.

Source: Kafka's ``GlobalStateManagerImpl.reprocessState``.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.engine.task import Task
from millstream.core.headers import Headers, headers_from_pairs
from millstream.topology.spark.clients.messages import MessageClient, Offsets, Place
from millstream.topology.spark.clients.settings import connector_settings, consumer_settings
from millstream.topology.spark.job import Job

log = logging.getLogger(__name__)

_PREFIX = "global.consumer."
_BEGINS_EMPTY = (
    'global store "%s" is of a class of the program and logs no changes, and %s: unlike in Kafka '
    "Streams it is empty when its task is created anew. Let it log each change by "
    "context.log_change() and register a callback that takes them back, or use a store of Stores"
)
_NO_TOPIC = "its records come from no topic"
_OLDER = "the checkpoint, of an earlier millstream, does not tell how far its topic has been read"


class Refilling:
    """Knows how far stores that log nothing have read their topics, and reads them again.

    Args:
        job: Facts about the application.
        config: Its configuration.
    """

    def __init__(self, job: Job, config: StreamsConfig) -> None:
        self._job = job
        self._config = config
        self._read: dict[str, dict[Place, int]] = {}
        self._lost: set[str] = set()
        """Stores that have taken records that are on no topic."""
        self._told: set[str] = set()

    def note(self, stores: Collection[str], chunk: RawChunk) -> None:
        """Note that stores take a chunk's records."""
        if not self._is_on_broker(chunk.topic):
            self._lost.update(stores)
            return
        for store in stores:
            read = self._read.setdefault(store, {})
            read[chunk.topic, chunk.partition] = chunk.offsets[-1] + 1

    def tell(self, stores: Collection[str]) -> None:
        """Say once which of the stores that log nothing have taken what cannot be read again."""
        for store in self._lost.intersection(stores):
            self._warn(store, _NO_TOPIC)

    def save(self, stores: Collection[str]) -> bytes:
        """Return how far these stores have read their topics."""
        found = [
            [store, *place, offset]
            for store, read in self._read.items()
            if store in stores
            for place, offset in read.items()
        ]
        return json.dumps(found).encode()

    def restore(self, saved: bytes | None, stores: Collection[str]) -> None:
        """Take up what was saved; None if nothing was, as by an earlier millstream."""
        if saved is None:
            for store in stores:
                self._warn(store, _OLDER)
            return
        for store, topic, partition, offset in json.loads(saved):
            self._read.setdefault(store, {})[topic, partition] = offset

    def refill(self, task: Task, stores: Collection[str]) -> None:
        """Let a task that fills a store take again what the store has taken before.

        Raises:
            StreamsException: The topic cannot be read, or the processor failed.
        """
        ends: dict[Place, int] = {}
        for store in stores:
            ends |= self._read.get(store, {})
        if not ends:
            return
        began, count = time.monotonic(), 0
        for chunk in self._chunks(ends):
            task.add(chunk)
            task.run()
            count += len(chunk)
        task.commit()
        log.info(
            "global store filled again from its topic store=%s records=%d seconds=%.1f",
            ", ".join(stores),
            count,
            time.monotonic() - began,
        )

    def _chunks(self, ends: Offsets) -> Iterator[RawChunk]:
        settings = consumer_settings(self._config, self._job.application_id, _PREFIX)
        connector = connector_settings(self._config, _PREFIX)
        settings["isolation.level"] = connector.get("kafka.isolation.level", "read_uncommitted")
        client = MessageClient(settings, self._job.patience_s)
        try:
            for place, end in sorted(ends.items()):
                for messages in client.messages(place, 0, end):
                    # As in Kafka Streams, records without a key fill no store again.
                    keyed = [message for message in messages if message.key() is not None]
                    if keyed:
                        yield _chunk(place, keyed)
        finally:
            client.close()

    def _is_on_broker(self, topic: str) -> bool:
        return "bootstrap.servers" in self._job.client and topic not in self._job.files

    def _warn(self, store: str, why: str) -> None:
        if store not in self._told:
            self._told.add(store)
            log.warning(_BEGINS_EMPTY, store, why)


def unlogged(saved: bytes) -> set[str]:
    """Return the stores that have taken records and logged nothing, of what was saved."""
    return {store for store, *_ in json.loads(saved)}


def _chunk(place: Place, messages: Sequence[Any]) -> RawChunk:
    return RawChunk(
        *place,
        [message.offset() for message in messages],
        [message.timestamp()[1] for message in messages],
        [message.key() for message in messages],
        [message.value() for message in messages],
        [_headers(message.headers()) for message in messages],
    )


def _headers(pairs: Sequence[tuple[str, bytes | None]] | None) -> Headers | None:
    return headers_from_pairs(pairs) if pairs else None
