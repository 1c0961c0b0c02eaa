"""The topic of a global table is deleted and created again between two runs, on Spark."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground, eventually, run_until
from millstream import KafkaStreams, Materialized, StreamsBuilder, StreamsException, Topology

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def looking_up(source: str, table: str, target: str) -> Topology:
    builder = StreamsBuilder()
    facts = builder.globalTable(table, Materialized.as_("facts"))
    found = builder.stream(source).leftJoin(
        facts, lambda key, value: value, lambda value, fact: f"{value} {fact}"
    )
    counts = found.groupBy(lambda key, value: value).count(Materialized.as_("counts"))
    counts.toStream().mapValues(str).to(target)
    return builder.build()


def test_the_start_is_refused_and_a_word_fills_the_store_again(
    play: Playground, spark: SparkSession
) -> None:
    source, table, target = play.topic("in", 1), play.topic("table", 1), play.topic("out", 1)

    def app(**entries: Any) -> KafkaStreams:
        config = play.config(statestore_cache_max_bytes=0, **entries)
        return KafkaStreams(looking_up(source, table, target), config, spark=spark)

    def read_up_to(offset: int, streams: KafkaStreams) -> None:
        run_until(streams, lambda: play.committed(play.name, source), {0: offset})

    play.produce(table, [("a", "1", 1), ("b", "2", 2)])
    play.produce(source, [("x", "a", 3), ("x", "b", 4)])
    read_up_to(2, app())
    read_up_to(2, app())

    admin = AdminClient({"bootstrap.servers": play.servers})
    admin.delete_topics([table])[table].result(30)
    eventually(lambda: table in admin.list_topics().topics, expected=False)
    create_topic(play.servers, table)
    # As many records as the former topic had: their offsets alone tell nothing.
    play.produce(table, [("b", "2", 1), ("c", "3", 2)])
    play.produce(source, [("x", key, 5) for key in ("a", "b", "c")])
    with pytest.raises(StreamsException, match=f'has read: "{table}"') as caught:
        app().start()
    assert "millstream.state.drop=facts" in caught.value.hint

    read_up_to(5, app(millstream_state_drop="facts"))
    # Its new id is noted.
    read_up_to(5, app())
    assert play.pairs(target, 5) == [
        (b"a 1", b"1"),
        (b"b 2", b"1"),
        (b"a None", b"1"),
        (b"b 2", b"2"),
        (b"c 3", b"1"),
    ]
