"""Rows that a serde cannot read any more, as after a change of the program, and rows it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import new_task, shown
from millstream import (
    Consumed,
    Grouped,
    KeyValue,
    KTable,
    Materialized,
    Produced,
    Serde,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    StreamsException,
    TimeWindows,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.core.working_copy import WorkingCopy

TEXT = Serdes.String()
COUNT = 20


def new_form(_topic: str, data: bytes | None) -> str | None:
    """Read what does not begin with ``old``."""
    if data is not None and data.startswith(b"old"):
        raise ValueError("the old form")
    return None if data is None else data.decode()


def without_odd(_topic: str, value: str | None) -> bytes | None:
    """Refuse one value."""
    if value == "odd":
        raise ValueError("odd")
    return None if value is None else value.encode()


NEW: Serde[Any] = Serdes.serdeFrom(TEXT.serializer(), new_form)
PICKY: Serde[Any] = Serdes.serdeFrom(without_odd, TEXT.deserializer())


def last(_old: str, new: str) -> str:
    return new


def later(_key: str, value: str, _total: str) -> str:
    return value


def windowed(made: KTable[Any, str]) -> Any:
    """The updates, with keys that can be written."""
    return made.toStream().map(lambda key, value: KeyValue(key.key(), value))


Shape = Callable[[Any, Materialized[str, str, Any]], Any]
READ = Consumed.with_(TEXT, TEXT)
SHAPES: dict[str, Shape] = {
    "toTable": lambda read, kept: read.toTable(kept).toStream(),
    "reduce": lambda read, kept: read.reduce(last, kept).toStream(),
    "cogroup": lambda read, kept: read.cogroup(later).aggregate(lambda: "", kept).toStream(),
    "windows": lambda read, kept: windowed(
        read.windowedBy(TimeWindows.ofSizeWithNoGrace(1000)).reduce(last, kept)
    ),
    "hopping": lambda read, kept: windowed(
        read.windowedBy(TimeWindows.ofSizeWithNoGrace(1000).advanceBy(500)).reduce(last, kept)
    ),
    "sessions": lambda read, kept: windowed(
        read.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(1000)).reduce(last, kept)
    ),
}


def program(shape: str, serde: Serde[Any]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", READ)
    read = stream if shape == "toTable" else stream.groupByKey(Grouped.with_(TEXT, TEXT))
    kept: Materialized[str, str, Any] = Materialized.as_("kept")
    made = SHAPES[shape](read, kept.withKeySerde(TEXT).withValueSerde(serde))
    made.to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def run(
    topology: Topology,
    values: list[bytes],
    kept: dict[str, WorkingCopy] | None = None,
    *,
    by_chunks: bool = True,
    going_on: bool = True,
) -> tuple[Any, ...]:
    """Return what is sent, dropped, and left."""
    configs: dict[str, Any] = {
        "statestore.cache.max.bytes": 0,
        "errors.dead.letter.queue.topic.name": "dead",
    }
    if going_on:
        configs["processing.exception.handler"] = LogAndContinueProcessingExceptionHandler
    task, host = new_task(topology.plan(), configs, by_chunks=by_chunks, kept=kept)
    keys: list[bytes | None] = [b"k%d" % (n % 3) for n in range(len(values))]
    places = range(len(values))
    task.add(RawChunk("in", 0, places, places, keys, [*values], None))
    task.run()
    task.commit()
    dropped = [
        each.metricValue()
        for name, each in task.metrics.asMap().items()
        if name.name() == "dropped-records-total"
    ]
    task.close()
    return [shown(each) for each in host.sent], dropped, host._copies


@pytest.mark.parametrize("shape", SHAPES)
def test_a_row_that_cannot_be_read_is_a_failure_of_each_record_that_needs_it(shape: str) -> None:
    def again(*, by_chunks: bool = True, going_on: bool = True) -> Any:
        *_, kept = run(program(shape, TEXT), [b"old", b"new", b"new"])
        values = [b"new"] * COUNT
        return run(program(shape, NEW), values, kept, by_chunks=by_chunks, going_on=going_on)[:2]

    sent, dropped = again()

    assert (sent, dropped) == again(by_chunks=False)
    dead = [each for each in sent if each[0] == "dead"]
    assert {each[1] for each in dead} == {b"k0"}
    with pytest.raises(
        StreamsException, match=r'in operator "[^"]*"\s.*in-0 at offset 0'
    ) as caught:
        again(going_on=False)
    assert "the old form" in str(caught.value)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_that_is_refused_is_one_record_even_where_the_next_one_replaces_it(
    shape: str,
) -> None:
    values = [b"new", b"new", b"new", b"odd", *[b"new"] * COUNT]

    sent, dropped, _ = run(program(shape, PICKY), values)

    by_records = run(program(shape, PICKY), values, by_chunks=False)
    assert (sent, dropped) == by_records[:2]
    assert [each[:3] for each in sent if each[0] == "dead"] == [("dead", b"k0", b"odd")]
