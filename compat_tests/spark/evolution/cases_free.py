"""Changes that need no word: stores have names of their own, and go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_tests.spark.evolution.case import (
    CONVERTED,
    DROPPED,
    FIRST,
    LONG,
    MORE,
    NEW,
    RENUMBERED,
    RESULTS,
    SAME,
    TEXT,
    Case,
    Program,
    Topics,
    grouped,
    lines,
    shown,
    texts,
)
from millstream import (
    Consumed,
    EmitStrategy,
    JoinWindows,
    Materialized,
    Named,
    Processor,
    Produced,
    Repartitioned,
    Stores,
    StreamJoined,
    StreamsBuilder,
    TimeWindows,
    Topology,
)

ALL = {"topology_optimization": "all"}


def yes(key: Any, value: Any) -> bool:
    return True


def count(
    change: Callable[[Any], Any] = lambda stream: stream,
    how: Callable[[], Any] = lambda: Materialized.as_("counts"),
    also: Callable[[StreamsBuilder, Topics, Any], None] | None = None,
    first: Callable[[StreamsBuilder, Topics], None] | None = None,
    last: bool = True,
) -> Program:
    """The count of a topic's records by key in the store "counts"."""

    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        if first is not None:
            first(builder, t)
        stream = texts(builder, t("in"))
        table = grouped(change(stream)).count(how())
        if last:
            shown(table, t("out"))
        if also is not None:
            also(builder, t, table)
        return builder.build()

    return program


def copied(builder: StreamsBuilder, t: Topics, table: Any = None) -> None:
    texts(builder, t("b")).to(t("b-out"), Produced.with_(TEXT, TEXT))


def other_count(builder: StreamsBuilder, t: Topics, table: Any = None) -> None:
    shown(grouped(texts(builder, t("b"))).count(Materialized.as_("b-counts")), t("b-out"))


def second_sink(builder: StreamsBuilder, t: Topics, table: Any) -> None:
    shown(table, t("again"))


def free(after: Program, before: Program | None = None, **fields: Any) -> Case:
    """A change after which the counts go on."""
    stores = fields.pop("stores", {"counts": SAME})
    return Case(
        before=before or count(),
        after=after,
        stores=stores,
        first=FIRST,
        more=MORE,
        results=RESULTS,
        **fields,
    )


def tables(*, joined: bool) -> Program:
    """Two tables of counts, joined or apart."""

    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        one = grouped(texts(builder, t("in"))).count(Materialized.as_("counts"))
        two = grouped(texts(builder, t("b"))).count(Materialized.as_("b-counts"))
        if joined:
            shown(one.join(two, lambda a, b: f"{a} {b}"), t("both"))
        shown(one, t("out"))
        shown(two, t("b-out"))
        return builder.build()

    return program


def rekeyed(*, optimised: bool) -> Program:
    """Two stores below one change of keys: the optimiser makes one repartition topic of two."""

    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        keyed = texts(builder, t("in")).selectKey(lambda key, value: key)
        shown(grouped(keyed).count(Materialized.as_("counts")), t("out"))
        grouped(keyed).reduce(lambda one, other: other, Materialized.as_("latest"))
        return builder.build({"topology.optimization": "all"}) if optimised else builder.build()

    return program


def windowed(how: Callable[[Any], Any], emit: Any = None) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        windows = grouped(texts(builder, t("in"))).windowedBy(TimeWindows.ofSizeWithNoGrace(60_000))
        if emit is not None:
            windows = windows.emitStrategy(emit)
        stored: Any = Materialized.as_("counts")
        shown(windows.count(how(stored)), t("out"))
        return builder.build()

    return program


def joined(*, filtered: bool) -> Program:
    def program(t: Topics) -> Topology:
        builder = StreamsBuilder()
        left, right = texts(builder, t("in")), texts(builder, t("b"))
        if filtered:
            left = left.filter(yes)
        options = StreamJoined.with_(TEXT, TEXT, TEXT).withStoreName("pairs").withName("pairs")
        windows = JoinWindows.ofTimeDifferenceWithNoGrace(60_000)
        pairs = left.join(right, lambda one, other: one + other, windows, options)
        pairs.to(t("out"), Produced.with_(TEXT, TEXT))
        return builder.build()

    return program


class Counting(Processor[str, str, str, str]):
    """Counts in a store of its own."""

    def init(self, context: Any) -> None:
        self._context, self._store = context, context.getStateStore("counts")

    def process(self, record: Any) -> None:
        number = (self._store.get(record.key()) or 0) + 1
        self._store.put(record.key(), number)
        self._context.forward(record.withValue(str(number)))


def processor(name: str, kind: str = "persistent") -> Program:
    def program(t: Topics) -> Topology:
        make = getattr(Stores, f"{kind}KeyValueStore")
        store = Stores.keyValueStoreBuilder(make("counts"), TEXT, LONG)
        read, write = TEXT.deserializer(), TEXT.serializer()
        topology = Topology().addSource(f"{name}-source", read, read, t("in"))
        topology.addProcessor(name, Counting, f"{name}-source").addStateStore(store, name)
        return topology.addSink(f"{name}-sink", t("out"), write, write, name)

    return program


