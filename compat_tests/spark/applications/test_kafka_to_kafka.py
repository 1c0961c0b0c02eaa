"""Topologies from topic to topic on Spark and a real broker."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.smoke.proc import descendants
from compat_tests.spark.support import Playground, eventually, run_until
from millstream import (
    KafkaStreams,
    Processor,
    Produced,
    PunctuationType,
    Serdes,
    StreamsBuilder,
    Topology,
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

TEXT = ["the quick brown fox", "the lazy dog", "quick quick", "dog eat dog"]
GUARANTEES = ["at_least_once", "exactly_once_v2"]


def word_count(source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(source)
        .flatMapValues(lambda line: line.split())
        .groupBy(lambda _, word: word)
        .count()
        .toStream()
        .to(target, Produced.with_(Serdes.String(), Serdes.Long()))
    )
    return builder.build()


def final_counts(records: list[Any]) -> dict[str, int]:
    return {m.key().decode(): int.from_bytes(m.value(), "big") for m in records}


def handed_over() -> set[int]:
    """The sizes of the files in memory by which stages below this process hand over chunks."""
    found = set()
    for worker in descendants(os.getpid()):
        for link in Path(f"/proc/{worker}/fd").glob("*"):
            with suppress(OSError):  # it has ended
                if "memfd:millstream-output" in str(link.readlink()):
                    found.add(link.stat().st_size)
    return found


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="files in memory are Linux's")
@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_large_output_goes_to_the_sink_in_memory_which_is_freed(
    spark: SparkSession, play: Playground, guarantee: str
) -> None:
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"k%d" % n, b"v" * 1000, 1000 + n) for n in range(100)])
    topology = Topology().addSource("source", source).addSink("sink", target, "source")

    with KafkaStreams(
        topology, play.config(processing_guarantee=guarantee), spark=spark
    ) as streams:
        streams.start()
        found = play.read(target, 100)
        assert {message.value() for message in found} == {b"v" * 1000}
        # The stage has the file open until its next batch; the sink has emptied it.
        eventually(handed_over, {0})


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_records_pass_with_key_value_time_headers_and_order(
    spark: SparkSession, play: Playground, guarantee: str
) -> None:
    source, target = play.topic("in"), play.topic("out")
    sent = [(b"k%d" % (n % 7), b"v%d" % n, 1000 + n) for n in range(500)]
    play.produce(source, sent[:-1])
    play.produce(source, [(*sent[-1], -1, [("h", b"1"), ("h", None)])])
    play.produce(source, [(None, b"no key", 5, 0), (b"gone", None, 6)])
    topology = Topology().addSource("source", source).addSink("sink", target, "source")

    with KafkaStreams(
        topology, play.config(processing_guarantee=guarantee), spark=spark
    ) as streams:
        streams.start()
        found = play.read(target, 502)

    by_key: dict[bytes, list[Any]] = {key: [] for key in {record[0] for record in sent}}
    for key, value, timestamp in sent:
        by_key[key].append((value, timestamp))
    seen: dict[bytes, list[Any]] = {key: [] for key in by_key}
    for message in found:
        if message.key() in seen:
            seen[message.key()].append((message.value(), message.timestamp()[1]))
    assert seen == by_key
    rest = [(m.key(), m.value(), m.timestamp()[1]) for m in found if m.key() not in seen]
    assert sorted(rest, key=str) == [(None, b"no key", 5), (b"gone", None, 6)]
    assert [m.headers() for m in found if m.headers()] == [[("h", b"1"), ("h", None)]]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_offsets_of_the_source_are_committed_to_the_group(
    spark: SparkSession, play: Playground, guarantee: str
) -> None:
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"k%d" % n, b"v", n) for n in range(100)])
    topology = Topology().addSource("source", source).addSink("sink", target, "source")

    run_until(
        KafkaStreams(topology, play.config(processing_guarantee=guarantee), spark=spark),
        lambda: play.committed(play.name, source),
        play.ends(source),
    )


def test_words_are_counted_over_a_repartition_and_a_restart(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("text"), play.topic("counts")
    config = play.config(processing_guarantee="exactly_once_v2")
    play.produce(source, [(None, line.encode(), n, n % 2) for n, line in enumerate(TEXT)])
    words = Counter(word for line in TEXT for word in line.split())

    def counts() -> dict[str, int]:
        return final_counts(play.read(target, 1))

    run_until(KafkaStreams(word_count(source, target), config, spark=spark), counts, words)
    play.produce(source, [(None, b"dog the zebra", 10, 1)])
    again = words + Counter(["dog", "the", "zebra"])
    run_until(KafkaStreams(word_count(source, target), config, spark=spark), counts, again)


def test_a_wall_clock_punctuation_comes_without_records(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)

    class Ticker(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.context = context
            context.schedule(
                timedelta(milliseconds=200), PunctuationType.WALL_CLOCK_TIME, self.tick
            )

        def tick(self, now: int) -> None:
            from millstream import Record

            self.context.forward(Record("tick", str(now), now))

        def process(self, record: Any) -> None:
            self.context.forward(record)

    topology = (
        Topology()
        .addSource("source", source)
        .addProcessor("ticker", Ticker, "source")
        .addSink("sink", target, "ticker")
    )
    with KafkaStreams(topology, play.config(), spark=spark) as streams:
        streams.start()
        ticks = [int(value or b"") for key, value in play.pairs(target, 3) if key == b"tick"]
        assert streams.state().isRunningOrRebalancing()

    assert len(ticks) >= 3
    # As in Kafka, a late one does not move the next: one for each interval, at any time in it.
    assert all(sooner < later for sooner, later in pairwise(ticks))
    assert ticks[-1] - ticks[0] > 200 * (len(ticks) - 2)


def test_a_failing_batch_stops_the_application_with_a_typed_error(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    play.produce(source, [(b"k", b"1", 1), (b"k", b"boom", 2)])
    builder = StreamsBuilder()
    builder.stream(source).mapValues(lambda value: str(int(value))).to(target)
    streams = KafkaStreams(builder.build(), play.config(), spark=spark)
    states: list[str] = []
    failures: list[Exception] = []
    streams.setStateListener(lambda new, old: states.append(new.name))
    streams.setUncaughtExceptionHandler(failures.append)
    streams.start()
    eventually(lambda: streams.state().name, "ERROR")

    assert states == ["REBALANCING", "RUNNING", "PENDING_ERROR", "ERROR"]
    assert "invalid literal for int()" in str(failures[0])
    assert "Task 0_0" in str(failures[0]) or "0_0" in str(failures[0])
    assert streams.close() is True
