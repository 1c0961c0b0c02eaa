"""Runs over history on Spark: bounded exactly, in event-time order, and the live one goes on."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from confluent_kafka import Producer

from compat_tests.spark.support import Out, Playground, eventually
from millstream import (
    Consumed,
    Joined,
    KafkaStreams,
    LogAndContinueProcessingExceptionHandler,
    Processor,
    ProcessorContext,
    Produced,
    PunctuationType,
    Serdes,
    StreamsBuilder,
    StringDeserializer,
    StringSerializer,
    Topology,
    TopologyTestDriver,
)
from millstream.core.errors import IllegalStateException, StreamsException, TimeoutException

TEXT = Serdes.String()
SMALL_BATCHES = {"millstream.max.records.per.batch": 60}
Record = tuple[str, str, int, int]
"""Key, value, timestamp, partition."""


def prices_of_orders(orders: str, prices: str, out: str) -> Topology:
    """Each order with the price that its item had at its time."""
    builder = StreamsBuilder()
    table = builder.table(prices, Consumed.with_(TEXT, TEXT))
    stream = builder.stream(orders, Consumed.with_(TEXT, TEXT))
    joined = stream.join(table, lambda a, b: f"{a}@{b}", Joined.with_(TEXT, TEXT, TEXT))
    joined.to(out, Produced.with_(TEXT, TEXT))
    return builder.build()


def history(seed: int, count: int, prefix: str, step: int) -> list[Record]:
    """Records whose keys name their partition, with rising times in each partition."""
    chosen = random.Random(seed)
    found: list[Record] = []
    times = [1_700_000_000_000 + seed, 1_700_000_000_000 + seed]
    for number in range(count):
        partition = number % 2
        times[partition] += chosen.randint(1, 2 * step)
        key = f"{partition}-{chosen.randint(0, 4)}"
        found.append((key, f"{prefix}{number}", times[partition], partition))
    return found


def in_order(
    topology: Topology, inputs: dict[str, list[Record]], out: str
) -> dict[bytes, list[Any]]:
    """Return what the test driver makes of records in event-time order, by key."""
    records = [(r[2], topic, r) for topic, own in inputs.items() for r in own]
    with TopologyTestDriver(topology) as driver:
        pipes = {
            t: driver.createInputTopic(t, StringSerializer(), StringSerializer()) for t in inputs
        }
        for time_ms, topic, (key, value, _, _) in sorted(records):
            pipes[topic].pipeInput(key, value, time_ms)
        results = driver.createOutputTopic(out, StringDeserializer(), StringDeserializer())
        return by_key([(r.key.encode(), r.value.encode()) for r in results.readKeyValuesToList()])


def by_key(pairs: list[Out]) -> dict[Any, list[Any]]:
    """Return the values of each key, in order."""
    found: dict[Any, list[Any]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def test_a_join_with_a_long_table_is_that_of_event_time_and_goes_on_live(
    play: Playground, spark: Any
) -> None:
    orders, prices, out = play.topic("orders"), play.topic("prices"), play.topic("out")
    inputs = {orders: history(1, 120, "o", 400), prices: history(2, 960, "p", 50)}
    for topic, records in inputs.items():
        play.produce(topic, records)
    topology = prices_of_orders(orders, prices, out)
    expected = in_order(topology, inputs, out)
    config = play.config() | SMALL_BATCHES
    until = 1_700_000_000_000 + 30_000
    first = KafkaStreams(topology, config, spark=spark)
    summary = first.runToEnd(end=until)
    assert first.state() is KafkaStreams.State.NOT_RUNNING
    before = {
        topic: {
            p: sum(1 for *_, time_ms, own in records if own == p and time_ms < until)
            for p in range(2)
        }
        for topic, records in inputs.items()
    }
    assert summary.positions == before
    assert summary.records == sum(sum(own.values()) for own in before.values())
    assert summary.batches >= summary.records / 60
    again = KafkaStreams(topology, config, spark=spark).runToEnd(end=until)
    assert (again.records, again.positions) == (0, before)
    rest = KafkaStreams(topology, config, spark=spark).runToEnd()
    assert rest.positions == {topic: play.ends(topic) for topic in inputs}
    count = sum(map(len, expected.values()))
    assert by_key(play.pairs(out, count)) == expected
    with KafkaStreams(topology, config, spark=spark) as live:
        play.produce(prices, [("0-0", "last", 1_800_000_000_000, 0)])
        eventually(lambda: live.metrics() != {}, True)
        play.produce(orders, [("0-0", "new", 1_800_000_000_001, 0)])
        pairs = play.pairs(out, count + 1, more=0.5)
    assert len(pairs) == count + 1
    after = KafkaStreams(topology, config, spark=spark).runToEnd()
    assert after.records == 0
    assert after.positions == {topic: play.ends(topic) for topic in inputs}
    assert by_key(pairs)[b"0-0"][-1] == b"new@last"


def counts(topic: str, out: str) -> Topology:
    """How often each key has come."""
    builder = StreamsBuilder()
    grouped = builder.stream(topic, Consumed.with_(TEXT, TEXT)).groupByKey()
    grouped.count().toStream().mapValues(str).to(out, Produced.with_(TEXT, TEXT))
    return builder.build()


def test_bounds_are_exact_where_a_transaction_was_aborted_and_markers_are_last(
    play: Playground, spark: Any, caplog: pytest.LogCaptureFixture
) -> None:
    numbers, empty, out = play.topic("numbers"), play.topic("empty"), play.topic("out")
    producer = Producer({"bootstrap.servers": play.servers, "transactional.id": play.name})
    producer.init_transactions()
    for commits in (True, False, True):
        producer.begin_transaction()
        for number in range(10):
            producer.produce(numbers, str(number), "k", 0, timestamp=1000 + number)
        producer.flush()
        (producer.commit_transaction if commits else producer.abort_transaction)()
    # Offsets 0-9 and a marker at 10; 11-20 aborted, and a marker; 22-31, and a marker at 32.
    # The broker writes a marker after it has answered the producer.
    eventually(lambda: play.ends(numbers), {0: 33, 1: 0})
    builder = StreamsBuilder()
    both = builder.stream([numbers, empty], Consumed.with_(TEXT, TEXT))
    both.groupByKey().count().toStream().mapValues(str).to(out, Produced.with_(TEXT, TEXT))
    topology = builder.build()
    config = play.config(processing_guarantee="exactly_once_v2") | SMALL_BATCHES
    first = KafkaStreams(topology, config, spark=spark).runToEnd(end={numbers: {0: 25}})
    assert first.positions == {numbers: {0: 25, 1: 0}, empty: {0: 0, 1: 0}}
    assert play.pairs(out, 1)[-1] == (b"k", b"13")
    second = KafkaStreams(topology, config, spark=spark).runToEnd()
    assert second.positions[numbers] == {0: 33, 1: 0}
    assert play.pairs(out, 2, more=0.5)[-1] == (b"k", b"20")
    assert "is open there" not in caplog.text
    producer.begin_transaction()
    producer.produce(numbers, "open", "k", 0)
    producer.flush()
    third = KafkaStreams(topology, config, spark=spark).runToEnd()
    producer.abort_transaction()
    assert third.records == 0
    said = f'partition 0 of topic "{numbers}" is read to offset 33, and ends at 34: a transaction'
    assert said in caplog.text
    with KafkaStreams(topology, config, spark=spark):
        play.produce(numbers, [("k", "x", 2000, 0)])
        eventually(lambda: play.pairs(out, 1)[-1], (b"k", b"21"))


def test_a_run_without_records_leaves_its_beginning_to_the_live_application(
    play: Playground, spark: Any
) -> None:
    numbers, out = play.topic("numbers"), play.topic("out")
    play.produce(numbers, [("a", "1", 1000, 0), ("a", "2", 2000, 0), ("a", "3", 3000, 0)])
    topology = counts(numbers, out)
    none = KafkaStreams(topology, play.config(), spark=spark).runToEnd(start=2500, end=2500)
    assert (none.records, none.positions) == (0, {numbers: {0: 2, 1: 0}})
    with pytest.raises(StreamsException, match="the start of the run is after"):
        KafkaStreams(topology, play.config(), spark=spark).runToEnd(start={numbers: {0: 3}})
    with KafkaStreams(topology, play.config(), spark=spark):
        assert play.pairs(out, 1, more=0.5) == [(b"a", b"1")]


def test_a_foreign_key_join_is_run_to_its_end_over_feedback_topics(
    play: Playground, spark: Any
) -> None:
    items, shelves, out = play.topic("items"), play.topic("shelves"), play.topic("out")
    play.produce(items, [(f"i{n}", f"s{n % 3}", 1000 + n) for n in range(40)])
    play.produce(shelves, [(f"s{n}", f"room{n}", 900 + n) for n in range(3)])
    builder = StreamsBuilder()
    left = builder.table(items, Consumed.with_(TEXT, TEXT))
    right = builder.table(shelves, Consumed.with_(TEXT, TEXT))
    joined = left.join(right, lambda value: value, lambda a, b: f"{a}-{b}")
    joined.toStream().to(out, Produced.with_(TEXT, TEXT))
    topology = builder.build()
    config = play.config(processing_guarantee="exactly_once_v2")
    KafkaStreams(topology, config, spark=spark).runToEnd()
    found = by_key(play.pairs(out, 40))
    assert found == {f"i{n}".encode(): [f"s{n % 3}-room{n % 3}".encode()] for n in range(40)}


def test_ticks_do_not_keep_a_run_going_and_a_failing_record_ends_it(
    play: Playground, spark: Any
) -> None:
    numbers, out = play.topic("numbers"), play.topic("out")
    play.produce(numbers, [("a", str(n), 1000 + n, 0) for n in range(100)])
    builder = StreamsBuilder()
    builder.stream(numbers, Consumed.with_(TEXT, TEXT)).process(Ticking).to(
        out, Produced.with_(TEXT, TEXT)
    )
    topology = builder.build()
    config = play.config() | SMALL_BATCHES
    summary = KafkaStreams(topology, config, spark=spark).runToEnd(end={numbers: {0: 80}})
    assert summary.positions[numbers] == {0: 80, 1: 0}
    play.produce(numbers, [("a", "wrong", 2000, 0)])
    failing = KafkaStreams(topology, config, spark=spark)
    with pytest.raises(StreamsException) as raised:
        failing.runToEnd()
    assert "wrong" in str(raised.value) or "wrong" in repr(raised.value.__cause__)
    assert failing.state() is KafkaStreams.State.ERROR
    skipping = config | {"processing.exception.handler": LogAndContinueProcessingExceptionHandler}
    play.produce(numbers, [("a", str(n), 3000 + n, 0) for n in range(100, 300)])
    late = KafkaStreams(topology, skipping, spark=spark)
    with pytest.raises(TimeoutException, match="was not reached"):
        late.runToEnd(timeout=0)
    closed = KafkaStreams(topology, skipping, spark=spark)
    closed.setStateListener(lambda new, old: new.name == "RUNNING" and closed.close())
    with pytest.raises(IllegalStateException, match="closed before it reached"):
        closed.runToEnd()
    with pytest.raises(IllegalStateException, match="cannot run to the end"):
        closed.runToEnd()
    done = KafkaStreams(topology, skipping, spark=spark).runToEnd()
    assert done.positions[numbers] == {0: 301, 1: 0}
    assert [value for _, value in play.pairs(out, 300, more=0.5)] == [b"%d" % n for n in range(300)]


class Ticking(Processor[Any, Any, Any, Any]):
    """Forwards records; asks for wall-clock punctuations."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        """Schedule."""
        self._context = context
        context.schedule(timedelta(milliseconds=1), PunctuationType.WALL_CLOCK_TIME, _nothing)

    def process(self, record: Any) -> None:
        """Forward a number."""
        self._context.forward(record.withValue(str(int(record.value()))))


def _nothing(time_ms: int) -> None:
    del time_ms
