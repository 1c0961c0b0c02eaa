"""A foreign-key join by columns cannot be told from one record by record."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.properties.effort import examples
from compat_tests.properties.test_foreign_key_repeats import CACHE, Row, scenario, timed
from compat_tests.properties.world import run
from millstream import Serdes
from millstream.core.errors import MillstreamError
from millstream.core.headers import Headers
from millstream.topology.operators.internal_serde import InnerSerde
from millstream.topology.operators.subscriptions import (
    Instruction,
    JoinResponse,
    ResponseSerde,
    Subscription,
    SubscriptionSerde,
)

Json = dict[str, Any]
CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"

lefts = st.tuples(
    st.just("l"),
    st.sampled_from([f"k{number}" for number in range(9)]),
    st.sampled_from(["a", "a,1", "b", "b,1", "c", "boom", None]),
)
rights = st.tuples(st.just("r"), st.sampled_from("abc"), st.sampled_from(["x", "y", "z", None]))
# Runs of records of one side, as the sources of a real application have them.
sides = st.lists(lefts, max_size=12) | st.lists(rights, max_size=6)
batched = st.lists(st.lists(sides, max_size=4).map(lambda runs: sum(runs, [])), max_size=4)


@st.composite
def programs(draw: Any) -> Json:
    program = scenario(
        how=draw(st.sampled_from(["inner", "left"])),
        right=draw(st.sampled_from(["plain", "plain", "filtered", "versioned"])),
        right_first=draw(st.booleans()),
        cache=draw(st.sampled_from([CACHE, 300, 700, 0])),
    )
    program["config"]["processing.exception.handler"] = CONTINUE
    for step in program["topology"]:
        if step.get("id") == "j":
            step["fk"] = draw(st.sampled_from([["field", 0], ["throwIf", "boom"]]))
    return program


@given(programs(), batched)
@examples(200)
def test_columns_do_what_single_records_do(program: Json, batches: list[list[Row]]) -> None:
    sent = list(timed(batches))

    assert run(program, sent, by_chunks=True) == run(program, sent, by_chunks=False)


def test_a_row_that_moves_beside_one_that_comes_and_goes_keeps_its_time() -> None:
    program = scenario(how="inner", right="plain", right_first=False, cache=0)
    moved: list[Row] = [("l", "k1", None), ("l", "k2", "b,1"), ("l", "k2", "a,1")]
    sent = list(timed([moved, moved]))

    assert run(program, sent, by_chunks=True) == run(program, sent, by_chunks=False)


HASH = bytes(range(16))
SUBSCRIPTIONS = [
    Subscription(HASH, Instruction.ANSWER_IF_FOUND, "key", 3),
    None,
    Subscription(None, Instruction.DELETE_SILENTLY, "", 0),
    Subscription(HASH, Instruction.ANSWER_ALWAYS, "é", -1),
]
RESPONSES = [
    JoinResponse(HASH, "row"),
    None,
    JoinResponse(None, None),
    JoinResponse(HASH, None),
    JoinResponse(None, "row"),
]
ROWS = ResponseSerde(value=Serdes.String())


@pytest.mark.parametrize(
    ("serde", "values"),
    [
        (SubscriptionSerde(topic="t", key=None).within("app", Serdes.String()), SUBSCRIPTIONS),
        (dataclasses.replace(ROWS, inners=InnerSerde.all_of(Serdes.String())), RESPONSES),
    ],
)
def test_columns_have_the_bytes_of_single_values(serde: Any, values: list[Any]) -> None:
    single = [serde.serialize("topic", Headers(), value) for value in values]

    assert serde.serialize_column("topic", values) == single
    assert serde.deserialize_column("topic", single) == values
    assert [serde.deserialize("topic", Headers(), data) for data in single] == values


@pytest.mark.parametrize("data", [b"", b"\1", b"\1\x09", b"\1\1short", b"\x81\1\0"])
def test_broken_bytes_in_a_column_are_refused(data: bytes) -> None:
    subscriptions = SubscriptionSerde(topic="t", key=None).within("app", Serdes.String())
    good = subscriptions.serialize("topic", Headers(), SUBSCRIPTIONS[0])
    with pytest.raises(MillstreamError):
        subscriptions.deserialize_column("topic", [good, data])


@pytest.mark.parametrize("data", [b"", b"\0short", b"\x7f" + HASH])
def test_broken_responses_in_a_column_are_refused(data: bytes) -> None:
    responses = dataclasses.replace(ROWS, inners=InnerSerde.all_of(Serdes.String()))
    with pytest.raises(MillstreamError):
        responses.deserialize_column("topic", [data])
