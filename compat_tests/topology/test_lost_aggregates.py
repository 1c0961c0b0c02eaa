"""An aggregator that fills a new aggregate and returns None loses it: that is said, once."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    KGroupedStream,
    Materialized,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
)

TEXT = Serdes.String()
LISTS: Any = Serdes.serdeFrom(
    lambda topic, data: None if data is None else json.dumps(data).encode(),
    lambda topic, data: None if data is None else json.loads(data),
)
KEPT: Any = Materialized.with_(TEXT, LISTS)
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}
Adds = Callable[[Any, Any, Any], Any]


def cogrouped(grouped: KGroupedStream[Any, Any], add: Adds) -> Any:
    return grouped.cogroup(add).aggregate(list, KEPT)


USES: dict[str, Callable[[KGroupedStream[Any, Any], Adds], Any]] = {
    "by key": lambda grouped, add: grouped.aggregate(list, add, KEPT),
    "by window": lambda grouped, add: grouped.windowedBy(
        TimeWindows.ofSizeWithNoGrace(10)
    ).aggregate(list, add, KEPT),
    "sliding": lambda grouped, add: grouped.windowedBy(
        SlidingWindows.ofTimeDifferenceWithNoGrace(10)
    ).aggregate(list, add, KEPT),
    "by session": lambda grouped, add: grouped.windowedBy(
        SessionWindows.ofInactivityGapWithNoGrace(10)
    ).aggregate(list, add, lambda key, one, two: one + two, KEPT),
    "cogrouped": cogrouped,
}


def run(use: str, add: Adds, *, by_chunks: bool, cache: int) -> None:
    builder = StreamsBuilder()
    USES[use](builder.stream("in").groupByKey(), add)
    config = {**CONFIG, "statestore.cache.max.bytes": cache}
    task, _ = new_task(builder.build().plan(), config, by_chunks=by_chunks)
    task.add(raw_chunk([Event("a", str(each), each * 5) for each in range(6)], 0))
    task.run()
    task.commit()


@pytest.mark.parametrize("cache", [0, 1000, 1 << 20])
@pytest.mark.parametrize("by_chunks", [False, True])
@pytest.mark.parametrize("use", USES)
def test_an_aggregate_that_was_filled_and_not_returned_is_told_once(
    use: str, by_chunks: bool, cache: int, caplog: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("millstream.topology.operators.lost_aggregates._told", set())
    with caplog.at_level(logging.WARNING, "millstream.topology"):
        run(use, lambda key, value, seen: seen.append(value), by_chunks=by_chunks, cache=cache)
    [said] = [each.getMessage() for each in caplog.records]
    assert "put something into a list and returned None" in said
    assert f"lambda at {__file__}" in said


@pytest.mark.parametrize("by_chunks", [False, True])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "add",
    [
        lambda key, value, seen: None,
        lambda key, value, seen: [*seen, value],
        lambda key, value, seen: None if seen else [value],
        lambda key, value, seen: (seen.append(value), seen)[1],
    ],
)
def test_an_aggregate_that_is_returned_or_deleted_is_no_matter(
    use: str, add: Adds, by_chunks: bool, caplog: Any
) -> None:
    with caplog.at_level(logging.WARNING, "millstream.topology"):
        run(use, add, by_chunks=by_chunks, cache=0)
    assert not caplog.records