def global_table(builder: StreamsBuilder, t: Topics) -> None:
    builder.globalTable(t("rates"), Consumed.with_(TEXT, TEXT), Materialized.as_("rates"))


CASES: dict[str, Case] = {
    "nothing": free(count(), in_place=True),
    "a filter above": free(count(lambda s: s.filter(yes))),
    "a filter less": free(count(), before=count(lambda s: s.filter(yes))),
    "an operator that is named above": free(
        count(lambda s: s.peek(lambda key, value: None, Named.as_("look")))
    ),
    "operators in another order": free(
        count(lambda s: s.mapValues(str.strip).filter(yes)),
        in_place=True,
        before=count(lambda s: s.filter(yes).mapValues(str.strip)),
    ),
    "a sink more": free(count(also=second_sink), in_place=True),
    "a sink less": free(count(), before=count(also=second_sink), in_place=True),
    "no sink at all, and one again": free(count(), before=count(last=False), in_place=True),
    "a source more": free(count(also=copied)),
    "a source less": free(count(), before=count(also=copied)),
    "a source more, before the others": free(count(first=copied), stores={"counts": RENUMBERED}),
    "a store more": free(count(also=other_count), stores={"counts": SAME, "b-counts": NEW}),
    "sub-topologies merged": free(
        tables(joined=True),
        before=tables(joined=False),
        stores={"counts": SAME, "b-counts": RENUMBERED},
    ),
    "a sub-topology split": free(
        tables(joined=False),
        before=tables(joined=True),
        stores={"counts": SAME, "b-counts": RENUMBERED},
    ),
    "the topology is optimised": free(
        rekeyed(optimised=True),
        before=rekeyed(optimised=False),
        stores={"counts": SAME, "latest": RENUMBERED},
        then=ALL,
    ),
    "the topology is not optimised any more": free(
        rekeyed(optimised=False),
        before=rekeyed(optimised=True),
        stores={"counts": SAME, "latest": RENUMBERED},
        config=ALL,
    ),
    "a store in memory": free(
        count(how=lambda: Materialized.as_(Stores.inMemoryKeyValueStore("counts"))), in_place=True
    ),
    "another byte store by configuration": free(
        count(), then={"default_dsl_store": "lmdb"}, in_place=True
    ),
    "no cache and no log": free(
        count(how=lambda: Materialized.as_("counts").withCachingDisabled().withLoggingDisabled()),
        in_place=True,
    ),
    "rows get headers": free(
        count(), then={"dsl_store_format": "headers"}, stores={"counts": CONVERTED}
    ),
    "windows are kept somewhat longer": free(
        windowed(lambda how: how.withRetention(100_000)),
        before=windowed(lambda how: how.withRetention(70_000)),
        in_place=True,
    ),
    "windows are kept far longer": free(
        windowed(lambda how: how.withRetention(86_400_000)),
        before=windowed(lambda how: how),
        stores={"counts": CONVERTED},
    ),
    "windows get headers and are kept far longer": free(
        windowed(lambda how: how.withRetention(86_400_000)),
        before=windowed(lambda how: how),
        then={"dsl_store_format": "headers"},
        stores={"counts": CONVERTED},
    ),
    "windows come when they close": Case(
        before=windowed(lambda how: how),
        after=windowed(lambda how: how, EmitStrategy.onWindowClose()),
        stores={"counts": CONVERTED},
        first=FIRST,
        more=[*lines("in", "ab", 10), *lines("in", "z", 200)],
        results={"out": {"a": "3", "b": "2"}},
    ),
    "a filter above a join": Case(
        before=joined(filtered=False),
        after=joined(filtered=True),
        stores={"pairs-this-join-store": SAME, "pairs-other-join-store": SAME},
        first=[("in", "a", "x", 1000)],
        more=[("b", "a", "y", 2000)],
        in_place=True,
        results={"out": {"a": "xy"}},
    ),
    "processors and sources with other names": free(processor("other"), before=processor("p")),
    "a processor's store in memory": free(
        processor("p", "inMemory"), before=processor("p"), in_place=True
    ),
    "values get a place for times": Case(
        before=count(how=lambda: Materialized.as_(Stores.persistentKeyValueStore("counts"))),
        after=count(),
        stores={"counts": CONVERTED},
        first=FIRST,
        more=MORE,
        results=RESULTS,
    ),
    "a repartition topic gets a name": free(
        count(lambda s: s.repartition(Repartitioned.as_("by-key"))),
        before=count(lambda s: s.repartition()),
    ),
    "a global table more": free(
        count(first=global_table), stores={"counts": RENUMBERED, "rates": NEW}
    ),
    "a global table less": free(
        count(), before=count(first=global_table), stores={"counts": RENUMBERED, "rates": DROPPED}
    ),
}
