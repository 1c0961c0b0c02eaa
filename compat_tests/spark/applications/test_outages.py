"""The broker goes away while an application writes: nothing is lost, repeated, or stuck."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from random import Random

import pytest
from pyspark.sql import SparkSession

from compat_tests.effort import witnesses
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.spark.support import PATIENCE_S, Playground, eventually
from millstream import KafkaStreams, Materialized, Produced, Serdes, StreamsBuilder, Topology
from millstream.testing.broker import wait_for
from millstream.topology.spark.clients.settings import with_coordinator

OUTAGE_S = 12
WORDS = [f"word{n}" for n in range(20)]


def counting(source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    counts = Materialized.as_("counts").withValueSerde(Serdes.Long())
    table = builder.stream(source).groupBy(lambda key, word: word).count(counts)
    table.toStream().to(target, Produced.with_(Serdes.String(), Serdes.Long()))
    return builder.build()


@pytest.mark.parametrize("how", witnesses(["frozen", "killed"], 2))
def test_results_are_exact_after_an_outage_during_a_write(
    how: str, spark: SparkSession, play: Playground, kafka: KafkaServer
) -> None:
    source, target = play.topic("in"), play.topic("out")
    words = Random(5).choices(WORDS, k=1500)
    play.produce(source, [(b"k", word.encode(), n, n % 2) for n, word in enumerate(words)])
    config = play.config(
        processing_guarantee="exactly_once_v2",
        statestore_cache_max_bytes=0,
        **{"millstream.max.records.per.batch": 50},
    )
    states: list[str] = []
    streams = KafkaStreams(counting(source, target), config, spark=spark)
    streams.setStateListener(lambda new, old: states.append(new.name))
    leave, come_back = outage(kafka, how)
    with streams:
        streams.start()
        wait_for(lambda: sum(play.ends(target).values()) >= 200, PATIENCE_S)
        leave()
        # Clients must give up a request meanwhile; none of them tells this process.
        time.sleep(OUTAGE_S)
        come_back()
        committed = partial(play.committed, play.name, source)
        # A broker that has just started knows no groups for a moment.
        eventually(lambda: with_coordinator(committed, PATIENCE_S), {0: 750, 1: 750})
        assert streams.state().name == "RUNNING"
    found = play.read(target, len(words), more=1)
    counts: dict[bytes, list[int]] = {}
    for message in found:
        counts.setdefault(message.key(), []).append(int.from_bytes(message.value(), "big"))
    assert {word.decode(): each[-1] for word, each in counts.items()} == Counter(words)
    assert all(b - a == 1 for each in counts.values() for a, b in pairwise(each))
    assert "ERROR" not in states


@pytest.mark.long
def test_an_application_outlives_an_outage_that_is_longer_than_every_time_out(
    spark: SparkSession, play: Playground, kafka: KafkaServer
) -> None:
    source, target = play.topic("in"), play.topic("out")
    words = Random(6).choices(WORDS, k=400)
    play.produce(source, [(b"k", word.encode(), n, n % 2) for n, word in enumerate(words[:200])])
    config = play.config(
        processing_guarantee="exactly_once_v2",
        statestore_cache_max_bytes=0,
        task_timeout_ms=1000,
        # Of Spark's connector: else its query ends after minutes.
        consumer_default_api_timeout_ms=3000,
        consumer_request_timeout_ms=2000,
    )
    streams = KafkaStreams(counting(source, target), config, spark=spark)
    states: list[str] = []
    streams.setStateListener(lambda new, old: states.append(new.name))
    with streams:
        streams.start()
        play.read(target, 200)
        kafka.kill()
        eventually(lambda: streams.state().name, "REBALANCING")
        kafka.restart()
        eventually(lambda: streams.state().name, "RUNNING")
        play.produce(source, [(b"k", w.encode(), n, n % 2) for n, w in enumerate(words[200:])])
        found = play.read(target, 400, more=1)
    counts: dict[bytes, list[int]] = {}
    for message in found:
        counts.setdefault(message.key(), []).append(int.from_bytes(message.value(), "big"))
    assert {word.decode(): each[-1] for word, each in counts.items()} == Counter(words)
    assert all(b - a == 1 for each in counts.values() for a, b in pairwise(each))
    assert "ERROR" not in states
    assert states.count("REBALANCING") >= 2


@pytest.mark.long
def test_an_application_whose_broker_is_gone_closes_without_the_end_of_its_batch(
    spark: SparkSession, play: Playground, kafka: KafkaServer
) -> None:
    source, target = play.topic("in"), play.topic("out")
    words = Random(7).choices(WORDS, k=400)
    rows = [(b"k", word.encode(), n, n % 2) for n, word in enumerate(words)]
    config = play.config(
        processing_guarantee="exactly_once_v2",
        statestore_cache_max_bytes=0,
        **{"millstream.max.records.per.batch": 50},
    )
    play.produce(source, rows[:300])
    streams = KafkaStreams(counting(source, target), config, spark=spark)
    streams.start()
    wait_for(lambda: sum(play.ends(target).values()) >= 50, PATIENCE_S)
    kafka.kill()
    try:
        # Spark's source and the sinks would try for longer than that.
        assert streams.close(120_000)
    finally:
        kafka.restart()
    play.produce(source, rows[300:])
    with KafkaStreams(counting(source, target), config, spark=spark):
        found = play.read(target, len(words), more=1)
    counts: dict[bytes, list[int]] = {}
    for message in found:
        counts.setdefault(message.key(), []).append(int.from_bytes(message.value(), "big"))
    assert {word.decode(): each[-1] for word, each in counts.items()} == Counter(words)
    assert all(b - a == 1 for each in counts.values() for a, b in pairwise(each))


@pytest.mark.long
def test_an_idle_application_whose_broker_is_silent_ends_soon_after_the_time_it_was_given(
    spark: SparkSession, play: Playground, kafka: KafkaServer
) -> None:
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"k", b"word", 1)])
    streams = KafkaStreams(counting(source, target), play.config(), spark=spark)
    streams.start()
    wait_for(lambda: sum(play.committed(play.name, source).values()) == 1, PATIENCE_S)
    kafka.pause()
    try:
        assert not streams.close(2000)
        # A source's admin client would wait for its last answer for a minute.
        wait_for(lambda: streams.state().name == "NOT_RUNNING", 30)
    finally:
        kafka.unpause()


def outage(kafka: KafkaServer, how: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return what makes the broker go away, and what brings it back."""
    return (kafka.kill, kafka.restart) if how == "killed" else (kafka.pause, kafka.unpause)
