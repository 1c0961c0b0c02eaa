"""Stores with names of their own go on under them, or are refused with what differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compat_tests.spark.evolution.support import DOUBLE, LONG, TEXT, facts, fates
from millstream import (
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    Produced,
    Repartitioned,
    Serdes,
    Stores,
    StreamJoined,
    StreamsBuilder,
    TimeWindows,
    Topology,
)
from millstream.core.errors import ConfigException
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.outcome import Fate
from millstream.topology.spark.evolution.words import Words


def counted(
    *stores: str, filtered: bool = False, value: Any = LONG, key: Any = TEXT, source: str = "in"
) -> Topology:
    builder = StreamsBuilder()
    lines: Any = builder.stream(source, Consumed.with_(TEXT, TEXT))
    if filtered:
        lines = lines.filter(lambda key, value: True)
    for store in stores:
        how: Any = Materialized.as_(store).withKeySerde(key).withValueSerde(value)
        lines.groupByKey(Grouped.with_(TEXT, TEXT)).count(how)
    return builder.build()


def windowed(size_ms: int, retention_ms: int) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    how: Any = Materialized.as_("w")
    grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(size_ms)).count(
        how.withRetention(retention_ms)
    )
    return builder.build()


def test_the_same_program_goes_on_in_place() -> None:
    found = compare(facts(counted("a")), facts(counted("a")))
    assert found.same
    assert {each.fate for each in found.outcomes} == {Fate.SAME}
    assert found.stores == {"a": "a"}


def test_a_filter_changes_nothing_for_a_named_store() -> None:
    found = compare(facts(counted("a")), facts(counted("a", filtered=True)))
    assert fates(found) == {"a": Fate.SAME}
    assert not found.refused
    assert found.nodes["KSTREAM-AGGREGATE-0000000002"] == "KSTREAM-AGGREGATE-0000000001"
    # What is kept for the aggregation has another name now.
    assert not found.same


def test_a_store_is_added_and_another_needs_a_word_to_be_dropped() -> None:
    before, after = facts(counted("a", "b")), facts(counted("a", "c"))
    found = compare(before, after)
    assert fates(found) == {"a": Fate.SAME, "c": Fate.NEW, "b": Fate.NEEDS_WORD}
    (refused,) = found.refused
    assert "millstream.state.drop=b lets them go" in refused.how
    assert "millstream.state.rename=b:c keeps them" in refused.how
    dropped = compare(before, after, Words(drop=frozenset({"b"})))
    assert fates(dropped)["b"] is Fate.DROPPED
    assert not dropped.refused
    assert dropped.words == ("drop=b",)
    renamed = compare(before, after, Words(rename={"b": "c"}))
    assert fates(renamed) == {"a": Fate.SAME, "c": Fate.RENUMBERED}
    assert renamed.stores == {"a": "a", "c": "b"}


def two(orders: str, users: str, *, users_first: bool = False) -> Topology:
    """Two counts of two topics."""
    builder = StreamsBuilder()
    topics = {"orders": orders, "users": users}
    for topic in reversed(topics) if users_first else topics:
        stream: Any = builder.stream(topic, Consumed.with_(TEXT, TEXT))
        stream.groupByKey().count(Materialized.as_(topics[topic]))
    return builder.build()


@pytest.mark.parametrize("users_first", [False, True])
def test_of_two_stores_that_are_renamed_each_is_proposed_its_own(users_first: bool) -> None:
    after = two("orders-total", "users-total", users_first=users_first)
    found = compare(facts(two("orders-count", "users-count")), facts(after))
    told = {each.former: each.how for each in found.refused}
    assert "millstream.state.rename=orders-count:orders-total keeps" in told["orders-count"]
    assert "millstream.state.rename=users-count:users-total keeps" in told["users-count"]


def joins(second: str) -> Topology:
    """Two joins of one stream with others; the stores of the second one have this name."""
    builder = StreamsBuilder()
    left: Any = builder.stream("in", Consumed.with_(TEXT, TEXT))
    for name, topic in (("x", "b"), (second, "c")):
        windows = JoinWindows.ofTimeDifferenceWithNoGrace(1000)
        stored = StreamJoined.with_(TEXT, TEXT, TEXT).withStoreName(name)
        other = builder.stream(topic, Consumed.with_(TEXT, TEXT))
        left.join(other, lambda one, two: one + two, windows, stored)
    return builder.build()


def test_a_renamed_join_does_not_lose_the_side_that_another_join_has_too() -> None:
    found = compare(facts(joins("y")), facts(joins("z")))
    told = {each.former: each.how for each in found.refused}
    assert told.keys() == {"y-this-join-store", "y-other-join-store"}
    for side in ("this", "other"):
        rename = f"millstream.state.rename=y-{side}-join-store:z-{side}-join-store keeps"
        assert rename in told[f"y-{side}-join-store"]


def test_stores_that_fit_alike_are_all_named() -> None:
    builder = StreamsBuilder()
    stream: Any = builder.stream("in", Consumed.with_(TEXT, TEXT))
    for store in ("b", "c"):
        stream.groupByKey().count(Materialized.as_(store))
    (refused,) = compare(facts(counted("a")), facts(builder.build())).refused
    assert 'millstream.state.rename=a:NEW keeps them, NEW being "b" or "c"' in refused.how


def test_a_store_without_entries_is_dropped_without_a_word() -> None:
    found = compare(facts(counted("a", "b")), facts(counted("a")), empty={"b"})
    assert fates(found)["b"] is Fate.DROPPED
    assert not found.refused


def test_a_word_has_its_effect_once() -> None:
    words = Words(drop=frozenset({"b"}))
    changed = facts(counted("a", "b"))
    done = type(changed)(
        **{name: getattr(changed, name) for name in changed.__slots__ if name != "words"},
        words=frozenset({"drop=b"}),
    )
    later = compare(done, facts(counted("a")), words)
    assert fates(later)["b"] is Fate.NEEDS_WORD


def test_words_are_checked_only_where_something_changes() -> None:
    words = Words(drop=frozenset({"x"}))
    assert compare(facts(counted("a")), facts(counted("a")), words).same
    with pytest.raises(ConfigException, match="the former program has no store x"):
        compare(facts(counted("a")), facts(counted("a", "b")), words)


def test_another_key_serde_is_refused() -> None:
    found = compare(facts(counted("a")), facts(counted("a", key=Serdes.ByteArray())))
    (refused,) = found.refused
    assert refused.fate is Fate.REFUSED
    assert refused.why == "its key serde was String and is ByteArray"
    assert "millstream.state.drop=a lets it begin empty" in refused.how
    empty = compare(
        facts(counted("a")),
        facts(counted("a", key=Serdes.ByteArray())),
        Words(drop=frozenset({"a"})),
    )
    assert empty.stores == {}
    assert not empty.refused


def test_another_value_serde_needs_a_converter_or_that_it_reads_the_bytes() -> None:
    before, after = facts(counted("a")), facts(counted("a", value=DOUBLE))
    found = compare(before, after)
    assert fates(found) == {"a": Fate.NEEDS_WORD}
    assert "millstream.state.convert=a:module.function" in found.refused[0].how
    converted = compare(before, after, Words(convert={"a": "base64.b64decode"}))
    assert fates(converted) == {"a": Fate.CONVERTED}
    assert converted.conversions == {"a": ("word",)}
    assert converted.words == ("convert=a:base64.b64decode",)
    declared = compare(before, after, Words(changed_ok=frozenset({"a"})))
    assert fates(declared) == {"a": Fate.SAME}
    assert declared.same


def test_another_window_size_is_refused_and_a_longer_retention_converted() -> None:
    before = facts(windowed(1000, 60_000))
    (refused,) = compare(before, facts(windowed(2000, 60_000))).refused
    assert refused.fate is Fate.REFUSED
    assert refused.why == "its window was 1000 ms and is 2000 ms"
    assert compare(before, facts(windowed(1000, 90_000))).same
    longer = compare(before, facts(windowed(1000, 86_400_000)))
    assert fates(longer) == {"w": Fate.CONVERTED}
    assert longer.conversions == {"w": ("segments",)}


def test_a_word_has_its_effect_though_the_program_is_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Such as one that has another function to aggregate with.
    before, after = facts(counted("a", "b")), facts(counted("a", "b"))
    words = Words(drop=frozenset({"a"}))
    dropped = compare(replace(before, every_word=True), after, words)
    assert fates(dropped) == {"a": Fate.NEW, "former a": Fate.DROPPED, "b": Fate.SAME}
    assert not dropped.same
    owner = {name for name, node in after.nodes.items() if node.stores == ("a",)}
    assert not owner & dropped.nodes.keys()

    converted = compare(
        replace(before, every_word=True), after, Words(convert={"a": "base64.b64decode"})
    )
    assert fates(converted) == {"a": Fate.CONVERTED, "b": Fate.SAME}

    with pytest.raises(ConfigException, match="the former program has no store x"):
        compare(replace(before, every_word=True), after, Words(drop=frozenset({"x"})))

    done = compare(replace(before, every_word=True, words=frozenset({"drop=a"})), after, words)
    assert done.same
    assert caplog.messages == []
    # Of earlier versions it is not known whether a word has been there since the first start.
    assert compare(before, after, words).same
    assert "words for stores have no effect" in caplog.text


def test_one_of_several_stores_without_names_is_dropped_from_the_same_program() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    grouped.count()
    grouped.count()
    before = after = facts(builder.build())
    first, second = sorted(before.stores)
    found = compare(replace(before, every_word=True), after, Words(drop=frozenset({first})))
    assert fates(found) == {first: Fate.NEW, f"former {first}": Fate.DROPPED, second: Fate.SAME}


def test_a_table_that_was_global_begins_empty_for_that_reason() -> None:
    def program(*, everywhere: bool) -> Topology:
        builder = StreamsBuilder()
        read: Any = Consumed.with_(TEXT, TEXT)
        (builder.globalTable if everywhere else builder.table)("in", read, Materialized.as_("a"))
        return builder.build()

    found = compare(facts(program(everywhere=True)), facts(program(everywhere=False)))
    (new,) = [each for each in found.outcomes if each.fate is Fate.NEW and each.kind == "store"]
    assert new.how == "the former store of this name was in all tasks"


def test_a_longer_history_is_refused_with_the_segment_interval_that_it_goes_on_with() -> None:
    def program(*sizes: int) -> Topology:
        builder = StreamsBuilder()
        supplier = Stores.persistentVersionedKeyValueStore("rows", *sizes)
        builder.table("in", Consumed.with_(TEXT, TEXT), Materialized.as_(supplier))
        return builder.build()

    before = facts(program(60_000))
    (refused,) = compare(before, facts(program(600_000))).refused
    assert refused.why == "its segment interval was 20000 and is 60000"
    assert "give the store segmentInterval=20000 ms" in refused.how
    assert compare(before, facts(program(600_000, 20_000))).same


def test_another_kind_of_store_is_refused() -> None:
    before = facts(counted("w"))
    (refused,) = compare(before, facts(windowed(1000, 60_000))).refused
    assert refused.fate is Fate.REFUSED
    assert refused.why == "its type was key-value and is window"


def test_a_format_with_headers_converts_rows_and_the_way_back_is_refused() -> None:
    plain, headers = facts(counted("a")), facts(counted("a"), dsl_store_format="headers")
    there = compare(plain, headers)
    assert fates(there) == {"a": Fate.CONVERTED}
    assert there.conversions == {"a": ("headers",)}
    (refused,) = compare(headers, plain).refused
    assert refused.fate is Fate.REFUSED
    assert refused.why == "its values were headers and are timestamped"


def test_another_byte_store_cache_and_log_change_nothing() -> None:
    def program(how: Any) -> Topology:
        builder = StreamsBuilder()
        builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey().count(how)
        return builder.build()

    before = facts(program(Materialized.as_("a")))
    for how in (
        Materialized.as_(Stores.inMemoryKeyValueStore("a")),
        Materialized.as_("a").withCachingDisabled().withLoggingDisabled(),
    ):
        assert compare(before, facts(program(how))).same
    assert compare(before, facts(program(Materialized.as_("a")), default_dsl_store="lmdb")).same


def test_more_partitions_need_a_rescale_where_there_is_state() -> None:
    before, after = facts(counted("a"), 2), facts(counted("a"), 3)
    (refused,) = compare(before, after).refused
    assert refused.fate is Fate.NEEDS_WORD
    assert refused.how == "run `millstream state rescale` with the application stopped"
    (early,) = compare(facts(counted("a"), 2, counted=False), after).refused
    assert early == refused
    stateless = compare(facts(counted(), 2), facts(counted(), 3))
    assert not stateless.refused
    assert not stateless.same


def test_a_global_store_is_filled_from_its_topic_where_it_cannot_go_on() -> None:
    def program(value: Any, *, kept: bool = True) -> Topology:
        builder = StreamsBuilder()
        builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out", Produced.with_(TEXT, TEXT))
        if kept:
            builder.globalTable("rates", Consumed.with_(TEXT, value), Materialized.as_("rates"))
        return builder.build()

    found = compare(facts(program(LONG)), facts(program(DOUBLE)))
    assert fates(found) == {"rates": Fate.NEW}
    assert found.stores == {}
    gone = compare(facts(program(LONG)), facts(program(LONG, kept=False)))
    assert fates(gone) == {"rates": Fate.DROPPED}
    assert not gone.refused


def test_a_global_store_of_another_topic_has_nothing_of_the_former_one() -> None:
    def program(topic: str) -> Topology:
        builder = StreamsBuilder()
        builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out", Produced.with_(TEXT, TEXT))
        builder.globalTable(topic, Consumed.with_(TEXT, LONG), Materialized.as_("rates"))
        return builder.build()

    found = compare(facts(program("rates")), facts(program("rates-2")))
    (store,) = (each for each in found.outcomes if each.kind == "store")
    assert store.fate is Fate.NEW
    assert 'its topic was "rates" and is "rates-2"' in store.how
    assert found.stores == {}
    assert not found.refused


def test_a_global_store_and_one_of_tasks_are_not_the_same() -> None:
    def program(*, shared: bool) -> Topology:
        builder = StreamsBuilder()
        how: Any = Materialized.as_("rates")
        builder.stream("in", Consumed.with_(TEXT, TEXT)).to("out")
        make = builder.globalTable if shared else builder.table
        make("rates", Consumed.with_(TEXT, LONG), how)
        return builder.build()

    shared, own = facts(program(shared=True)), facts(program(shared=False))
    assert fates(compare(shared, own)) == {"rates": Fate.NEW, "former rates": Fate.DROPPED}
    found = compare(own, shared)
    assert fates(found) == {"rates": Fate.NEW, "former rates": Fate.NEEDS_WORD}
    assert found.stores == {}


def test_words_for_readable_bytes_name_stores_of_the_program() -> None:
    words = Words(changed_ok=frozenset({"x"}))
    with pytest.raises(ConfigException, match="millstream.store.changed.ok: the new program has"):
        compare(facts(counted("a")), facts(counted("a")), words)


def test_topics_come_and_go() -> None:
    def program(*topics: str) -> Topology:
        builder = StreamsBuilder()
        for topic in topics:
            builder.stream(topic, Consumed.with_(TEXT, TEXT)).to(f"{topic}-out")
        return builder.build()

    found = compare(facts(program("a", "b")), facts(program("b", "c")))
    assert fates(found, "source") == {"b": Fate.SAME, "c": Fate.NEW, "a": Fate.DROPPED}
    parts = [(e.name, e.former, e.fate) for e in found.outcomes if e.kind == "sub-topology"]
    assert parts == [("0", "1", Fate.RENUMBERED), ("1", None, Fate.NEW), ("0", "0", Fate.DROPPED)]
    assert not found.refused


def test_unread_topics_are_internal_ones_only_whatever_their_names_begin_with() -> None:
    def program(*, changed: bool) -> Topology:
        builder = StreamsBuilder()
        builder.globalTable("app-rates", Consumed.with_(TEXT, TEXT), Materialized.as_("rates"))
        stream: Any = builder.stream("in", Consumed.with_(TEXT, TEXT))
        if not changed:
            builder.stream("app-gone", Consumed.with_(TEXT, TEXT)).to("out")
            stream = stream.repartition(Repartitioned.with_(TEXT, TEXT).withName("by"))
        stream.to("out")
        return builder.build()

    unread = {"app-by-repartition": 1, "app-gone": 2, "app-rates": 3}
    before, after = facts(program(changed=False)), facts(program(changed=True))
    assert [each.name for each in compare(before, after, unread=unread).refused] == [
        "app-by-repartition"
    ]
