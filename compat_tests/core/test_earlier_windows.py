"""The deprecated ways to define windows: what they mean, and the warning at the caller's line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from compat_tests.topology.driving import TEXT, Piping
from millstream import (
    Consumed,
    Grouped,
    IllegalArgumentException,
    IllegalStateException,
    JoinWindows,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    UnlimitedWindows,
)

DAY = 86_400_000

CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "TimeWindows.of": (lambda: TimeWindows.of(10), "ofSizeAndGrace"),
    "TimeWindows.grace": (lambda: TIME.grace(1), "AndGrace"),
    "TimeWindows.until": (lambda: TIME.until(10), "Materialized.withRetention"),
    "TimeWindows.maintainMs": (lambda: TIME.maintainMs(), "Materialized.withRetention"),
    "TimeWindows.segmentInterval": (lambda: TIME.segmentInterval(), "supplier of the store"),
    "SessionWindows.with_": (lambda: SessionWindows.with_(10), "ofInactivityGapAndGrace"),
    "SessionWindows.inactivityGap": (
        lambda: SessionWindows.inactivityGap(10),
        "ofInactivityGapAndGrace",
    ),
    "SessionWindows.grace": (lambda: SESSION.grace(1), "AndGrace"),
    "SessionWindows.until": (lambda: SESSION.until(10), "Materialized.withRetention"),
    "SlidingWindows.withTimeDifferenceAndGrace": (
        lambda: SlidingWindows.withTimeDifferenceAndGrace(10, 5),
        "ofTimeDifferenceAndGrace",
    ),
    "JoinWindows.of": (lambda: JoinWindows.of(10), "ofTimeDifferenceAndGrace"),
    "JoinWindows.grace": (lambda: JOIN.grace(1), "AndGrace"),
    "JoinWindows.until": (lambda: JOIN.until(20), "Materialized.withRetention"),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_warning_names_the_successor_and_is_at_the_callers_line(call: str) -> None:
    use, successor = CALLS[call]
    with pytest.warns(DeprecationWarning, match=successor) as caught:
        use()
    assert [warning.filename for warning in caught] == [__file__]


def quietly(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return make()


TIME: Any = quietly(lambda: TimeWindows.of(10))
SESSION: Any = quietly(lambda: SessionWindows.with_(10))
JOIN: Any = quietly(lambda: JoinWindows.of(10))


@pytest.mark.parametrize(
    ("make", "grace", "kept"),
    [
        (lambda: TimeWindows.of(10), DAY - 10, DAY),
        (lambda: TimeWindows.of(2 * DAY), 0, 2 * DAY),
        (lambda: TimeWindows.of(10).advanceBy(5), DAY - 10, DAY),
        (lambda: TimeWindows.of(10).until(100), 90, 100),
        (lambda: TimeWindows.of(10).until(100).advanceBy(5), 90, 100),
        (lambda: TimeWindows.of(10).grace(7), 7, 17),
        (lambda: TimeWindows.of(10).grace(7).until(100), 7, 100),
        (lambda: TimeWindows.of(10).until(100).grace(7), 7, 100),
        (lambda: TimeWindows.ofSizeAndGrace(10, 7).until(100), 7, 100),
        (lambda: SessionWindows.with_(10), DAY - 10, DAY),
        (lambda: SessionWindows.inactivityGap(timedelta(minutes=5)), DAY - 300_000, DAY),
        (lambda: SessionWindows.inactivityGap(300_000).until(3_600_000), 3_300_000, 3_600_000),
        (lambda: SessionWindows.with_(10).grace(7).until(50), 7, 50),
        (lambda: JoinWindows.of(1000), DAY - 2000, DAY),
        (lambda: JoinWindows.of(10).until(100), 80, 100),
        (lambda: JoinWindows.of(10).grace(3), 3, 23),
    ],
)
def test_what_is_not_given_is_what_a_day_or_the_retention_leaves(
    make: Callable[[], Any], grace: int, kept: int
) -> None:
    windows = quietly(make)
    assert windows.gracePeriodMs() == grace
    assert quietly(windows.maintainMs) == kept


def test_deprecated_factories_make_windows_equal_to_the_current_ones() -> None:
    assert TimeWindows.ofSizeAndGrace(10, DAY - 10) == TIME
    assert SessionWindows.ofInactivityGapAndGrace(10, DAY - 10) == SESSION
    sliding = quietly(lambda: SlidingWindows.withTimeDifferenceAndGrace(10, 5))
    assert sliding == SlidingWindows.ofTimeDifferenceAndGrace(10, 5)


def test_the_gap_of_a_session_can_still_be_asked_for() -> None:
    assert SessionWindows.ofInactivityGapWithNoGrace(10).inactivityGap() == 10
    assert SESSION.inactivityGap() == 10


def test_a_segment_is_half_of_what_is_kept_but_a_minute_at_least() -> None:
    assert quietly(lambda: TimeWindows.of(10).segmentInterval()) == DAY // 2
    assert quietly(lambda: TimeWindows.of(10).until(100_000).segmentInterval()) == 60_000


@pytest.mark.parametrize(
    "make",
    [
        lambda: TimeWindows.of(10).until(9),
        lambda: SessionWindows.with_(10).until(9),
        lambda: JoinWindows.of(10).until(19),
        lambda: UnlimitedWindows.of().until(100),
        lambda: TimeWindows.of(10).grace(-1),
        lambda: TimeWindows.of(0),
    ],
)
def test_a_retention_too_short_or_a_negative_grace_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(IllegalArgumentException):
        quietly(make)


@pytest.mark.parametrize(
    "windows",
    [
        TimeWindows.ofSizeWithNoGrace(10),
        SessionWindows.ofInactivityGapAndGrace(10, 5),
        JoinWindows.ofTimeDifferenceAndGrace(5, 7),
    ],
)
def test_a_grace_period_of_a_factory_stays(windows: Any) -> None:
    with pytest.raises(IllegalStateException, match="Cannot call grace"):
        quietly(lambda: windows.grace(3))


def test_join_windows_of_old_give_results_without_partner_at_once() -> None:
    assert not quietly(lambda: JoinWindows.of(10).grace(3)).spurious_results_fix


def counted(windows: Any, materialized: Any) -> Piping:
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
    counts = grouped.windowedBy(windows).count(materialized)
    counts.toStream(lambda key, _: f"{key.key()}@{key.window().start()}").mapValues(str).to("out")
    return Piping(builder.build())


def starts(driver: Piping) -> list[int]:
    store: Any = driver.driver.getWindowStore("counts")
    with store.fetch("a", 0, 1_000_000) as found:
        return [each.key for each in found]


def test_until_keeps_windows_longer_than_they_take_events() -> None:
    windows = quietly(lambda: TimeWindows.of(10).grace(5).until(200_000))
    with counted(windows, Materialized.as_("counts")) as driver:
        driver.pipe("in", "a", "x", 0)
        driver.pipe("in", "a", "x", 150_000)
        assert driver.pipe("in", "a", "x", 1) == []
        assert starts(driver) == [0, 150_000]
        driver.pipe("in", "a", "x", 300_000)
        assert starts(driver) == [150_000, 300_000]


def test_the_retention_of_the_store_goes_before_that_of_the_windows() -> None:
    windows = quietly(lambda: TimeWindows.of(10).grace(5).until(200_000))
    with counted(windows, Materialized.as_("counts").withRetention(100_000)) as driver:
        driver.pipe("in", "a", "x", 0)
        driver.pipe("in", "a", "x", 150_000)
        assert starts(driver) == [150_000]


def test_until_shorter_than_windows_and_grace_is_refused() -> None:
    windows = quietly(lambda: TimeWindows.of(10).grace(50).until(20))
    with pytest.raises(IllegalArgumentException, match="would forget windows"):
        counted(windows, Materialized.as_("counts"))
