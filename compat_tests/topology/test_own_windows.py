"""Windows of a user's own class: what may go wrong in them, and what Kafka Streams refuses."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from compat_tests.topology.driving import Piping
from millstream import (
    ClassCastException,
    EmitStrategy,
    IllegalArgumentException,
    JoinWindows,
    KGroupedStream,
    Named,
    SessionWindows,
    StreamsBuilder,
    TimeWindow,
    TimeWindows,
    UnlimitedWindows,
    Window,
    Windows,
)
from millstream.core.errors import StreamsException


class Days(Windows[Any]):
    """Windows of which a test says what is wrong with them."""

    def __init__(self, found: Any = None, size: Any = 10, grace: Any = 0) -> None:
        self._found, self._size, self._grace = found, size, grace

    def windowsFor(self, timestamp: int) -> Any:
        if self._found is not None:
            return self._found
        return {timestamp // 10 * 10: TimeWindow(timestamp // 10 * 10, timestamp // 10 * 10 + 9)}

    def size(self) -> Any:
        return self._size

    def gracePeriodMs(self) -> Any:
        return self._grace


class Forgetful(Window):
    def __init__(self) -> None:
        pass

    def end(self) -> int:
        return 10

    def overlap(self, other: Window) -> bool:
        return False


def counted(windows: Any, times: list[int]) -> list[Any]:
    builder = StreamsBuilder()
    table = grouped(builder).windowedBy(windows).count()
    table.toStream(lambda key, value: str(key)).mapValues(str).to("out")
    with Piping(builder.build()) as driver:
        return [driver.pipe("in", "k", "v", time) for time in times]


def grouped(builder: StreamsBuilder) -> KGroupedStream[Any, Any]:
    return builder.stream("in").groupByKey()


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([TimeWindow(0, 10)], "returned a list"),
        (TimeWindow(0, 10), "returned a TimeWindow"),
        ({"0": TimeWindow(0, 10)}, "dict of each window's start, an int in ms"),
        ({0: (0, 10)}, "dict of each window's start, an int in ms"),
        ({0.0: TimeWindow(0, 10)}, "dict of each window's start, an int in ms"),
        ({0: Forgetful()}, "Call super().__init__(startMs, endMs)"),
    ],
)
def test_windows_for_must_return_windows_by_their_starts(found: Any, message: str) -> None:
    with pytest.raises(StreamsException) as raised:
        counted(Days(found), [5])
    assert message in str(raised.value.__cause__)


@pytest.mark.parametrize(
    "windows", [Days(size=timedelta(days=1)), Days(grace=1.5), Days(size=None)]
)
def test_lengths_that_are_no_milliseconds_are_refused_at_the_call(windows: Any) -> None:
    with pytest.raises(ClassCastException, match="Return milliseconds, as an int"):
        grouped(StreamsBuilder()).windowedBy(windows)


def test_no_window_at_all_adds_a_record_to_nothing() -> None:
    assert counted(Days({}), [5, 6]) == [[], []]


def test_a_subclass_of_time_windows_may_have_other_windows() -> None:
    class Shorter(TimeWindows):
        def windowsFor(self, timestamp: int) -> dict[int, TimeWindow]:
            start = timestamp // 10 * 10
            return {start: TimeWindow(start, start + 6)}

    shorter = Shorter(sizeMs=10, advanceMs=10, grace_ms=0)
    assert counted(shorter, [3, 5, 6, 4]) == [
        [("[k@0/6]", "1", 3)],
        [("[k@0/6]", "2", 5)],
        [],
        [],
    ]


def test_windows_of_joins_fail_at_the_first_record_as_in_kafka_streams() -> None:
    with pytest.raises(StreamsException) as raised:
        counted(JoinWindows.ofTimeDifferenceWithNoGrace(5), [5])
    assert "windowsFor() is not supported by JoinWindows" in str(raised.value.__cause__)


def test_only_windows_of_kafka_streams_can_wait_for_their_end() -> None:
    windowed = grouped(StreamsBuilder()).windowedBy(Days())
    assert windowed.emitStrategy(EmitStrategy.onWindowClose()) is windowed
    with pytest.raises(IllegalArgumentException, match="only supported for TimeWindows"):
        windowed.count(Named.as_("count"))
    unlimited = grouped(StreamsBuilder()).windowedBy(UnlimitedWindows.of())
    with pytest.raises(IllegalArgumentException, match="cannot be used for UnlimitedWindows"):
        unlimited.emitStrategy(EmitStrategy.onWindowClose())


@pytest.mark.parametrize(
    "windows", [TimeWindows.ofSizeWithNoGrace(10), SessionWindows.ofInactivityGapWithNoGrace(5)]
)
def test_an_emit_strategy_changes_the_windowed_stream_itself(windows: Any) -> None:
    builder = StreamsBuilder()
    windowed: Any = grouped(builder).windowedBy(windows)
    windowed.emitStrategy(EmitStrategy.onWindowClose())
    windowed.count().toStream(lambda key, value: key.key()).mapValues(str).to("out")
    with Piping(builder.build()) as driver:
        assert [driver.pipe("in", "k", "v", time) for time in (1, 2)] == [[], []]


def test_distinct_keeps_to_the_ends_of_a_users_windows() -> None:
    builder = StreamsBuilder()
    windowed: Any = grouped(builder).windowedBy(Days())
    windowed.distinct().toStream(lambda key, value: str(key)).to("out")
    with Piping(builder.build()) as driver:
        found = [driver.pipe("in", "k", value, time) for value, time in (("a", 1), ("b", 9))]
        assert found == [[("[k@0/9]", "a", 1)], []]
