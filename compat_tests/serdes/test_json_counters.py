"""Counters in JSON of types, and types of fields that are written but cannot be read."""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest

from millstream import (
    Consumed,
    JsonSerde,
    Materialized,
    Serdes,
    SerializationException,
    StreamsBuilder,
    TopologyTestDriver,
)

TEXT = Serdes.String()


class Color(enum.Enum):
    RED = "r"


@dataclass
class Words:
    seen: Counter[str] = field(default_factory=Counter)


@dataclass
class Inside:
    plain: Counter  # type: ignore[type-arg]
    numbers: Counter[int]
    listed: list[Counter[Color]]
    maybe: Counter[str] | None = None


@dataclass
class Ordered:
    found: OrderedDict[str, int]


@dataclass
class Defaults:
    found: defaultdict[str, int]


@dataclass
class Items:
    found: Iterable[int]


def there_and_back(wanted: Any, value: Any) -> Any:
    serde: Any = JsonSerde.of(wanted)
    return serde.deserializer().deserialize("t", serde.serializer().serialize("t", value))


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        (Counter, Counter("aab")),
        (Counter[str], Counter("aab")),
        (dict[str, Counter[int]], {"a": Counter([1, 1, 10])}),
        (Inside, Inside(Counter("ab"), Counter([3]), [Counter([Color.RED])], Counter("x"))),
        (Inside, Inside(Counter(), Counter(), [])),
    ],
)
def test_a_counter_is_read_as_one(wanted: Any, value: Any) -> None:
    found = there_and_back(wanted, value)
    assert found == value
    assert type(found) is type(value)


def test_an_aggregate_with_a_counter_goes_on_counting() -> None:
    # The first record of a key was stored, and the second could not read it.
    def add(key: str, word: str, words: Words) -> Words:
        words.seen[word] += 1
        return words

    kept: Any = Materialized.as_("words")
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    grouped.aggregate(Words, add, kept.withKeySerde(TEXT).withValueSerde(JsonSerde.of(Words)))
    with TopologyTestDriver(builder.build()) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for word in ("to", "be", "to"):
            source.pipeInput("k", word)
        assert driver.getKeyValueStore("words").get("k") == Words(Counter(to=2, be=1))


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        (Ordered, Ordered(OrderedDict(a=1))),
        (Defaults, Defaults(defaultdict(int, a=1))),
        (Items, Items([1])),
    ],
)
def test_a_field_that_cannot_be_read_says_what_to_do(wanted: Any, value: Any) -> None:
    with pytest.raises(SerializationException, match="has no JSON form") as e:
        there_and_back(wanted, value)
    assert "such as dict, list or Any" in e.value.hint
