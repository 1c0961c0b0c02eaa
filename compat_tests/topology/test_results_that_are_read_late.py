"""What a function returns counts as it is when it is returned, also for records taken together."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk, run
from millstream import Consumed, JsonSerde, KStream, KTable, Produced, Serdes, StreamsBuilder
from millstream.core.chunk import RawChunk
from millstream.testing import TopologyTestDriver
from millstream.topology.operators.returned import PROBES, Returned

TEXT, JSON = Serdes.String(), JsonSerde()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
EVENTS = [Event("k", str(number), number) for number in range(60)]
Values = Callable[[str], Any]


def last_three() -> Values:
    kept: deque[str] = deque(maxlen=3)

    def values(value: str) -> Any:
        kept.append(value)
        return kept

    return values


def view_of_a_dict() -> Values:
    kept: dict[int, str] = {}

    def values(value: str) -> Any:
        kept[int(value) % 3] = value
        return kept.values()

    return values


def set_filled_again() -> Values:
    kept: set[str] = set()

    def values(value: str) -> Any:
        kept.clear()
        kept.add(value)
        return kept

    return values


def expression() -> Values:
    count = 0

    def values(value: str) -> Any:
        nonlocal count
        count += 1
        return (f"{count} {part}" for part in (value, "x"))

    return values


def some_that_fail() -> Values:
    count = 0

    def values(value: str) -> Iterator[str]:
        nonlocal count
        count += 1
        yield f"{count}"
        if count % 5 == 0:
            raise ValueError(value)
        yield f"-{count}"

    return values


def lists_at_first() -> Values:
    some = expression()
    return lambda value: some(value) if int(value) > 40 else list(some(value))


MANY = [last_three, view_of_a_dict, set_filled_again, expression, some_that_fail]


def results(make: Callable[[KStream[Any, Any]], KStream[Any, Any]], *, by_chunks: bool) -> Any:
    builder = StreamsBuilder()
    make(builder.stream("in")).to("out", Produced.with_(JSON, JSON))
    config = {
        **CONFIG,
        "processing.exception.handler": "millstream.LogAndContinueProcessingExceptionHandler",
    }
    sent = run(builder.build().plan(), config, EVENTS, by_chunks=by_chunks)
    return [(each.key, each.value) for each in sent if each.topic == "out"]


@pytest.mark.parametrize("many", MANY)
def test_many_values_are_those_that_were_there_then(many: Callable[[], Values]) -> None:
    single, chunked = (
        results(lambda stream: stream.flatMapValues(many()), by_chunks=each)
        for each in (False, True)
    )
    assert chunked == single
    assert len(single) > len(EVENTS) - 1


@pytest.mark.parametrize("many", MANY)
def test_many_pairs_are_those_that_were_there_then(many: Callable[[], Values]) -> None:
    def pairs(stream: KStream[Any, Any]) -> KStream[Any, Any]:
        values = many()
        return stream.flatMap(lambda key, value: ((key, each) for each in values(value)))

    assert results(pairs, by_chunks=True) == results(pairs, by_chunks=False)


def test_a_function_that_begins_with_lists_is_found_out() -> None:
    def values(stream: KStream[Any, Any]) -> KStream[Any, Any]:
        return stream.flatMapValues(lists_at_first())

    builder = StreamsBuilder()
    values(builder.stream("in")).to("out")
    task, host = new_task(builder.build().plan(), CONFIG)
    for first in (0, 45):
        task.add(raw_chunk(EVENTS[first : 45 if first == 0 else 60], first))
        task.run()
    task.close()

    last = [each.value for each in host.sent][-2:]
    assert last == [b"60 59", b"60 x"]


def one_key() -> Callable[[Any], Any]:
    key: dict[str, Any] = {}

    def filled(value: Any) -> Any:
        key["id"] = value
        return key

    return filled


def mapped(stream: KStream[Any, Any]) -> KStream[Any, Any]:
    key = one_key()
    return stream.map(lambda _, value: (key(value), value))


def fanned_out(stream: KStream[Any, Any]) -> KStream[Any, Any]:
    key = one_key()
    return stream.flatMap(lambda _, value: [(key(value), value)])


@pytest.mark.parametrize("make", [mapped, fanned_out])
def test_a_key_that_is_filled_again_is_what_it_was_for_its_record(make: Any) -> None:
    found = results(make, by_chunks=True)
    assert [json.loads(key)["id"] for key, _ in found] == [each.value for each in EVENTS]


def global_join(builder: StreamsBuilder) -> KStream[Any, Any]:
    key = one_key()
    table = builder.globalTable("rows", Consumed.with_(JSON, JSON))
    return builder.stream("in", Consumed.with_(TEXT, JSON)).leftJoin(
        table, lambda _, value: key(value), lambda value, row: f"{value} {row}"
    )


def foreign_key_join(builder: StreamsBuilder) -> KStream[Any, Any]:
    left: KTable[Any, Any] = builder.table("in", Consumed.with_(TEXT, JSON))
    right: KTable[Any, Any] = builder.table("rows", Consumed.with_(JSON, JSON))
    return left.leftJoin(right, one_key(), lambda value, row: f"{value} {row}").toStream()


@pytest.mark.parametrize("make", [global_join, foreign_key_join])
def test_a_row_is_found_by_the_key_that_its_record_had(make: Any) -> None:
    builder = StreamsBuilder()
    make(builder).to("out")
    config = {**CONFIG, "default.value.serde": JSON, "statestore.cache.max.bytes": 0}
    with TopologyTestDriver(builder.build(), config, 0) as driver:
        for number in range(5):
            driver.pipe("rows", b'{"id":%d}' % number, b'"row %d"' % number, 0)
        keys: list[bytes | None] = [b"%d" % number for number in range(30)]
        values: list[bytes | None] = [b"%d" % (number % 5) for number in range(30)]
        driver._task.add(RawChunk("in", 0, range(30), [1] * 30, keys, values, None))
        driver._task.run()
        driver._commit(driver._task)
        driver._complete()
        found = {each.key: each.value for each in driver.produced("out")}

    assert found == {
        b"%d" % number: b'"%d row %d"' % (number % 5, number % 5) for number in range(30)
    }


def test_records_without_keys_are_not_looked_at_for_ever() -> None:
    returned = Returned(in_lists=True, keys=Returned())
    for _ in range(PROBES):
        returned.noted_pair((None, "value"))
    chunk: Any = [1, 2, 3]
    taken: list[Any] = []

    assert returned.first_ones(chunk, taken.append) is chunk
