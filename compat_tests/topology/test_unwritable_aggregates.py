"""An aggregate that its own serializer refuses is a failure of the record that made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import new_task, shown
from millstream import (
    Consumed,
    Grouped,
    KeyValue,
    KGroupedStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    StreamsException,
    TimeWindows,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler

TEXT, NUMBER = Serdes.String(), Serdes.Long()
KEPT = Materialized.with_(TEXT, NUMBER)
SIZE_MS = 1000
COUNT = 40
LARGE = 7
"""The record whose value makes the aggregates of its key too large, some records later."""


def longer(_key: str, value: int, total: int) -> int:
    """Grow beyond 64 bits in the end."""
    return total * value + 1


def windowed(made: KTable[Any, int]) -> Any:
    """The updates, with keys that can be written."""
    return made.toStream().map(lambda key, value: KeyValue(key.key(), value))


SHAPES: dict[str, Callable[[KGroupedStream[str, int]], Any]] = {
    "reduce": lambda read: read.reduce(lambda one, two: one * two, KEPT).toStream(),
    "aggregate": lambda read: read.aggregate(lambda: 1, longer, KEPT).toStream(),
    "cogroup": lambda read: read.cogroup(longer).aggregate(lambda: 1, KEPT).toStream(),
    "hopping": lambda read: windowed(
        read.windowedBy(TimeWindows.ofSizeWithNoGrace(SIZE_MS).advanceBy(SIZE_MS // 2)).aggregate(
            lambda: 1, longer, KEPT
        )
    ),
    "sliding": lambda read: windowed(
        read.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(SIZE_MS)).aggregate(
            lambda: 1, longer, KEPT
        )
    ),
    "session": lambda read: windowed(
        read.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(SIZE_MS)).aggregate(
            lambda: 1, longer, lambda _key, one, two: one * two, KEPT
        )
    ),
}


def program(shape: str) -> Topology:
    """Aggregates that grow."""
    builder = StreamsBuilder()
    read = builder.stream("in", Consumed.with_(TEXT, NUMBER)).groupByKey(
        Grouped.with_(TEXT, NUMBER)
    )
    SHAPES[shape](read).to("out", Produced.with_(TEXT, NUMBER))
    return builder.build()


def run(shape: str, cache: int, *, by_chunks: bool, **config: Any) -> Any:
    """Return what is sent, kept and dropped."""
    configs = {"statestore.cache.max.bytes": cache, **config}
    task, host = new_task(program(shape).plan(), configs, by_chunks=by_chunks)
    keys: list[bytes | None] = [b"k%d" % (n % 3) for n in range(COUNT)]
    numbers = [2**50 if n == LARGE else 3 for n in range(COUNT)]
    values: list[bytes | None] = [number.to_bytes(8, "big") for number in numbers]
    task.add(RawChunk("in", 0, range(COUNT), range(COUNT), keys, values, None))
    task.run()
    task.commit()
    kept = {name: list(host._copies[name].scan(None, None)) for name in task.stores}
    dropped = [
        each.metricValue()
        for name, each in task.metrics.asMap().items()
        if name.name() == "dropped-records-total"
    ]
    task.close()
    return [shown(each) for each in host.sent], kept, dropped


@pytest.mark.parametrize("cache", [0, 1 << 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_processing_handler_decides_on_each_record_in_chunks_and_one_by_one(
    shape: str, cache: int
) -> None:
    going_on = {
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
        "errors.dead.letter.queue.topic.name": "dead",
    }

    sent, kept, dropped = run(shape, cache, by_chunks=True, **going_on)

    assert (sent, kept, dropped) == run(shape, cache, by_chunks=False, **going_on)
    dead = [each for each in sent if each[0] == "dead"]
    assert dead, "none failed"
    assert sum(dropped) == len(dead)


@pytest.mark.parametrize("by_chunks", [True, False])
@pytest.mark.parametrize("cache", [0, 1 << 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_error_names_the_record(shape: str, cache: int, *, by_chunks: bool) -> None:
    with pytest.raises(StreamsException, match=r"in-0 at offset \d+, event time") as caught:
        run(shape, cache, by_chunks=by_chunks)

    assert "does not fit into 64 bits" in str(caught.value)


@pytest.mark.parametrize("shape", ["aggregate", "cogroup", "hopping"])
def test_many_failures_do_not_begin_the_run_again_and_again(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def counted(key: str, value: int, total: int) -> int:
        calls.append(value)
        return total * 10**6

    monkeypatch.setattr(f"{__name__}.longer", counted)
    going_on = {"processing.exception.handler": LogAndContinueProcessingExceptionHandler}

    *_, dropped = run(shape, 0, by_chunks=True, **going_on)

    windows = 2 if shape == "hopping" else 1
    assert sum(dropped) > COUNT / 2
    assert len(calls) <= 2 * windows * COUNT
