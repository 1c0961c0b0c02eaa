"""On both hosts: foreign-key joins and other circles, global stores, read-only stores."""

from __future__ import annotations

from typing import Any

from compat_tests.hosts.host import TopologyHost
from compat_tests.hosts.test_hosts import lines, records
from millstream import (
    Consumed,
    Headers,
    KTable,
    Processor,
    Produced,
    Serdes,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TestRecord

TEXT = Serdes.String()


def foreign_key(value: str) -> Any:
    return value.split("/")[0] or None


def both(mine: str, other: str | None) -> str:
    return f"{mine}+{other}"


def test_rows_are_joined_by_a_key_in_their_value(host: TopologyHost) -> None:
    left, right = host.topic("left"), host.topic("right")
    matched, every = host.topic("matched"), host.topic("every")
    builder = StreamsBuilder()
    lefts: KTable[str, str] = builder.table(left.name)
    rights: KTable[str, str] = builder.table(right.name)
    lefts.join(rights, foreign_key, both).toStream().to(matched.name)
    lefts.leftJoin(rights, foreign_key, both).toStream().to(every.name)

    outputs = host.run(
        builder.build(),
        {},
        [
            (right, records(("p", "P1", 10), ("q", "Q1", 5))),
            (left, records(("1", "p/a", 20), ("2", "x/b", 21))),
            (left, records(("1", "q/a", 30), ("3", "/c", 35))),
            (right, records(("q", "Q2", 40), ("p", "P2", 41), ("x", "X1", 7))),
            (right, records(("q", None, 43))),
            (left, records(("2", None, 50))),
        ],
    )

    assert lines(matched, outputs) == [
        ("1", "p/a+P1", 20),
        ("1", "q/a+Q1", 30),
        ("1", "q/a+Q2", 40),
        ("2", "x/b+X1", 7),
        ("1", None, 43),
        ("2", None, 50),
    ]
    assert lines(every, outputs) == [
        ("1", "p/a+P1", 20),
        ("2", "x/b+None", 21),
        ("1", "q/a+Q1", 30),
        ("3", "/c+None", 35),
        ("1", "q/a+Q2", 40),
        ("2", "x/b+X1", 7),
        ("1", "q/a+None", 43),
        ("2", None, 50),
    ]


def test_a_stream_meets_a_table_that_is_counted_from_it(host: TopologyHost) -> None:
    source, target = host.topic("in"), host.topic("out")
    builder = StreamsBuilder()
    words: Any = builder.stream(source.name)
    counts = words.groupBy(lambda key, value: value).count()
    words.leftJoin(counts, lambda value, count: f"{value}:{count}").to(target.name)
    sent = records(("a", "b", 10), ("b", "b", 6), ("b", "b", 7), ("b", "c", 9))

    outputs = host.run(builder.build(), {}, [(source, [record]) for record in sent])

    assert lines(target, outputs) == [
        ("a", "b:None", 10),
        ("b", "b:1", 6),
        ("b", "b:2", 7),
        ("b", "c:3", 9),
    ]


class ShowTime(Processor[Any, Any, Any, Any]):
    """Adds a record's time to its value, and 1 to its time."""

    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Any) -> None:
        value, time = record.value(), record.timestamp()
        self._context.forward(record.withValue(f"{value}@{time}").withTimestamp(time + 1))


def test_headers_and_times_go_around_a_circle(host: TopologyHost) -> None:
    source, target, unread = host.topic("in"), host.topic("out"), host.topic("unread")
    builder = StreamsBuilder()
    words: Any = builder.stream(source.name)
    moved = words.selectKey(lambda key, value: value).repartition()
    words.join(moved.toTable(), lambda value, row: row).to(unread.name)
    moved.process(ShowTime).to(target.name)
    sent: list[TestRecord[Any, Any]] = [
        TestRecord("a", "b", Headers().add("h", b"1").add("h", b""), 0),
        TestRecord("b", "a", 0),
        TestRecord("b", "a", Headers().add("h", b"2"), 5),
    ]

    outputs = host.run(builder.build(), {}, {source: sent})

    assert outputs[target] == [
        TestRecord("b", "b@0", Headers().add("h", b"1").add("h", b""), 1),
        TestRecord("a", "a@0", 1),
        TestRecord("a", "a@5", Headers().add("h", b"2"), 6),
    ]


def test_a_stream_is_joined_with_a_global_table(host: TopologyHost) -> None:
    names, source = host.topic("names"), host.topic("in")
    inner, left = host.topic("inner"), host.topic("left")
    builder = StreamsBuilder()
    table = builder.globalTable(names.name)
    stream: Any = builder.stream(source.name)
    stream.join(table, lambda key, value: value, lambda v, row: f"{v}={row}").to(inner.name)
    stream.leftJoin(table, lambda key, value: key, lambda v, row: f"{v}={row}").to(left.name)

    outputs = host.run(
        builder.build(),
        {},
        [
            (names, records(("a", "Ann", 100), ("b", "Bob", 0))),
            (source, records(("a", "b", 10), ("c", "a", 11), ("a", "c", 12))),
            (names, records(("b", None, 101), ("c", "Cid", 1))),
            (source, records(("b", "b", 13), ("a", "c", 14))),
        ],
    )

    assert lines(inner, outputs) == [
        ("a", "b=Bob", 10),
        ("c", "a=Ann", 11),
        ("a", "c=Cid", 14),
    ]
    assert lines(left, outputs) == [
        ("a", "b=Ann", 10),
        ("c", "a=None", 11),
        ("a", "c=Ann", 12),
        ("b", "b=None", 13),
        ("a", "c=Ann", 14),
    ]


