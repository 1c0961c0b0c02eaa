"""Event deduplication: each event id passes once within a time, by the Processor API.

Java idioms: a generic processor with a constructor, an anonymous ``KeyValueMapper`` for the id,
a ``WindowStore`` and its iterator in try-with-resources, a supplier that makes a new processor each
time. (``KStream.deduplicateByKey`` and ``deduplicate`` of millstream do this in one call.)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Generic, TypeVar

from millstream import (
    Consumed,
    ContextualProcessor,
    Duration,
    KafkaStreams,
    ProcessorContext,
    Produced,
    Record,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    WindowStore,
)

INPUT_TOPIC = "inputTopic"
OUTPUT_TOPIC = "outputTopic"
STORE_NAME = "eventId-store"
WINDOW_SIZE = Duration.ofMinutes(10)

K = TypeVar("K")
V = TypeVar("V")
E = TypeVar("E")


class DeduplicationProcessor(ContextualProcessor[K, V, K, V], Generic[K, V, E]):
    """Forwards a record unless its id was seen within the window before or after it."""

    def __init__(
        self, maintain_duration_per_event: Duration, id_extractor: Callable[[K, V], E | None]
    ) -> None:
        half = maintain_duration_per_event.dividedBy(2).toMillis()
        self._left_ms = half
        self._right_ms = maintain_duration_per_event.toMillis() - half
        self._id_extractor = id_extractor

    def init(self, context: ProcessorContext[K, V]) -> None:
        super().init(context)
        self._event_ids: WindowStore[E, int] = context.getStateStore(STORE_NAME)

    def process(self, record: Record[K, V]) -> None:
        event_id = self._id_extractor(record.key(), record.value())
        if event_id is None:
            self.context().forward(record)
            return
        if self._is_duplicate(event_id, record.timestamp()):
            # It is kept for longer then.
            self._remember(event_id, record.timestamp())
            return
        self._remember(event_id, record.timestamp())
        self.context().forward(record)

    def _is_duplicate(self, event_id: E, event_time: int) -> bool:
        earliest = max(0, event_time - self._left_ms)
        with self._event_ids.fetch(event_id, earliest, event_time + self._right_ms) as times:
            return times.hasNext()

    def _remember(self, event_id: E, event_time: int) -> None:
        self._event_ids.put(event_id, event_time, event_time)


def id_of(_: str, value: str) -> str | None:
    """The id is the value itself; an empty one is no id."""
    return value or None


def topology() -> Topology:
    string_serde = Serdes.String()
    builder = StreamsBuilder()
    builder.addStateStore(
        Stores.windowStoreBuilder(
            # The retention is at least the window; segments are its half.
            Stores.persistentWindowStore(
                STORE_NAME, WINDOW_SIZE, WINDOW_SIZE, retainDuplicates=False
            ),
            string_serde,
            Serdes.Long(),
        )
    )
    (
        builder.stream(INPUT_TOPIC, Consumed.with_(string_serde, string_serde))
        .process(lambda: DeduplicationProcessor(WINDOW_SIZE, id_of), STORE_NAME)
        .to(OUTPUT_TOPIC, Produced.with_(string_serde, string_serde))
    )
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "event-deduplication-lambda-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
