"""One test body, two hosts: on the test driver and on Spark a topology gives the same records."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from compat_tests.hosts.host import Topic, TopologyHost
from millstream import (
    Consumed,
    FixedKeyProcessor,
    Grouped,
    Headers,
    KeyValue,
    Materialized,
    Processor,
    Produced,
    PunctuationType,
    Record,
    Serdes,
    Stores,
    StreamsBuilder,
    Suppressed,
    TimeWindow,
    TimeWindows,
    Topology,
    WindowedSerdes,
    Windows,
)
from millstream.testing import TestRecord

LONG = Serdes.Long()


def windowed(size_ms: int) -> Any:
    return WindowedSerdes.TimeWindowedSerde(Serdes.String(), size_ms)


def lines(topic: Topic, outputs: dict[Topic, Any]) -> list[Any]:
    """(key, value, time) of what came out; of a windowed key its text and its window."""
    return [(_plain(each.key()), each.value(), each.timestamp()) for each in outputs[topic]]


def _plain(key: Any) -> Any:
    if not hasattr(key, "window"):
        return key
    return key.key(), key.window().start(), key.window().end()


def records(*parts: tuple[str | None, Any, int]) -> list[TestRecord[Any, Any]]:
    return [TestRecord(key, value, time) for key, value, time in parts]


def test_a_stateless_chain_keeps_headers_and_times(host: TopologyHost) -> None:
    source, target = host.topic("in"), host.topic("out")
    builder = StreamsBuilder()
    (
        builder.stream(source.name)
        .filter(lambda key, value: value is not None)
        .filterNot(lambda key, value: value == "drop")
        .mapValues(lambda value: value.upper())
        .map(lambda key, value: KeyValue.pair(value[:1], f"{key}:{value}"))
        .peek(lambda key, value: None)
        .to(target.name)
    )
    sent: list[TestRecord[Any, Any]] = [
        TestRecord("a", "one", Headers().add("h", b"1").add("h", None), 50),
        TestRecord("b", None, Headers().add("h", b"2"), 60),
        TestRecord("b", "drop", 70),
        TestRecord(None, "two", 40),
    ]

    outputs = host.run(builder.build(), {}, {source: sent})

    assert outputs[target] == [
        TestRecord("O", "a:ONE", Headers().add("h", b"1").add("h", None), 50),
        TestRecord("T", "None:TWO", 40),
    ]


def test_streams_are_split_up_and_merged(host: TopologyHost) -> None:
    left, right, target = host.topic("left"), host.topic("right"), host.topic("out")
    builder = StreamsBuilder()
    pairs = builder.stream(left.name).flatMap(
        lambda key, value: [KeyValue.pair(word, key) for word in value.split()]
    )
    words = builder.stream(right.name).flatMapValues(lambda value: value.split())
    pairs.merge(words.selectKey(lambda key, value: f"{key}-{value}")).to(target.name)

    outputs = host.run(
        builder.build(),
        {},
        {left: records(("k", "x y", 10), ("l", "", 11)), right: records(("m", "p q", 5))},
    )

    assert lines(target, outputs) == [
        ("x", "k", 10),
        ("y", "k", 10),
        ("m-p", "p", 5),
        ("m-q", "q", 5),
    ]


def test_words_are_counted_behind_a_repartition(host: TopologyHost) -> None:
    source, target = host.topic("in"), host.topic("out", value=LONG)
    builder = StreamsBuilder()
    (
        builder.stream(source.name)
        .groupBy(lambda key, value: value)
        .count()
        .toStream()
        .to(target.name, Produced.with_(Serdes.String(), LONG))
    )
    sent = records(("1", "a", 10), ("2", "b", 30), ("3", "a", 20), ("4", "a", 5))

    outputs = host.run(builder.build(), {}, {source: sent})

    assert lines(target, outputs) == [("a", 1, 10), ("b", 1, 30), ("a", 2, 20), ("a", 3, 20)]


def test_values_are_reduced_to_one(host: TopologyHost) -> None:
    source, target = host.topic("in"), host.topic("out")
    builder = StreamsBuilder()
    (
        builder.stream(source.name)
        .groupByKey()
        .reduce(lambda old, new: None if new == "reset" else f"{old}+{new}")
        .toStream()
        .to(target.name)
    )
    sent = records(
        ("k", "a", 10), ("k", "b", 5), (None, "x", 6), ("k", "reset", 12), ("k", "c", 13)
    )

    outputs = host.run(builder.build(), {}, {source: sent})

    assert lines(target, outputs) == [
        ("k", "a", 10),
        ("k", "a+b", 10),
        ("k", None, 12),
        ("k", "c", 13),
    ]


def test_a_late_record_of_a_tumbling_window_counts_only_within_grace(host: TopologyHost) -> None:
    source = host.topic("in", value=LONG)
    target = host.topic("out", key=windowed(100), value=LONG)
    windows = TimeWindows.ofSizeAndGrace(timedelta(milliseconds=100), timedelta(milliseconds=50))
    builder = StreamsBuilder()
    (
        builder.stream(source.name, Consumed.with_(Serdes.String(), LONG))
        .groupByKey(Grouped.with_(Serdes.String(), LONG))
        .windowedBy(windows)
        .aggregate(
            lambda: 0, lambda key, value, total: total + value, Materialized.with_(None, LONG)
        )
        .toStream()
        .to(target.name, Produced.with_(windowed(100), LONG))
    )
    sent = records(("k", 1, 10), ("k", 2, 120), ("k", 4, 90), ("k", 8, 151), ("k", 16, 99))

    outputs = host.run(builder.build(), {}, {source: sent})

    assert lines(target, outputs) == [
        (("k", 0, 100), 1, 10),
        (("k", 100, 200), 2, 120),
        (("k", 0, 100), 5, 90),
        (("k", 100, 200), 10, 151),
    ]


def test_a_record_counts_in_every_hopping_window_that_has_it(host: TopologyHost) -> None:
    source = host.topic("in")
    target = host.topic("out", key=windowed(100), value=LONG)
    windows = TimeWindows.ofSizeWithNoGrace(timedelta(milliseconds=100))
    builder = StreamsBuilder()
    (
        builder.stream(source.name)
        .groupByKey()
        .windowedBy(windows.advanceBy(timedelta(milliseconds=50)))
        .count()
        .toStream()
        .to(target.name, Produced.with_(windowed(100), LONG))
    )

    sent = records(("k", "x", 20), ("k", "x", 70), ("k", "x", 130))
    outputs = host.run(builder.build(), {}, {source: sent})

    assert lines(target, outputs) == [
        (("k", 0, 100), 1, 20),
        (("k", 0, 100), 2, 70),
        (("k", 50, 150), 1, 70),
        (("k", 50, 150), 2, 130),
        (("k", 100, 200), 1, 130),
    ]


class Totals(Processor[Any, Any, Any, Any]):
    """Keeps a total for each key, and sends all of them on every 100 ms of stream time."""

    def init(self, context: Any) -> None:
        self._context = context
        self._totals = context.getStateStore("totals")
        context.schedule(
            timedelta(milliseconds=100), PunctuationType.STREAM_TIME, self._send_totals
        )

    def process(self, record: Any) -> None:
        total = (self._totals.get(record.key()) or 0) + record.value()
        self._totals.put(record.key(), total)

    def _send_totals(self, now: int) -> None:
        with self._totals.all() as entries:
            for entry in entries:
                self._context.forward(Record(entry.key, entry.value, now))


def test_a_processor_sends_what_its_store_has_as_stream_time_passes(host: TopologyHost) -> None:
    source, target = host.topic("in", value=LONG), host.topic("out", value=LONG)
    store = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore("totals"), Serdes.String(), LONG
    )
    topology = (
        Topology()
        .addSource("source", Serdes.String().deserializer(), LONG.deserializer(), source.name)
        .addProcessor("processor", Totals, "source")
        .addStateStore(store, "processor")
        .addSink("sink", target.name, Serdes.String().serializer(), LONG.serializer(), "processor")
    )
    sent = records(("b", 1, 10), ("a", 2, 60), ("b", 4, 130), ("a", 8, 120), ("a", 16, 390))

    outputs = host.run(topology, {}, {source: sent})

    assert lines(target, outputs) == [
        ("b", 1, 10),
        ("a", 2, 130),
        ("b", 5, 130),
        ("a", 26, 390),
        ("b", 5, 390),
    ]


class Shifts(Windows[TimeWindow]):
    """Windows of 100 ms that take records for 60 ms, every 50 ms, the latest first."""

    def windowsFor(self, timestamp: int) -> dict[int, TimeWindow]:
        starts = range(timestamp - timestamp % 50, timestamp - 60, -50)
        return {start: TimeWindow(start, start + 60) for start in starts if start >= 0}

    def size(self) -> int:
        return 100

    def gracePeriodMs(self) -> int:
        return 10


def test_windows_of_a_users_own_class_close_at_their_own_ends(host: TopologyHost) -> None:
    source, target = host.topic("in"), host.topic("out")
    builder = StreamsBuilder()
    (
        builder.stream(source.name)
        .groupByKey(Grouped.with_(Serdes.String(), Serdes.String()))
        .windowedBy(Shifts())
        .reduce(lambda old, new: f"{old}+{new}")
        .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
        .toStream(lambda key, value: str(key))
        .to(target.name)
    )
    sent = records(("k", "a", 5), ("k", "b", 55), ("k", "late", 69), ("k", "c", 120))

    outputs = host.run(builder.build(), {}, {source: [*sent, *records(("k", "d", 200))]})

    assert lines(target, outputs) == [
        ("[k@0/100]", "a+b", 55),
        ("[k@50/150]", "b+late", 69),
        ("[k@100/200]", "c", 120),
    ]


class AddTime(FixedKeyProcessor[Any, Any, str]):
    """A fixed-key processor that adds the record's time to its value."""

    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Any) -> None:
        self._context.forward(record.withValue(f"{record.value()}@{record.timestamp()}"))


