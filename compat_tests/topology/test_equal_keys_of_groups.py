"""Rows that move between groups whose keys are equal to Python, and not as bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, NamedTuple

import attrs
import msgspec
import numpy as np
import pydantic
import pytest

from compat_tests.topology.driving import TEXT
from millstream import (
    Consumed,
    Grouped,
    JsonSerde,
    KeyValue,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    TopologyTestDriver,
)
from millstream.topology.operators.regroup import _same

NUMBER, REAL = Serdes.Long(), Serdes.Double()
UTC, EAST = timezone.utc, timezone(timedelta(hours=1))


@dataclass(frozen=True)
class Place:
    city: str
    rating: Any
    note: str = field(default="", compare=False)


@attrs.frozen
class OfAttrs:
    rating: Any


class OfMsgspec(msgspec.Struct):
    rating: Any


class OfPydantic(pydantic.BaseModel):
    rating: Any


class Named(NamedTuple):
    rating: Any


class Plain:
    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())


def counts(serde: Any, *groups: Any) -> list[Any]:
    """Return the counts that come out while one row is in one group after the other."""
    builder = StreamsBuilder()
    rows = builder.table("in", Consumed.with_(TEXT, serde))
    grouped = rows.groupBy(lambda key, group: KeyValue(group, key), Grouped.with_(serde, TEXT))
    kept: Any = Materialized.as_("counts")
    grouped.count(kept.withKeySerde(serde)).toStream().to("out", Produced.with_(serde, NUMBER))
    with TopologyTestDriver(builder.build()) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), serde.serializer())
        for group in groups:
            source.pipeInput("row", group)
        out = driver.createOutputTopic("out", serde.deserializer(), NUMBER.deserializer())
        return [(repr(each.key), each.value) for each in out.readKeyValuesToList()]


@pytest.mark.parametrize(
    ("serde", "before", "after"),
    [
        (REAL, 0.0, -0.0),
        (JsonSerde(), [1], [1.0]),
        (JsonSerde(), ["x", 1], ["x", True]),
        (JsonSerde(), {"a": 1}, {"a": 1.0}),
        (JsonSerde(), {"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (JsonSerde.of(Place), Place("x", 4), Place("x", 4.0)),
        (JsonSerde.of(Decimal), Decimal("1.0"), Decimal("1.00")),
    ],
)
def test_a_row_leaves_the_group_that_only_python_takes_for_the_new_one(
    serde: Any, before: Any, after: Any
) -> None:
    # It stayed in the count of the first group for ever.
    assert before == after
    assert counts(serde, before, after) == [
        (repr(before), 1),
        (repr(before), 0),
        (repr(after), 1),
    ]


@pytest.mark.parametrize(("serde", "group"), [(REAL, 0.5), (REAL, math.nan), (JsonSerde(), [1])])
def test_a_row_that_stays_in_its_group_is_one_update(serde: Any, group: Any) -> None:
    assert counts(serde, group, group) == [(repr(group), 1)] * 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (math.nan, float("nan")),
        ("a", str(b"a", "ascii")),
        ((1, 0.5), (1, 0.5)),
        ({"a": [1]}, {"a": [1]}),
        (Place("x", 1, "one"), Place("x", 1, "two")),
        (OfAttrs(1), OfAttrs(1)),
        (OfMsgspec(1), OfMsgspec(1)),
        (OfPydantic(rating=1), OfPydantic(rating=1)),
        (Plain("a"), Plain("A")),
        (datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
    ],
)
def test_keys_are_the_same_that_java_would_call_equal(one: Any, other: Any) -> None:
    assert _same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        ([1], [1, 1]),
        ({1: "a"}, {True: "a"}),
        (Named(1), Named(1.0)),
        (OfAttrs(1), OfAttrs(1.0)),
        (OfMsgspec(1), OfMsgspec(1.0)),
        (OfPydantic(rating=[0.0]), OfPydantic(rating=[-0.0])),
        (datetime(2024, 1, 1, 1, tzinfo=EAST), datetime(2024, 1, 1, tzinfo=UTC)),
        (np.array([1, 2]), np.array([1, 2])),
    ],
)
def test_keys_are_others_where_that_is_not_certain(one: Any, other: Any) -> None:
    assert not _same(one, other)
