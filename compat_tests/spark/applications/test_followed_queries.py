"""Queries that follow the batches of a running application, without reading its checkpoint."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, eventually
from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    QueryableStoreTypes,
    Serdes,
    StoreQueryParameters,
    StreamsBuilder,
    Topology,
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def counts(source: str) -> Topology:
    text = Serdes.String()
    builder = StreamsBuilder()
    words = builder.stream(source, Consumed.with_(text, text))
    words.groupByKey(Grouped.with_(text, text)).count(Materialized.as_("counts"))
    return builder.build()


class Reads:
    """Counts the reads of the checkpoint's state."""

    def __init__(self, streams: KafkaStreams, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        queries: Any = streams._queries
        self.queries = queries
        committed = self.queries._committed
        manifests = committed.manifests

        def counted(*arguments: Any) -> Any:
            self.count += 1
            return manifests(*arguments)

        monkeypatch.setattr(committed, "manifests", counted)

    def wait_until_followed(self, streams: KafkaStreams, send: Any) -> None:
        """Send records until a batch has carried changes and the copies have it."""
        carrying = streams._runner.carrying

        def followed() -> bool:
            send()
            oldest: int = self.queries.oldest({0})
            return 0 <= carrying.newest() <= oldest

        eventually(followed, True)


def test_once_a_store_is_asked_for_batches_bring_its_changes(
    spark: SparkSession, play: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = play.topic("words")
    play.produce(source, [(b"a", b"", 1, 0)])
    with KafkaStreams(counts(source), play.config(), spark=spark) as streams:
        kind = QueryableStoreTypes.keyValueStore()
        view = streams.store(StoreQueryParameters.fromNameAndType("counts", kind))
        reads = Reads(streams, monkeypatch)
        sent = 1

        def send() -> None:
            nonlocal sent
            play.produce(source, [(b"a", b"", 1 + sent, 0)])
            sent += 1
            eventually(lambda: view.get("a"), sent)

        reads.wait_until_followed(streams, send)
        before = reads.count
        for _ in range(3):
            send()
        play.produce(source, [(b"b", b"", 100, 1)])
        eventually(lambda: view.get("b"), 1)
        assert [(each.key, each.value) for each in view.all()] == [("a", sent), ("b", 1)]
        assert reads.count == before