def test_a_filtered_table_sends_deletions_and_a_processor_sees_values(host: TopologyHost) -> None:
    source, other = host.topic("table"), host.topic("stream")
    changes, stamped = host.topic("changes"), host.topic("stamped")
    builder = StreamsBuilder()
    (
        builder.table(source.name)
        .filter(lambda key, value: len(value) < 3)
        .mapValues(lambda value: value * 2)
        .toStream()
        .to(changes.name)
    )
    builder.stream(other.name).processValues(AddTime).to(stamped.name)
    sent = records(("k", "a", 1), ("l", "long", 2), ("k", "long", 3), ("k", "b", 4), ("k", None, 5))

    outputs = host.run(
        builder.build(), {}, {source: sent, other: records(("s", "v", 7), (None, "w", 8))}
    )

    assert lines(changes, outputs) == [
        ("k", "aa", 1),
        ("l", None, 2),
        ("k", None, 3),
        ("k", "bb", 4),
        ("k", None, 5),
    ]
    assert lines(stamped, outputs) == [("s", "v@7", 7), (None, "w@8", 8)]


def test_a_record_that_cannot_be_read_is_left_out_if_so_configured(host: TopologyHost) -> None:
    source, target = host.topic("in", value=Serdes.ByteArray()), host.topic("out", value=LONG)
    builder = StreamsBuilder()
    (
        builder.stream(source.name, Consumed.with_(Serdes.String(), LONG))
        .mapValues(lambda value: value + 1)
        .to(target.name, Produced.with_(Serdes.String(), LONG))
    )
    handler = "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
    sent = records(("k", bytes(8), 1), ("k", b"three", 2), ("l", bytes(7) + b"\x05", 3))

    outputs = host.run(
        builder.build(), {"deserialization.exception.handler": handler}, {source: sent}
    )

    assert lines(target, outputs) == [("k", 1, 1), ("l", 6, 3)]
