"""Checkpoints of version 0.1.0, which noted nothing about stores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compat_tests.spark.evolution.support import TEXT, facts
from millstream import Consumed, Grouped, JsonSerde, Materialized, Serde, StreamsBuilder, Topology
from millstream.topology.spark.evolution.comparison import compare
from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.outcome import Fate
from millstream.topology.spark.evolution.words import Words


def counting() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().count(Materialized.as_("counts"))
    return builder.build()


def of_0_1_0(program: Facts) -> Facts:
    """What such a checkpoint tells of a program."""
    stores = {name: replace(store, note=None) for name, store in program.stores.items()}
    return replace(program, stores=stores, partitions={})


def test_a_program_goes_on() -> None:
    now = facts(counting())
    found = compare(of_0_1_0(now), now)
    assert [(each.name, each.fate) for each in found.outcomes if each.kind == "store"] == [
        ("counts", Fate.SAME)
    ]


def test_keys_of_json_that_are_sorted_now_are_refused_and_can_be_declared() -> None:
    now = facts(counting(), default_key_serde=JsonSerde())
    before = of_0_1_0(now)
    (refused,) = compare(before, now).refused
    assert "JSON with sorted keys" in refused.why
    assert "millstream.store.changed.ok=counts" in refused.how
    assert not compare(before, now, Words(changed_ok=frozenset({"counts"}))).refused


@pytest.mark.parametrize("key", [JsonSerde(sort_keys=False), TEXT], ids=["unsorted", "text"])
def test_other_keys_are_as_they_were(key: Serde[object]) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(key, TEXT)).groupByKey(Grouped.with_(key, TEXT))
    grouped.count(Materialized.as_("counts"))
    now = facts(builder.build())
    assert not compare(of_0_1_0(now), now).refused
