"""None where Kafka Streams 4.3.1 throws: the same error with the same words, class by class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.test_wrong_functions import NEAR, SESSIONS, WINDOWS, World, three, two
from millstream import (
    ClassCastException,
    Consumed,
    ContextualProcessor,
    Grouped,
    IllegalArgumentException,
    Joined,
    Materialized,
    Named,
    NullPointerException,
    Produced,
    Serdes,
    Stores,
    StreamsBuilder,
    Topology,
)


class Pass(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        self.context().forward(record)


NONE: Any = None
CALLS: dict[str, list[Callable[[World], Any]]] = {
    "predicate cannot be null": [
        lambda w: w.stream.filter(NONE),
        lambda w: w.stream.filterNot(NONE),
    ],
    "mapper cannot be null": [
        lambda w: w.stream.map(NONE),
        lambda w: w.stream.mapValues(NONE),
        lambda w: w.stream.flatMap(NONE),
        lambda w: w.stream.flatMapValues(NONE),
        lambda w: w.stream.selectKey(NONE),
    ],
    "action cannot be null": [lambda w: w.stream.peek(NONE), lambda w: w.stream.foreach(NONE)],
    "named cannot be null": [
        lambda w: w.stream.filter(two, NONE),
        lambda w: w.stream.mapValues(str, NONE),
        lambda w: w.stream.split(NONE),
        lambda w: w.stream.toTable(NONE),
        lambda w: w.stream.process(Pass, named=NONE),
    ],
    "printed cannot be null": [lambda w: w.stream.print(NONE)],
    "repartitioned cannot be null": [lambda w: w.stream.repartition(NONE)],
    "produced cannot be null": [lambda w: w.stream.to("out", NONE)],
    "keySelector cannot be null": [
        lambda w: w.stream.groupBy(NONE),
        lambda w: w.stream.join(w.everywhere, NONE, two),
    ],
    "grouped cannot be null": [
        lambda w: w.stream.groupByKey(NONE),
        lambda w: w.stream.groupBy(two, NONE),
    ],
    "otherStream cannot be null": [lambda w: w.stream.join(NONE, two, NEAR)],
    "table cannot be null": [lambda w: w.stream.join(table=NONE, joiner=two)],
    "joiner cannot be null": [
        lambda w: w.stream.join(w.stream, NONE, NEAR),
        lambda w: w.stream.leftJoin(w.table, NONE),
        lambda w: w.stream.join(w.everywhere, two, NONE),
    ],
    "windows cannot be null": [lambda w: w.stream.outerJoin(w.stream, two, NONE)],
    "streamJoined cannot be null": [lambda w: w.stream.join(w.stream, two, NEAR, NONE)],
    "joined cannot be null": [lambda w: w.stream.join(w.table, two, NONE)],
    "processorSupplier cannot be null": [
        lambda w: w.stream.process(NONE),
        lambda w: w.stream.processValues(NONE),
        lambda w: Topology().addSource("s", "t").addProcessor("p", NONE, "s"),
    ],
    "state store name cannot be null": [lambda w: w.stream.process(Pass, NONE)],
    "predicate can't be null": [lambda w: w.table.filter(NONE)],
    "mapper can't be null": [lambda w: w.table.mapValues(NONE)],
    "materialized can't be null": [
        lambda w: w.table.filter(two, materialized=NONE),
        lambda w: w.grouped.count(materialized=NONE),
        lambda w: w.grouped.windowedBy(WINDOWS).count(materialized=NONE),
        lambda w: StreamsBuilder().table("t", materialized=NONE),
    ],
    "selector can't be null": [lambda w: w.table.groupBy(NONE)],
    "grouped can't be null": [lambda w: w.table.groupBy(two, NONE)],
    "joiner can't be null": [lambda w: w.table.join(w.table, NONE)],
    "other can't be null": [lambda w: w.table.leftJoin(NONE, two)],
    "reducer can't be null": [
        lambda w: w.grouped.reduce(NONE),
        lambda w: w.grouped.windowedBy(SESSIONS).reduce(NONE),
    ],
    "initializer can't be null": [
        lambda w: w.grouped.aggregate(NONE, three),
        lambda w: w.regrouped.aggregate(NONE, three, three),
        lambda w: w.grouped.cogroup(three).aggregate(NONE),
    ],
    "aggregator can't be null": [
        lambda w: w.grouped.aggregate(int, NONE),
        lambda w: w.grouped.cogroup(NONE),
    ],
    "sessionMerger can't be null": [
        lambda w: w.grouped.windowedBy(SESSIONS).aggregate(int, three, NONE)
    ],
    "adder can't be null": [lambda w: w.regrouped.reduce(NONE, two)],
    "subtractor can't be null": [lambda w: w.regrouped.aggregate(int, three, NONE)],
    "groupedStream can't be null": [lambda w: w.grouped.cogroup(three).cogroup(NONE, three)],
    "topics can't be null": [lambda w: StreamsBuilder().stream(NONE)],
    "topic can't be null": [
        lambda w: StreamsBuilder().table(NONE),
        lambda w: StreamsBuilder().globalTable(NONE),
    ],
    "consumed can't be null": [
        lambda w: StreamsBuilder().stream("t", NONE),
        lambda w: StreamsBuilder().table("t", NONE),
    ],
    "name cannot be null": [
        lambda w: Topology().addSource(NONE, "t"),
        lambda w: Topology().addSource("s", "t").addSink(NONE, "t", "s"),
        lambda w: Named.as_(NONE),
    ],
    "topic cannot be null": [lambda w: Topology().addSource("s", "t").addSink("x", NONE, "s")],
    "storeBuilder cannot be null": [lambda w: Topology().addStateStore(NONE)],
}
CASES = [(text, call) for text, calls in CALLS.items() for call in calls]


@pytest.mark.parametrize(("text", "call"), CASES)
def test_none_is_refused_in_kafkas_words(text: str, call: Callable[[World], Any]) -> None:
    with pytest.raises(NullPointerException) as raised:
        call(World())
    assert raised.value.problem == text


def test_a_supplier_of_one_processor_is_refused_by_the_call() -> None:
    processor = Pass()
    for method in ("process", "processValues"):
        with pytest.raises(IllegalArgumentException, match="must return a new object each time"):
            getattr(World().stream, method)(lambda: processor)


def test_a_table_without_a_past_is_refused_by_the_join_with_a_grace_period() -> None:
    world = World()
    graceful: Joined[Any, Any, Any] = Joined.as_("join").withGracePeriod(5)
    for method in ("join", "leftJoin"):
        with pytest.raises(IllegalArgumentException, match="KTable must be versioned"):
            getattr(world.stream, method)(world.table, two, graceful)
    store = Stores.persistentVersionedKeyValueStore("past", 1000)
    past = StreamsBuilder()
    past.stream("in").join(past.table("t", Materialized.as_(store)), two, graceful)


SERDE: Any = Serdes.String()
TEXT: Any = "u"
CLASS: Any = Serdes.String


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda w: StreamsBuilder().stream("t", SERDE), "Consumed.with_(...)"),
        (lambda w: StreamsBuilder().table("t", CLASS), None),
        (lambda w: StreamsBuilder().stream("t", TEXT), None),
        (lambda w: w.stream.to("out", SERDE), "Produced.with_(...)"),
        (lambda w: w.stream.groupByKey(SERDE), "Grouped.with_(...)"),
        (lambda w: w.grouped.count(SERDE), "Materialized.with_(...)"),
        (lambda w: w.grouped.count("counts"), 'Named.as_("counts")'),
        (lambda w: w.stream.filter(two, "name"), 'Named.as_("name")'),
        (lambda w: w.stream.filter(two, Materialized.as_("s")), None),
        (lambda w: w.stream.to("out", Consumed.with_(SERDE, SERDE)), None),
        (lambda w: w.stream.groupByKey(Produced.with_(SERDE, SERDE)), None),
        (lambda w: w.stream.repartition(Grouped.with_(SERDE, SERDE)), None),
        (lambda w: w.table.groupBy(two, Materialized.as_("s")), None),
    ],
)
def test_the_wrong_kind_of_option_is_refused_with_what_to_write(
    call: Callable[[World], Any], hint: str | None
) -> None:
    with pytest.raises(ClassCastException, match="does not take (an?|the class) ") as raised:
        call(World())
    assert hint is None or hint in raised.value.hint
