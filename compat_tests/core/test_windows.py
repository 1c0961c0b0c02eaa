"""Windows and how events fall into them, against what Kafka Streams 4.3.1 says."""

from __future__ import annotations

import pickle
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.core.errors import (
    IllegalArgumentException,
    UnsupportedOperationException,
)
from millstream.core.windows import (
    EmitStrategy,
    JoinWindows,
    SessionWindow,
    SessionWindows,
    SlidingWindows,
    TimeWindow,
    TimeWindows,
    UnlimitedWindow,
    UnlimitedWindows,
    Windowed,
)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: TimeWindows.ofSizeWithNoGrace(0),
            "Window size (sizeMs) must be larger than zero.",
        ),
        (
            lambda: TimeWindows.ofSizeWithNoGrace(10).advanceBy(11),
            (
                "Window advancement interval should be more than zero and less than window "
                "duration which is 10 ms, but given advancement interval is: 11 ms"
            ),
        ),
        (lambda: TimeWindows.ofSizeAndGrace(10, -1), "Grace period must not be negative."),
        (
            lambda: TimeWindows.ofSizeWithNoGrace(cast(Any, None)),
            'Invalid value for parameter "size" (value was: null). It shouldn\'t be null.',
        ),
        (
            lambda: SlidingWindows.ofTimeDifferenceWithNoGrace(-1),
            "Window time difference must not be negative.",
        ),
        (
            lambda: SlidingWindows.ofTimeDifferenceAndGrace(1, -1),
            "Window grace period must not be negative.",
        ),
        (
            lambda: SessionWindows.ofInactivityGapAndGrace(1, -1),
            "Grace period cannot be negative.",
        ),
        (
            lambda: JoinWindows.ofTimeDifferenceWithNoGrace(5).before(-6),
            "Window interval (ie, beforeMs+afterMs) must not be negative.",
        ),
        (
            lambda: JoinWindows.ofTimeDifferenceWithNoGrace(2**62),
            "Window interval (ie, beforeMs+afterMs) must not be negative.",
        ),
        (lambda: JoinWindows.ofTimeDifferenceAndGrace(5, -6), "Grace period must not be negative."),
        (
            lambda: UnlimitedWindows.of().startOn(-1),
            "Window start time (startMs) cannot be negative.",
        ),
        (lambda: TimeWindow(-1, 5), "Window startMs time cannot be negative."),
        (lambda: TimeWindow(5, 4), "Window endMs time cannot be smaller than window startMs time."),
        (lambda: TimeWindow(5, 5), "Window endMs must be greater than window startMs."),
    ],
)
def test_impossible_windows_are_refused_with_kafkas_text(make: Any, text: Any) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        make()
    assert caught.value.problem == text


def test_a_session_may_be_one_event_and_a_gap_zero() -> None:
    assert SessionWindow(5, 5).end() == 5
    assert SessionWindows.ofInactivityGapWithNoGrace(0).inactivityGap() == 0


@pytest.mark.parametrize(
    ("size", "advance", "timestamp", "starts"),
    [
        (10, 3, 11, [3, 6, 9]),
        (10, 10, -1, []),
        (10, 3, 2, [0]),
        (10, 10, 10, [10]),
        (10, 5, 9, [0, 5]),
    ],
)
def test_windows_for(size: Any, advance: Any, timestamp: Any, starts: Any) -> None:
    windows = TimeWindows.ofSizeWithNoGrace(size).advanceBy(advance)
    assert windows.windowsFor(timestamp) == {s: TimeWindow(s, s + size) for s in starts}
    assert list(windows.windowsFor(timestamp)) == starts


@given(st.integers(1, 20), st.data(), st.integers(0, 200))
def test_an_event_is_in_exactly_the_windows_around_it(size: Any, data: Any, timestamp: Any) -> None:
    advance = data.draw(st.integers(1, size))
    windows = TimeWindows.ofSizeWithNoGrace(size).advanceBy(advance)
    around = [s for s in range(0, 201, advance) if s <= timestamp < s + size]
    assert list(windows.starts_for(timestamp)) == around


def test_durations_may_be_timedeltas() -> None:
    windows = TimeWindows.ofSizeAndGrace(timedelta(seconds=10), timedelta(seconds=1))
    assert windows == TimeWindows.ofSizeAndGrace(10_000, 1000)
    assert (windows.sizeMs, windows.advanceMs, windows.gracePeriodMs()) == (10_000, 10_000, 1000)


def test_unlimited_windows_begin_at_their_start() -> None:
    windows = UnlimitedWindows.of().startOn(datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc))
    assert windows.windowsFor(999) == {}
    assert windows.windowsFor(1000) == {1000: UnlimitedWindow(1000)}
    assert windows.size() == UnlimitedWindow(0).end() == 2**63 - 1


def test_join_windows() -> None:
    windows = JoinWindows.ofTimeDifferenceAndGrace(5, 7).after(2)
    assert (windows.beforeMs, windows.afterMs, windows.size()) == (5, 2, 7)
    assert windows.gracePeriodMs() == 7
    with pytest.raises(UnsupportedOperationException):
        windows.windowsFor(0)


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (TimeWindow(0, 5), TimeWindow(5, 10), False),
        (TimeWindow(0, 6), TimeWindow(5, 10), True),
        (SessionWindow(0, 5), SessionWindow(5, 10), True),
        (SessionWindow(0, 4), SessionWindow(5, 10), False),
        (UnlimitedWindow(0), UnlimitedWindow(9), True),
    ],
)
def test_overlap(one: Any, other: Any, overlap: Any) -> None:
    assert one.overlap(other) is overlap
    assert other.overlap(one) is overlap


def test_windows_of_two_types_cannot_be_compared() -> None:
    with pytest.raises(IllegalArgumentException, match="Cannot compare windows of different type"):
        TimeWindow(0, 5).overlap(SessionWindow(0, 5))
    assert TimeWindow(0, 5) != SessionWindow(0, 5)


def test_windowed_keys_compare_hash_print_and_pickle() -> None:
    key = Windowed("k", TimeWindow(0, 10))
    assert key == pickle.loads(pickle.dumps(key))
    assert len({key, Windowed("k", TimeWindow(0, 10)), Windowed("k", TimeWindow(5, 15))}) == 2
    assert str(key) == "[k@0/10]"
    assert str(key.window()) == "Window{startMs=0, endMs=10}"
    assert key.window().endTime() == datetime(1970, 1, 1, 0, 0, 0, 10_000, timezone.utc)


def test_emit_strategies() -> None:
    close = EmitStrategy.onWindowClose()
    assert close.type() is EmitStrategy.StrategyType.ON_WINDOW_CLOSE
    assert EmitStrategy.StrategyType.forType(close.type()) == close != EmitStrategy.onWindowUpdate()


def test_a_key_with_a_window_that_is_none_has_a_text_all_the_same() -> None:
    wrong: Any = None
    assert str(Windowed("a", wrong)) == "[a@null]"
    assert repr(Windowed("a", wrong)) == "Windowed('a', None)"
