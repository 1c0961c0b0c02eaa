"""A deserializer may fill one object again and again: each record has what its bytes say."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk, run
from millstream import (
    Consumed,
    Grouped,
    JsonDeserializer,
    JsonSerializer,
    Materialized,
    Produced,
    Serde,
    Serdes,
    StreamsBuilder,
    StreamsException,
    TimestampExtractor,
)
from millstream.core.chunk import RawChunk
from millstream.core.serdes.base import deserialize_column
from millstream.core.serdes.reused import REUSED

TEXT = Serdes.String()
EVENTS = [Event(key, f'["{n}"]', n) for n, key in enumerate("ababbcc", 1)]
SINGLE = [replace(event, commit=True) for event in EVENTS]
"""The same, each in a chunk of its own."""
CONFIG = {
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
    "statestore.cache.max.bytes": 0,
}
COLUMNS = ("timestamp", "key", "value")
Read = Callable[[], Any]


class ByTopicAndData:
    """Fills one list, and inherits nothing."""

    def __init__(self) -> None:
        self.same: list[Any] = []

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is None:
            return None
        self.same[:] = json.loads(data)
        return self.same


class WithHeaders(ByTopicAndData):
    """The same, and asks for headers: its records are read one by one."""

    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:  # type: ignore[override]
        return super().deserialize(topic, data)


class InTurn:
    """Fills two lists, one after the other."""

    def __init__(self) -> None:
        self.two = [ByTopicAndData(), ByTopicAndData()]

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        self.two.reverse()
        return self.two[0].deserialize(topic, data)


class OwnTime(TimestampExtractor):
    """Takes the time of a record from its value."""

    def extract(self, record: Any, partitionTime: int) -> int:
        return 10 * int(record.value()[0])


def converted() -> Any:
    same: dict[str, Any] = {}

    def fill(found: Any) -> Any:
        same["found"] = found
        return same["found"] if not isinstance(found, list) else _filled(same, found)

    return JsonDeserializer(fill)


def _filled(same: dict[str, Any], found: list[Any]) -> Any:
    kept: list[Any] = same.setdefault("kept", [])
    kept[:] = found
    return kept


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    """What one test has shown of a class is not known in the next one."""
    REUSED.clear()
    yield
    REUSED.clear()


READERS: list[Read] = [ByTopicAndData, WithHeaders, InTurn, converted]


def serde(read: Read) -> Serde[Any]:
    return Serdes.serdeFrom(JsonSerializer(), read())


def passed_on(source: Any, read: Read) -> Any:
    return source


def summed(source: Any, read: Read) -> Any:
    grouped = source.groupByKey(Grouped.with_(TEXT, serde(read)))
    kept: Any = Materialized.as_("kept")
    return grouped.reduce(
        lambda one, two: [*one, *two], kept.withKeySerde(TEXT).withValueSerde(serde(read))
    ).toStream()


def joined(source: Any, read: Read) -> Any:
    table = source.toTable(Materialized.with_(TEXT, serde(read)))
    return table.join(
        table.mapValues(lambda value: [*value, "m"]), lambda one, two: one + two
    ).toStream()


def regrouped(source: Any, read: Read) -> Any:
    """Its values travel inside of changes."""
    table = source.toTable(Materialized.with_(TEXT, serde(read)))
    grouped = table.groupBy(lambda key, value: ("all", value), Grouped.with_(TEXT, serde(read)))
    kept: Any = Materialized.with_(TEXT, serde(read))
    return grouped.aggregate(
        list, lambda _, value, kept: kept + value, lambda _, value, kept: kept, kept
    ).toStream()


def sent(operator: Any, read: Read, extractor: Any, events: Sequence[Event]) -> list[Any]:
    builder = StreamsBuilder()
    consumed = Consumed.with_(TEXT, serde(read))
    if extractor is not None:
        consumed = consumed.withTimestampExtractor(extractor)
    stream = operator(builder.stream("in", consumed), read)
    stream.to("out", Produced.with_(TEXT, Serdes.serdeFrom(JsonSerializer(), JsonDeserializer())))
    found = run(builder.build().plan(), CONFIG, events, by_chunks=True)
    return [(each.key, each.value, each.timestamp) for each in found if each.topic == "out"]


@pytest.mark.parametrize("operator", [passed_on, summed, joined])
@pytest.mark.parametrize("extractor", [None, OwnTime()], ids=["own time", "extracted"])
@pytest.mark.parametrize("read", READERS)
def test_records_of_a_run_are_what_single_ones_are(
    operator: Any, extractor: Any, read: Read
) -> None:
    one_by_one = sent(operator, read, extractor, SINGLE)
    assert len(one_by_one) >= len(EVENTS)
    assert sent(operator, read, extractor, EVENTS) == one_by_one


def test_a_value_inside_of_others_is_its_own() -> None:
    builder = StreamsBuilder()
    regrouped(builder.stream("in", Consumed.with_(TEXT, serde(ByTopicAndData))), ByTopicAndData).to(
        "out", Produced.with_(TEXT, Serdes.serdeFrom(JsonSerializer(), JsonDeserializer()))
    )
    plan = builder.build().plan()
    (repartition,) = (t for part in plan.subtopologies for t in part.sources[0].topics if t != "in")
    task, host = new_task(plan, CONFIG)
    task.add(raw_chunk(EVENTS, 0))
    task.run()
    rows = [each for each in host.sent if each.topic.endswith(repartition)]
    times, keys, values = ([getattr(row, name) for row in rows] for name in COLUMNS)
    task.add(RawChunk(repartition, 0, range(len(rows)), times, keys, values, None))
    task.run()
    last = [each.value for each in host.sent if each.topic == "out"][-1]
    task.close()
    assert sorted(json.loads(last or b"")) == [str(n) for n in range(1, len(EVENTS) + 1)]


def test_an_object_that_cannot_be_copied_is_told() -> None:
    lock = [threading.Lock()]
    reader = Serdes.serdeFrom(JsonSerializer(), lambda topic, data: lock).deserializer()
    with pytest.raises(StreamsException, match="again and again") as caught:
        deserialize_column(reader, "in", [b"1", b"2"])
    assert "new object for each record" in str(caught.value)


class Unreadable:
    """Stands for all bytes that say nothing."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


