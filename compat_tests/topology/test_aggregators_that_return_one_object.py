"""An aggregator may return one object for all keys, changed each time, or the value it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.core.engine.test_join_merger import Row, run
from compat_tests.topology.test_joiners_that_return_one_object import JSON, TEXT, json_rows
from millstream import (
    Consumed,
    EmitStrategy,
    Grouped,
    KeyValue,
    Materialized,
    Produced,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
)
from millstream.core.engine.output import Sent
from millstream.core.engine.shortcuts import SHORTCUTS

Functions = tuple[Callable[[], Any], Callable[[Any, Any, Any], Any]]
"""An initializer, and an aggregator."""
Stream = Any


def one_list() -> Functions:
    shared: list[int] = []

    def aggregator(_key: Any, value: Any, aggregate: Any) -> Any:
        shared[:] = [*aggregate, value["n"]]
        return shared

    return list, aggregator


def one_to_begin_with() -> Functions:
    shared: list[int] = []

    def aggregator(_key: Any, value: Any, aggregate: Any) -> Any:
        aggregate.append(value["n"])
        return aggregate

    return (lambda: shared), aggregator


def the_value() -> Functions:
    def aggregator(_key: Any, value: Any, aggregate: Any) -> Any:
        value["n"] += aggregate.get("n", 0)
        return value

    return dict, aggregator


def of_windows(table: Any) -> Stream:
    """Return a table of windows as a stream with text keys."""
    return table.toStream().map(
        lambda windowed, value: KeyValue(f"{windowed.key()}@{windowed.window().start()}", value)
    )


def merged(_key: Any, one: Any, two: Any) -> Any:
    if isinstance(one, list):
        one.extend(two)
    else:
        one.update(two)
    return one


WINDOWS = TimeWindows.ofSizeAndGrace(6, 2)
GROUPED: Grouped[str, Any] = Grouped.with_(TEXT, JSON)


def kept() -> Any:
    return Materialized.with_(TEXT, JSON)


def _grouped(builder: StreamsBuilder, topic: str = "left") -> Any:
    return builder.stream(topic, Consumed.with_(TEXT, JSON)).groupByKey(GROUPED)


def _windowed(windows: Any, **options: Any) -> Callable[[StreamsBuilder, Functions], Stream]:
    def make(builder: StreamsBuilder, functions: Functions) -> Stream:
        initial, aggregator = functions
        grouped = _grouped(builder).windowedBy(windows)
        if options:
            grouped = grouped.emitStrategy(EmitStrategy.onWindowClose())
        return of_windows(grouped.aggregate(initial, aggregator, kept()))

    return make


def of_left(batches: list[list[Row]]) -> list[list[Row]]:
    """Return those of the one topic that most read."""
    return [[row for row in batch if row[0] == "left"] for batch in batches]


def _by_key(builder: StreamsBuilder, functions: Functions) -> Stream:
    return _grouped(builder).aggregate(*functions, kept()).toStream()


def _cogrouped(builder: StreamsBuilder, functions: Functions) -> Stream:
    initial, aggregator = functions
    both = _grouped(builder).cogroup(aggregator).cogroup(_grouped(builder, "right"), aggregator)
    return both.aggregate(initial, kept()).toStream()


def _sessions(builder: StreamsBuilder, functions: Functions) -> Stream:
    initial, aggregator = functions
    windows = SessionWindows.ofInactivityGapAndGrace(3, 2)
    sessions = _grouped(builder).windowedBy(windows)
    return of_windows(sessions.aggregate(initial, aggregator, merged, kept()))


def _suppressed(builder: StreamsBuilder, functions: Functions) -> Stream:
    initial, aggregator = functions
    table = _grouped(builder).windowedBy(WINDOWS).aggregate(initial, aggregator, kept())
    closed = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    return of_windows(table.suppress(closed))


def _mapped_table(builder: StreamsBuilder, functions: Functions) -> Stream:
    initial, aggregator = functions
    table = builder.table("left", Consumed.with_(TEXT, JSON))
    return table.mapValues(lambda value: aggregator(None, value, initial())).toStream()


TOPOLOGIES: dict[str, Callable[[StreamsBuilder, Functions], Stream]] = {
    "by key": _by_key,
    "cogrouped": _cogrouped,
    "tumbling": _windowed(WINDOWS),
    "hopping": _windowed(WINDOWS.advanceBy(2)),
    "sliding": _windowed(SlidingWindows.ofTimeDifferenceAndGrace(5, 2)),
    "on close": _windowed(WINDOWS, on_close=True),
    "sessions": _sessions,
    "suppressed": _suppressed,
    "mapped table": _mapped_table,
}


@pytest.mark.parametrize("cache", [0, 10_000_000])
@pytest.mark.parametrize(
    "functions", [one_list, one_to_begin_with, the_value], ids=lambda make: make.__name__
)
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_each_result_is_what_it_was_when_it_was_returned(
    name: str, functions: Callable[[], Functions], cache: int
) -> None:
    def found(*, by_chunks: bool) -> list[Any]:
        builder = StreamsBuilder()
        TOPOLOGIES[name](builder, functions()).to("out", Produced.with_(TEXT, JSON))
        outcome = run(
            builder.build(),
            {"statestore.cache.max.bytes": cache},
            json_rows() if name == "cogrouped" else of_left(json_rows()),
            by_chunks=by_chunks,
            restarts=False,
            shortcuts=SHORTCUTS if by_chunks else (),
        )
        # Metrics of caches count otherwise.
        return [each for each in outcome[:-1] if isinstance(each, list | Sent)]

    results = found(by_chunks=True)

    assert results == found(by_chunks=False)
    assert any(isinstance(each, Sent) for each in results)
