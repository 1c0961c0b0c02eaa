"""Deduplications of a changed program: its ids have to be those that the store has."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.spark.evolution.support import LONG, TEXT, facts
from millstream import Consumed, Deduplicated, Produced, StreamsBuilder, Topology
from millstream.topology.spark.evolution.comparison import compare


def once(form: str, id_serde: Any = TEXT) -> Topology:
    """A stream without duplicates; ``form`` is the method."""
    builder = StreamsBuilder()
    stream: Any = builder.stream("in", Consumed.with_(TEXT, TEXT))
    how = Deduplicated.keySerde(TEXT).withValueSerde(TEXT).withStoreName("seen")
    if form == "deduplicateByKey":
        found = stream.deduplicateByKey(1000, how)
    else:
        found = stream.deduplicateByKeyValue(lambda _, v: v, 1000, how.withIdSerde(id_serde))
    found.to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


@pytest.mark.parametrize("form", ["deduplicateByKey", "deduplicateByKeyValue"])
def test_the_same_deduplication_goes_on(form: str) -> None:
    found = compare(facts(once(form)), facts(once(form)))
    assert found.same
    assert not found.refused


def test_ids_of_another_form_are_refused() -> None:
    before, after = facts(once("deduplicateByKey")), facts(once("deduplicateByKeyValue"))
    (refused,) = compare(before, after).refused
    assert refused.why == "its id was the key and is the key and what a function returns"


def test_another_serde_of_ids_is_refused() -> None:
    before = facts(once("deduplicateByKeyValue"))
    (refused,) = compare(before, facts(once("deduplicateByKeyValue", LONG))).refused
    assert refused.why == "its id serde was String and is Long"


def test_the_default_serde_of_ids_is_that_of_keys() -> None:
    def program() -> Topology:
        builder = StreamsBuilder()
        builder.stream("in").deduplicateByKey(1000, Deduplicated.as_("once")).to("out")
        return builder.build()

    before, after = facts(program()), facts(program(), default_value_serde=LONG)
    assert not compare(before, after).refused
    (refused,) = compare(before, facts(program(), default_key_serde=LONG)).refused
    assert refused.why == "its id serde was String and is Long"