def test_a_global_table_is_seen_behind_a_repartition(host: TopologyHost) -> None:
    names, source, target = host.topic("names"), host.topic("in"), host.topic("out")
    builder = StreamsBuilder()
    table = builder.globalTable(names.name)
    (
        builder.stream(source.name)
        .groupBy(lambda key, value: value)
        .count()
        .toStream()
        .join(table, lambda key, count: key, lambda count, row: f"{row}{count}")
        .to(target.name)
    )

    outputs = host.run(
        builder.build(),
        {},
        [
            (names, records(("a", "Ann", 1))),
            (source, records(("1", "a", 10), ("2", "b", 11), ("3", "a", 12))),
        ],
    )

    assert lines(target, outputs) == [("a", "Ann1", 10), ("a", "Ann2", 12)]


class KeepLongest(Processor[Any, Any, Any, Any]):
    """Fills a global store with the longest value of each key."""

    def init(self, context: Any) -> None:
        self._store = context.getStateStore("longest")

    def process(self, record: Any) -> None:
        if len(record.value()) > len(self._store.get(record.key()) or ""):
            self._store.put(record.key(), record.value())


class LookUp(Processor[Any, Any, Any, Any]):
    """Answers each record with what a store has for its key."""

    store = "longest"

    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Any) -> None:
        found = self._context.getStateStore(self.store).get(record.key())
        self._context.forward(record.withValue(f"{record.value()}:{found}"))


def test_a_global_store_is_filled_by_a_processor_of_ones_own(host: TopologyHost) -> None:
    facts, source, target = host.topic("facts"), host.topic("in"), host.topic("out")
    store = Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("longest"), TEXT, TEXT)
    builder = StreamsBuilder()
    builder.addGlobalStore(store, facts.name, Consumed.with_(TEXT, TEXT), KeepLongest)
    builder.stream(source.name).process(LookUp).to(target.name, Produced.with_(TEXT, TEXT))

    outputs = host.run(
        builder.build(),
        {},
        [
            (facts, records(("a", "xx", 5), ("a", "x", 6), ("b", "y", 7))),
            (source, records(("a", "1", 10), ("b", "2", 11))),
            (facts, records(("b", "yy", 1))),
            (source, records(("b", "3", 12), ("c", "4", 13))),
        ],
    )

    assert lines(target, outputs) == [
        ("a", "1:xx", 10),
        ("b", "2:y", 11),
        ("b", "3:yy", 12),
        ("c", "4:None", 13),
    ]


class PutRow(Processor[Any, Any, Any, Any]):
    """Writes its records into a read-only store."""

    def init(self, context: Any) -> None:
        self._store = context.getStateStore("rows")

    def process(self, record: Any) -> None:
        self._store.put(record.key(), record.value())


class LookUpRow(LookUp):
    store = "rows"


def test_a_read_only_store_shows_the_topic_it_stands_for(host: TopologyHost) -> None:
    rows, source, target = host.topic("rows"), host.topic("in"), host.topic("out")
    store = Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore("rows"), TEXT, TEXT)
    reader = TEXT.deserializer()
    topology = (
        Topology()
        .addReadOnlyStateStore(store, "row-source", reader, reader, rows.name, "row", PutRow)
        .addSource("source", reader, reader, source.name)
        .addProcessor("look-up", LookUpRow, "source")
        .connectProcessorAndStateStores("look-up", "rows")
        .addSink("sink", target.name, TEXT.serializer(), TEXT.serializer(), "look-up")
    )

    outputs = host.run(
        topology,
        {},
        [
            (rows, records(("a", "A", 5), ("b", "B", 6))),
            (source, records(("a", "1", 10), ("c", "2", 11))),
            (rows, records(("a", None, 7), ("c", "C", 8))),
            (source, records(("a", "3", 12), ("c", "4", 13))),
        ],
    )

    assert lines(target, outputs) == [
        ("a", "1:A", 10),
        ("c", "2:None", 11),
        ("a", "3:None", 12),
        ("c", "4:C", 13),
    ]


def test_a_sink_feeds_a_global_table(host: TopologyHost) -> None:
    updates, table, asked = host.topic("updates"), host.topic("table"), host.topic("asked")
    target = host.topic("out")
    builder = StreamsBuilder()
    globals_ = builder.globalTable(table.name)
    builder.stream(updates.name).to(table.name)
    found = builder.stream(asked.name).leftJoin(globals_, lambda key, value: value, both)
    found.to(target.name)

    outputs = host.run(
        builder.build(),
        {},
        [
            (asked, records(("x", "a", 1))),
            (updates, records(("a", "1", 10), ("b", "2", 11))),
            (asked, records(("x", "a", 2), ("y", "b", 3))),
            (updates, records(("a", None, 12))),
            (asked, records(("x", "a", 4))),
        ],
    )

    assert lines(target, outputs) == [
        ("x", "a+None", 1),
        ("x", "a+1", 2),
        ("y", "b+2", 3),
        ("x", "a+None", 4),
    ]
