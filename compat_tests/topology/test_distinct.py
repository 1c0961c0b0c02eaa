"""``distinct`` of windowed streams: the worked examples of KIP-655, and the rules around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import (
    ClassCastException,
    Consumed,
    EmitStrategy,
    KGroupedStream,
    KTable,
    Materialized,
    Named,
    NullPointerException,
    Produced,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    UnsupportedOperationException,
)
from millstream.core.chunk import RawChunk
from millstream.plugins import OperatorTraits, StreamOperator, hookimpl
from millstream.plugins.registry import registered
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
S = 1000
EXAMPLE = (4, 5, 6, 23, 22, 24, 34, 33, 32, 7, 22, 35)
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}
Distinct = Callable[[KGroupedStream[Any, Any]], KTable[Any, Any]]


def shown(windowed: Any, value: Any) -> Any:
    return f"{windowed.key()}@{windowed.window().start()}/{windowed.window().end()}", value


def run(
    distinct: Distinct, rows: Sequence[tuple[Any, Any, int]], **config: Any
) -> list[tuple[Any, Any, int]]:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    distinct(grouped).toStream().map(shown).to("out", Produced.with_(TEXT, TEXT))
    with TopologyTestDriver(builder.build(), CONFIG | config) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for row in rows:
            source.pipeInput(*row)
        target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        return [(r.key(), r.value(), r.timestamp() or 0) for r in target.readRecordsToList()]


def example(windows: Any) -> list[tuple[Any, Any]]:
    rows = [("key", str(second), second * S) for second in EXAMPLE]
    found = run(lambda grouped: grouped.windowedBy(windows).distinct(), rows)
    assert all(time == int(value) * S for _, value, time in found)
    return [(key, value) for key, value, _ in found]


@pytest.mark.parametrize(
    "windows",
    [
        TimeWindows.ofSizeWithNoGrace(timedelta(seconds=10)),
        TimeWindows.ofSizeAndGrace(timedelta(seconds=10), timedelta(hours=1)),
    ],
)
def test_one_record_comes_out_of_each_window(windows: TimeWindows) -> None:
    assert example(windows) == [
        ("key@0/10000", "4"),
        ("key@20000/30000", "23"),
        ("key@30000/40000", "34"),
    ]


def test_sessions_of_ten_seconds_are_two() -> None:
    windows = SessionWindows.ofInactivityGapAndGrace(timedelta(seconds=10), timedelta(hours=1))
    assert example(windows) == [("key@4000/4000", "4"), ("key@23000/23000", "23")]


def test_sessions_of_nine_seconds_are_three() -> None:
    windows = SessionWindows.ofInactivityGapAndGrace(timedelta(seconds=9), timedelta(hours=1))
    assert example(windows) == [
        ("key@4000/4000", "4"),
        ("key@23000/23000", "23"),
        ("key@34000/34000", "34"),
    ]


def test_a_record_comes_out_once_for_each_hopping_window_that_it_begins() -> None:
    windows = TimeWindows.ofSizeWithNoGrace(10).advanceBy(5)
    rows = [("a", "1", 12), ("a", "2", 16), ("b", "3", 16)]
    assert run(lambda grouped: grouped.windowedBy(windows).distinct(), rows) == [
        ("a@5/15", "1", 12),
        ("a@10/20", "1", 12),
        ("a@15/25", "2", 16),
        ("b@10/20", "3", 16),
        ("b@15/25", "3", 16),
    ]


def test_what_is_late_or_has_no_key_or_value_is_dropped() -> None:
    rows: list[Any] = [
        (None, "1", 1),
        ("a", None, 2),
        ("a", "3", 31),
        ("a", "4", 19),
        ("a", "5", 20),
    ]
    time = TimeWindows.ofSizeAndGrace(10, 5)
    assert run(lambda grouped: grouped.windowedBy(time).distinct(), rows) == [
        ("a@30/40", "3", 31),
        ("a@20/30", "5", 20),
    ]
    sessions = SessionWindows.ofInactivityGapAndGrace(3, 5)
    assert run(
        lambda grouped: grouped.windowedBy(sessions).distinct(), [*rows, ("a", "6", 23)]
    ) == [
        ("a@31/31", "3", 31),
        ("a@23/23", "6", 23),
    ]


def test_the_store_has_first_values_and_sessions_as_they_have_become() -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    windows = TimeWindows.ofSizeAndGrace(10, 100)
    sessions = SessionWindows.ofInactivityGapAndGrace(10, 100)
    grouped.windowedBy(windows).distinct(Materialized.as_("windows"))
    grouped.windowedBy(sessions).distinct(Named.as_("once"), Materialized.as_("sessions"))
    topology = builder.build()
    assert "Processor: once (stores: [sessions])" in str(topology.describe())
    with TopologyTestDriver(topology, CONFIG) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for value, time in (("b", 12), ("c", 14), ("a", 5), ("d", 30)):
            source.pipeInput("k", value, time)
        with driver.getWindowStore("windows").all() as found:
            rows = [(row.key.window().start(), row.value) for row in found]
        assert rows == [(0, "a"), (10, "b"), (30, "d")]
        with driver.getSessionStore("sessions").fetch("k") as found:
            spans = [(r.key.window().start(), r.key.window().end(), r.value) for r in found]
        assert spans == [(5, 14, "b"), (30, 30, "d")]


def test_a_cache_holds_nothing_back() -> None:
    rows = [("a", "1", 1), ("a", "2", 2)]
    sessions = SessionWindows.ofInactivityGapWithNoGrace(10)
    config = {"statestore.cache.max.bytes": 1_000_000}
    assert run(lambda grouped: grouped.windowedBy(sessions).distinct(), rows, **config) == [
        ("a@1/1", "1", 1)
    ]


@pytest.mark.parametrize(
    "windows", [TimeWindows.ofSizeWithNoGrace(10), SessionWindows.ofInactivityGapWithNoGrace(5)]
)
def test_what_is_late_stays_late_after_a_restart(windows: Any) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey()
    table = grouped.windowedBy(windows).distinct()
    table.toStream().map(shown).to("out", Produced.with_(TEXT, TEXT))
    plan = builder.build().plan()
    task, host = new_task(plan, CONFIG)
    task.add(RawChunk("in", 0, [0], [100], [b"k"], [b"1"]))
    task.run()
    again, sent = new_task(plan, CONFIG, kept=host._copies)
    again.restore(task.snapshot())
    again.add(RawChunk("in", 0, [1, 2, 3], [50, 101, 120], [b"k"] * 3, [b"2", b"3", b"4"]))
    again.run()
    assert [record.value for record in sent.sent if record.topic == "out"] == [b"4"]


def test_sliding_windows_and_emission_on_close_are_refused() -> None:
    grouped: Any = StreamsBuilder().stream("in").groupByKey()
    sliding = grouped.windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(10))
    with pytest.raises(UnsupportedOperationException, match="not for sliding windows"):
        sliding.distinct()
    closing = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    closing = closing.emitStrategy(EmitStrategy.onWindowClose())
    with pytest.raises(UnsupportedOperationException, match="cannot emit on window close"):
        closing.distinct()


def test_wrong_arguments_are_errors_at_the_call() -> None:
    grouped: Any = StreamsBuilder().stream("in").groupByKey()
    windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    with pytest.raises(NullPointerException, match="named"):
        windowed.distinct(None)
    with pytest.raises(ClassCastException, match="distinct"):
        windowed.distinct(Consumed.as_("x"))


class Latest(StreamOperator):
    """An operator of somebody else's on windowed streams."""

    name = "latest"
    traits = OperatorTraits(of_windows=True)

    def expand(self, upstream: Any) -> Any:
        return upstream.reduce(lambda old, new: new)


class LatestPlugin:
    @hookimpl
    def millstream_register_operators(self) -> list[type[StreamOperator]]:
        return [Latest]


def test_windowed_streams_have_operators_of_other_plugins() -> None:
    windows = TimeWindows.ofSizeWithNoGrace(10)
    grouped: Any = StreamsBuilder().stream("in").groupByKey()
    with registered(LatestPlugin()):
        found = run(
            lambda g: g.windowedBy(windows).latest(),  # type: ignore[attr-defined]
            [("a", "1", 1), ("a", "2", 2)],
        )
        assert not hasattr(grouped, "latest")
    assert found == [("a@0/10", "1", 1), ("a@0/10", "2", 2)]
    with pytest.raises(AttributeError, match="'SessionWindowedKStream' object has no attribute"):
        grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(5)).latest()
