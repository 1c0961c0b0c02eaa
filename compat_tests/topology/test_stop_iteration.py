"""A function's own StopIteration is an error of its record: it ends no run of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, add_in_parts, new_task, run
from millstream import (
    Grouped,
    KStream,
    LogAndContinueProcessingExceptionHandler,
    Materialized,
    Produced,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    Suppressed,
)

TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
LENIENT = {
    **CONFIG,
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
}
EVENTS = [Event("a", str(number), number * 10) for number in range(6)]

Build = Callable[[KStream[Any, Any]], object]


def checked(value: str) -> str:
    """Look for what is not there, as users do with ``next``."""
    return next(each for each in "013456" if each == value)


UNREAD = Serdes.serdeFrom(
    lambda topic, data: None if data is None else checked(data).encode(),
    lambda topic, data: None if data is None else data.decode(),
)

OPERATORS: dict[str, Build] = {
    "mapValues": lambda s: s.mapValues(checked).to("out"),
    "filter": lambda s: s.filter(lambda key, value: bool(checked(value))).to("out"),
    "filterNot": lambda s: s.filterNot(lambda key, value: not checked(value)).to("out"),
    "map": lambda s: s.map(lambda key, value: (key, checked(value))).to("out"),
    "selectKey": lambda s: s.selectKey(lambda key, value: checked(value)).to("out"),
    "flatMapValues": lambda s: s.flatMapValues(lambda value: [checked(value)]).to("out"),
    "flatMap": lambda s: s.flatMap(lambda key, value: [(key, checked(value))]).to("out"),
    "peek": lambda s: s.peek(lambda key, value: checked(value)).to("out"),
    "groupBy": lambda s: (
        s.groupBy(lambda key, value: checked(value), Grouped.with_(TEXT, TEXT))
        .count()
        .toStream()
        .to("out", Produced.with_(TEXT, Serdes.Long()))
    ),
    "table.mapValues": lambda s: s.toTable().mapValues(checked).toStream().to("out"),
    "table.filter": lambda s: (
        s.toTable().filter(lambda key, value: bool(checked(value))).toStream().to("out")
    ),
    "toStream": lambda s: s.toTable().toStream(lambda key, value: checked(value)).to("out"),
}


def sent(build: Build, config: Any, *, by_chunks: bool) -> list[tuple[Any, ...]]:
    builder = StreamsBuilder()
    build(builder.stream("in"))
    plan = builder.build().plan()
    found = run(plan, config, EVENTS, by_chunks=by_chunks)
    return [tuple(each[1:4]) for each in found if each.topic == "out" or each.topic[:4] == "app-"]


@pytest.mark.parametrize("name", OPERATORS)
def test_the_records_after_it_are_processed(name: str) -> None:
    by_record = sent(OPERATORS[name], LENIENT, by_chunks=False)
    assert [time for *_, time in by_record] == [0, 10, 30, 40, 50]
    assert sent(OPERATORS[name], LENIENT, by_chunks=True) == by_record


@pytest.mark.parametrize("by_chunks", [False, True], ids=["records", "chunks"])
@pytest.mark.parametrize("name", OPERATORS)
def test_it_stops_the_application_like_any_error(name: str, by_chunks: bool) -> None:
    with pytest.raises(StreamsException, match="StopIteration") as caught:
        sent(OPERATORS[name], CONFIG, by_chunks=by_chunks)
    text = str(caught.value)
    assert "in-0 at offset 2, event time 20 ms" in text
    assert "next() found nothing" in text
    assert "test_stop_iteration.py" in text


@pytest.mark.parametrize("by_chunks", [False, True], ids=["records", "chunks"])
def test_an_action_is_called_with_the_records_after_it(by_chunks: bool) -> None:
    seen: list[str] = []
    sent(
        lambda stream: stream.foreach(lambda key, value: seen.append(checked(value))),
        LENIENT,
        by_chunks=by_chunks,
    )
    assert seen == ["0", "1", "3", "4", "5"]


def test_a_serializer_below_a_suppression_stops_it_too() -> None:
    limit = Suppressed.untilTimeLimit(100, Suppressed.BufferConfig.maxRecords(100))

    def build(stream: KStream[Any, Any]) -> None:
        table = stream.toTable(Materialized.with_(TEXT, UNREAD).withCachingDisabled())
        table.suppress(limit).toStream().to("out")

    for by_chunks in (False, True):
        with pytest.raises(StreamsException, match="StopIteration"):
            sent(build, CONFIG, by_chunks=by_chunks)


@pytest.mark.parametrize("by_chunks", [False, True], ids=["records", "chunks"])
def test_a_mapper_of_a_versioned_table_that_is_joined_fails_for_its_own_rows_only(
    by_chunks: bool,
) -> None:
    builder = StreamsBuilder()
    versioned = Materialized.as_(Stores.persistentVersionedKeyValueStore("v", 1000))
    table = builder.table("table", versioned.withKeySerde(TEXT).withValueSerde(TEXT))
    joined = builder.stream("in").join(table.mapValues(checked), lambda value, row: value + row)
    joined.to("out")
    task, host = new_task(builder.build().plan(), LENIENT, by_chunks=by_chunks)
    rows = [("table", b"a", b"1", 0), ("table", b"b", b"2", 0)]
    add_in_parts(task, rows, {"table": 0})
    task.run()
    stream = [("in", key, b"x", 10) for key in (b"a", b"b", b"a", b"b", b"a")]
    add_in_parts(task, stream, {"in": 0})
    task.run()
    task.commit()
    task.close()

    assert [(each.key, each.value) for each in host.sent] == [(b"a", b"x1")] * 3
