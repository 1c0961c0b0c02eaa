"""Results of a function that have one object in them, which it changes between records."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import Consumed, JsonSerde, KeyValue, Produced, Serdes, StreamsBuilder
from millstream.topology.operators.returned import PROBES, Returned

TEXT = Serdes.String()
JSON: Any = JsonSerde(default=lambda given: given.__dict__)
LAST = 3


@dataclass(frozen=True)
class Seen:
    """A class whose objects cannot be changed, but what is in them."""

    last: list[str]


class Recent:
    """Keeps the last values in one list."""

    def __init__(self) -> None:
        self.last: list[str] = []

    def add(self, value: str) -> list[str]:
        self.last.append(value)
        del self.last[:-LAST]
        return self.last


OPERATORS: dict[str, Callable[[Any, Recent], Any]] = {
    "mapValues": lambda s, own: s.mapValues(lambda value: {"last": own.add(value)}),
    "a tuple": lambda s, own: s.mapValues(lambda value: (own.add(value), 1)),
    "frozen": lambda s, own: s.mapValues(lambda value: Seen(own.add(value))),
    "deeper": lambda s, own: s.mapValues(lambda value: {"all": ({"last": own.add(value)},)}),
    "map": lambda s, own: s.map(lambda key, value: KeyValue(key, {"last": own.add(value)})),
    "flatMapValues": lambda s, own: s.flatMapValues(lambda value: [{"last": own.add(value)}]),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_each_result_shows_what_was_in_it_then(name: str) -> None:
    events = [Event("a", f"v{number}", number) for number in range(2 * PROBES)]
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT))
    OPERATORS[name](stream, Recent()).to("out", Produced.with_(TEXT, JSON))
    sent = run(builder.build().plan(), {}, events, by_chunks=True)
    found = [json.dumps(json.loads(each.value or b"")) for each in sent if each.topic == "out"]

    for number, text in enumerate(found):
        assert f'"v{number}"]' in text
    assert len(found) == len(events)


def test_a_part_that_stays_as_it_is_does_not_keep_results_apart() -> None:
    constant, returned = {"of": ["all"]}, Returned()
    for number in range(PROBES):
        assert not returned.trusts
        returned.note({"number": number, "constant": constant})
    assert returned.trusts


def test_a_tuple_of_what_cannot_change_is_trusted_at_once() -> None:
    returned = Returned()
    returned.note((1, ("two", 3.0)))
    assert returned.trusts
