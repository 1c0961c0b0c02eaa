"""Stores of programs that read more topics than before, with more partitions."""

from __future__ import annotations

from compat_tests.spark.evolution.support import LONG, TEXT, facts, fates
from millstream import Consumed, Grouped, Materialized, StreamsBuilder, Topology
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.outcome import Fate

SIZES = {"in": 1, "more": 3}


def counts(*topics: str, rekeyed: bool = False) -> Topology:
    """Return a program that counts the records of topics by key."""
    builder = StreamsBuilder()
    stream = builder.stream(list(topics), Consumed.with_(TEXT, TEXT))
    if rekeyed:
        stream = stream.selectKey(lambda key, value: value)
    stored = Materialized.as_("counts").withKeySerde(TEXT).withValueSerde(LONG)
    stream.groupByKey(Grouped.with_(TEXT, TEXT)).count(stored)
    return builder.build()


def test_a_store_goes_on_where_a_larger_topic_comes_to_it() -> None:
    found = compare(facts(counts("in"), SIZES), facts(counts("in", "more"), SIZES))
    assert fates(found) == {"counts": Fate.SAME}
    assert found.stores == {"counts": "counts"}
    assert not found.same


def test_it_does_not_where_its_own_topic_has_become_larger_or_is_another_one() -> None:
    before = facts(counts("in"), SIZES)
    for after in (
        facts(counts("in", "more"), {"in": 2, "more": 3}),
        facts(counts("more"), SIZES),
    ):
        (refused,) = compare(before, after).refused
        assert refused.fate is Fate.NEEDS_WORD


def test_what_to_do_is_something_that_can_be_done() -> None:
    before = facts(counts("in", rekeyed=True), SIZES)
    (refused,) = compare(before, facts(counts("in", "more", rekeyed=True), SIZES)).refused
    assert "give the topics of the former program 3 partitions" in refused.how
    assert "withNumberOfPartitions(1) keeps the number" in refused.how

    larger = {"in": 3, "more": 3}
    (refused,) = compare(before, facts(counts("in", "more", rekeyed=True), larger)).refused
    assert refused.how == "run `millstream state rescale` with the application stopped"
