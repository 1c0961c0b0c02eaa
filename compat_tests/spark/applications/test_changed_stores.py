"""An application that is started again with other stores: kept, or refused before it starts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.support import Playground, eventually
from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    QueryableStoreTypes,
    Serdes,
    StoreQueryParameters,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.core.errors import StreamsException

TEXT, LONG, DOUBLE = Serdes.String(), Serdes.Long(), Serdes.Double()


def counted(source: str, target: str, materialized: Any) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream(source, Consumed.with_(TEXT, TEXT))
    counts = words.groupByKey(Grouped.with_(TEXT, TEXT)).count(materialized)
    counts.toStream().mapValues(str).to(target, Produced.with_(TEXT, TEXT))
    return builder.build()


def count(streams: KafkaStreams) -> Any:
    kind = QueryableStoreTypes.keyValueStore()
    return streams.store(StoreQueryParameters.fromNameAndType("counts", kind)).get("a")


MEMORY: Callable[[], Any] = lambda: Materialized.as_(Stores.inMemoryKeyValueStore("counts"))  # noqa: E731 - pickled by value
DEFAULT: Callable[[], Any] = lambda: Materialized.as_("counts")  # noqa: E731 - pickled by value


def test_counts_go_on_in_every_kind_of_store_and_queries_see_them(
    play: Playground, spark: Any
) -> None:
    source, target = play.topic("words", partitions=1), play.topic("counts", partitions=1)
    steps = [(DEFAULT, {}), (MEMORY, {}), (DEFAULT, {"default_dsl_store": "lmdb"})]
    for number, (materialized, entries) in enumerate(steps, start=1):
        topology = counted(source, target, materialized())
        with KafkaStreams(topology, play.config(**entries), spark=spark) as streams:
            streams.start()
            if number > 1:
                # Before a batch has written the new kind into the manifest.
                eventually(lambda: count(streams), number - 1)
            play.produce(source, [("a", "x", 1000)])
            eventually(lambda: count(streams), number)
    assert [value for _, value in play.pairs(target, 3)] == [b"1", b"2", b"3"]


def note(play: Playground) -> Path:
    return play.directory / play.name / "checkpoint" / "millstream.json"


def test_a_changed_serde_is_refused_before_the_start_and_may_be_called_compatible(
    play: Playground, spark: Any
) -> None:
    source, target = play.topic("words", partitions=1), play.topic("counts", partitions=1)

    def streams(value_serde: Any, **entries: Any) -> KafkaStreams:
        stored: Any = Materialized.as_("counts").withValueSerde(value_serde)
        return KafkaStreams(counted(source, target, stored), play.config(**entries), spark=spark)

    play.produce(source, [("a", "x", 1000)])
    with streams(LONG) as first:
        first.start()
        eventually(lambda: count(first), 1)
    # As an earlier version has left it.
    body = json.loads(note(play).read_text())
    stores = body.pop("stores")
    note(play).write_text(json.dumps(body))
    with streams(LONG) as next_one:
        next_one.start()
        assert json.loads(note(play).read_text())["stores"] == stores
    with pytest.raises(StreamsException) as refusal:
        streams(DOUBLE).start()
    assert 'store "counts": its value serde was Long and is Double' in refusal.value.detail
    assert json.loads(note(play).read_text())["stores"] == stores
    with streams(DOUBLE, millstream_store_changed_ok="counts") as next_one:
        next_one.start()
        found = json.loads(note(play).read_text())["stores"]["counts"]["serdes"]["value"]
        assert found == "Double"
