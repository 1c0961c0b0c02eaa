"""Functions that return one object again and again, changed: records have it as it was then."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import KeyValue, KStream, Processor, Record, Serdes, StreamsBuilder
from millstream.topology.operators.returned import PROBES, Returned

JSON = Serdes.serdeFrom(
    lambda topic, data: None if data is None else json.dumps(data).encode(),
    lambda topic, data: None if data is None else json.loads(data),
)
CONFIG = {
    "default.key.serde": Serdes.String(),
    "default.value.serde": JSON,
    "statestore.cache.max.bytes": 0,
}
Step = Callable[[KStream[Any, Any]], KStream[Any, Any]]


def one_for_all() -> Step:
    same: dict[str, Any] = {}

    def filled(value: Any) -> Any:
        same["is"] = value
        return same

    return lambda s: s.mapValues(filled)


def one_for_each_key() -> Step:
    known: dict[str, dict[str, int]] = {}

    def counted(key: str, value: Any) -> Any:
        profile = known.setdefault(key, {"seen": 0})
        profile["seen"] += 1
        return key, profile

    return lambda s: s.map(counted)


def filled_pairs() -> Step:
    same: list[Any] = [None]

    def pair(key: str, value: Any) -> Any:
        same[0] = value
        return KeyValue.pair(key, same)

    return lambda s: s.map(pair)


def lines_of(value: Any) -> Iterator[Any]:
    line = {"of": value}
    for number in range(3):
        line["number"] = number
        yield line


def pairs_of(key: str, value: Any) -> Iterator[Any]:
    line: list[Any] = []
    for number in range(3):
        line.append((number, value))
        yield key, line


def twice_the_same(value: Any) -> Any:
    made = {"n": 0, "of": value}
    return [made, made]


def raised(value: Any) -> Any:
    value["n"] += 1
    return value


class Forwarding(Processor[Any, Any, Any, Any]):
    """Forwards one record twice, its value changed in between."""

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Record[Any, Any]) -> None:
        value = {"n": 0, "of": record.value()}
        changed = record.withValue(value)
        for number in range(2):
            value["n"] = number
            self.context.forward(changed)


STEPS: dict[str, Callable[[], Step]] = {
    "one object for all": one_for_all,
    "one object for each key": one_for_each_key,
    "one list in fresh pairs": filled_pairs,
    "a generator of values": lambda: lambda s: s.flatMapValues(lines_of),
    "a generator of pairs": lambda: lambda s: s.flatMap(pairs_of),
    "changed below": lambda: lambda s: s.flatMapValues(twice_the_same).mapValues(raised),
    "changed below a filter": lambda: (
        lambda s: s.flatMapValues(twice_the_same).filter(lambda k, v: True).mapValues(raised)
    ),
    "a processor": lambda: lambda s: s.process(Forwarding),
}


def sent(make: Callable[[], Step], events: list[Event], *, by_chunks: bool) -> list[Any]:
    builder = StreamsBuilder()
    make()(builder.stream("in")).to("out")
    return run(builder.build().plan(), CONFIG, events, by_chunks=by_chunks)


@pytest.mark.parametrize("count", [2, 5, 3 * PROBES])
@pytest.mark.parametrize("step", STEPS)
def test_each_record_has_the_object_as_it_was_when_it_was_returned(step: str, count: int) -> None:
    events = [Event("abc"[n % 3], str(n), n) for n in range(count)]
    one_by_one = sent(STEPS[step], events, by_chunks=False)
    assert sent(STEPS[step], events, by_chunks=True) == one_by_one


def test_objects_that_are_shared_late_still_go_down_one_by_one() -> None:
    def sharing_late(value: Any) -> Any:
        made = {"n": 0, "of": value}
        return [made, made] if value > PROBES else [made]

    def make() -> Step:
        return lambda s: s.flatMapValues(sharing_late).mapValues(raised)

    events = [Event("k", str(n), n) for n in range(3 * PROBES)]
    assert sent(make, events, by_chunks=True) == sent(make, events, by_chunks=False)


def test_a_function_that_shares_after_many_new_objects_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shared: dict[str, Any] = {}

    def mapper(value: int) -> Any:
        if value < 2 * PROBES:
            return {"n": value}
        shared["n"] = value
        return shared

    events = [Event("k", str(n), n, commit=n % 700 == 699) for n in range(1400)]
    with caplog.at_level(logging.WARNING, "millstream.topology"):
        found = sent(lambda: lambda s: s.mapValues(mapper), events, by_chunks=True)
    made = [json.loads(each.value) for each in found if each.topic == "out"]
    assert [each["n"] for each in made[: 2 * PROBES]] == [*range(2 * PROBES)]
    assert [each["n"] for each in made[700:]] == [*range(700, 1400)]
    assert caplog.text.count("=KSTREAM-MAPVALUES-0000000001 a function returned one object") == 1


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize("plain", ["text", 1, b"x", Colour.RED, (1, 2)])
def test_what_cannot_change_may_be_shared(plain: Any) -> None:
    returned = Returned()
    returned.note(plain)
    chunk: Any = [1, 2, 3]
    taken: list[Any] = []
    assert returned.first_ones(chunk, taken.append) is chunk
    context: Any = None
    assert returned.are_many([plain, plain, None, None], context)