@pytest.mark.parametrize("marker", [object(), Unreadable("empty"), [], {"known": False}])
def test_an_object_that_stands_for_several_records_stays_itself(marker: Any) -> None:
    reader = Serdes.serdeFrom(JsonSerializer(), lambda topic, data: marker).deserializer()
    found = deserialize_column(reader, "in", [b"1", b"2", b"1"])
    assert all(each is marker for each in found)
    assert not REUSED


def test_what_a_cache_keeps_for_the_same_bytes_is_taken_from_it_once() -> None:
    kept: dict[bytes | None, Any] = {}
    calls: list[bytes | None] = []

    def read(topic: str, data: bytes | None) -> Any:
        calls.append(data)
        return kept.setdefault(data, [data, threading.Lock()])

    reader = Serdes.serdeFrom(JsonSerializer(), read).deserializer()
    data = [b"1", b"2", b"1", b"2"]
    found = deserialize_column(reader, "in", data)
    assert [each is kept[of] for each, of in zip(found, data, strict=True)] == [True] * 4
    assert calls == data


def test_an_attribute_of_a_users_class_says_nothing_about_it() -> None:
    class Reader(ByTopicAndData):
        function: Any = ([],)
        """Without a hash."""

    reader = serde(Reader).deserializer()
    assert deserialize_column(reader, "in", [b"[1]", b"[2]"]) == [[1], [2]]
    assert {Reader} == REUSED


def test_what_cannot_change_is_deserialized_once() -> None:
    calls: list[bytes | None] = []

    def read(topic: str, data: bytes | None) -> Any:
        calls.append(data)
        return "same"

    reader = Serdes.serdeFrom(JsonSerializer(), read).deserializer()
    assert deserialize_column(reader, "in", [b"1", b"2"]) == ["same", "same"]
    assert calls == [b"1", b"2"]
