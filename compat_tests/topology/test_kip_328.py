"""What KIP-328 promises, on whole programs. Its tables of evictions: ``test_suppress_tables``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.driving import TEXT, Piping, outputs
from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    Materialized,
    SessionWindows,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)

HOUR = 3_600_000
MINUTE = 60_000
READ = Consumed.with_(TEXT, TEXT)
BUFFERS: dict[str, Any] = {
    "expect not to run out of memory": BufferConfig.unbounded(),
    "shut down": BufferConfig.maxBytes(5_000_000).shutDownWhenFull(),
    "use the disk": BufferConfig.maxRecords(1).spillToDiskWhenFull(),
}


def shown(key: Any) -> str:
    return f"{key.key()}@{key.window().start()}/{key.window().end()}"


def final_counts(windows: Any, buffer: Any = BUFFERS["use the disk"]) -> Topology:
    builder = StreamsBuilder()
    grouped = builder.stream("in", READ).groupByKey(Grouped.with_(TEXT, TEXT))
    counts = grouped.windowedBy(windows).count(Materialized.as_("counts"))
    finals = counts.suppress(Suppressed.untilWindowCloses(buffer))
    finals.toStream(lambda key, _: shown(key)).mapValues(str).to("out")
    return builder.build()


def held_back(rule: Suppressed[Any]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", READ).suppress(rule).toStream().to("out")
    return builder.build()


@pytest.mark.parametrize("buffer", BUFFERS)
def test_the_example_of_users_with_fewer_than_three_events_in_an_hour(buffer: str) -> None:
    builder = StreamsBuilder()
    hours = TimeWindows.ofSizeAndGrace(HOUR, 10 * MINUTE)
    counts = builder.stream("in", READ).groupByKey(Grouped.with_(TEXT, TEXT)).windowedBy(hours)
    (
        counts.count()
        .suppress(Suppressed.untilWindowCloses(BUFFERS[buffer]))
        .toStream()
        .filter(lambda _, count: count < 3)
        .map(lambda key, count: (shown(key), str(count)))
        .to("out")
    )
    with Piping(builder.build()) as driver:
        for minute in (1, 20, 50):
            assert driver.pipe("in", "busy", "e", minute * MINUTE) == []
        assert driver.pipe("in", "idle", "e", 30 * MINUTE) == []
        # Late, but within ten minutes of the hour's end.
        assert driver.pipe("in", "next", "e", 69 * MINUTE) == []
        assert driver.pipe("in", "late", "e", 59 * MINUTE) == []
        assert driver.pipe("in", "next", "e", 70 * MINUTE) == [
            ("idle@0/3600000", "1", 30 * MINUTE),
            ("late@0/3600000", "1", 59 * MINUTE),
        ]
        assert driver.pipe("in", "late", "e", 59 * MINUTE) == []
        assert driver.pipe("in", "end", "e", 130 * MINUTE) == [
            ("next@3600000/7200000", "2", 70 * MINUTE)
        ]


def test_the_example_of_an_update_every_thirty_seconds() -> None:
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(30_000, BufferConfig.maxRecords(1000))
    rows = [(0, "1"), (10_000, "2"), (29_999, "3"), (30_000, "4"), (45_000, "5"), (60_001, "6")]
    found = outputs(held_back(rule), [("in", "k", value, time) for time, value in rows])
    # The timer begins with the first update and is not begun anew by later ones.
    assert found == [[], [], [], [("k", "4", 30_000)], [], []]


def test_a_key_keeps_the_place_of_its_first_update_and_shows_its_latest_value() -> None:
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(10, BufferConfig.unbounded())
    rows = [("a", "1", 0), ("b", "2", 1), ("a", "3", 5), ("a", "4", 9), ("c", "5", 11)]
    assert outputs(held_back(rule), [("in", *row) for row in rows]) == [
        [],
        [],
        [],
        [],
        [("a", "4", 9), ("b", "2", 1)],
    ]


def test_a_timer_begins_anew_once_a_result_has_gone_out() -> None:
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(10, BufferConfig.unbounded())
    times = (0, 5, 10, 12, 19, 22)
    found = outputs(held_back(rule), [("in", "a", f"v{time}", time) for time in times])
    assert found == [[], [], [("a", "v10", 10)], [], [], [("a", "v22", 22)]]


def test_a_limit_of_zero_switches_suppress_off() -> None:
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(0, BufferConfig.unbounded())
    rows = [("a", "1", 0), ("a", "2", 1), ("b", "3", 0)]
    assert outputs(held_back(rule), [("in", *row) for row in rows]) == [
        [("a", "1", 0)],
        [("a", "2", 1)],
        [("b", "3", 0)],
    ]


def test_a_tombstone_goes_out_below_a_time_limit() -> None:
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(10, BufferConfig.unbounded())
    rows = [("a", "1", 0), ("a", None, 3), ("b", "2", 10), ("b", None, 11), ("c", "3", 30)]
    assert outputs(held_back(rule), [("in", *row) for row in rows]) == [
        [],
        [],
        [("a", None, 3)],
        [],
        [("b", None, 11)],
    ]


def test_final_results_know_no_tombstones() -> None:
    """A session that has been merged into another never was final."""
    windows = SessionWindows.ofInactivityGapAndGrace(10, 20)
    rows = [("a", "x", 0), ("a", "x", 20), ("a", "x", 10), ("b", "x", 60)]
    assert outputs(final_counts(windows), [("in", *row) for row in rows]) == [
        [],
        [],
        [],
        [("a@0/20", "3", 20)],
    ]


def expected_finals(rows: list[tuple[str, int]], advance: int, grace: int) -> dict[str, int]:
    """Brute force: count what is in time; windows that are closed at the end are final."""
    stream_time = -1
    counts: dict[tuple[str, int], int] = {}
    for key, time in rows:
        stream_time = max(stream_time, time)
        for start in range(0, time + 1, advance):
            if time < start + SIZE and start + SIZE + grace > stream_time:
                counts[key, start] = counts.get((key, start), 0) + 1
    return {
        f"{key}@{start}/{start + SIZE}": count
        for (key, start), count in counts.items()
        if start + SIZE + grace <= stream_time
    }


SIZE = 10
rows_of_three_keys = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 200)), max_size=60
)


@given(
    rows_of_three_keys,
    st.sampled_from(sorted(BUFFERS)),
    st.sampled_from([SIZE, 5, 3]),
    st.integers(0, 30),
)
@settings(max_examples=60, deadline=None)
def test_each_closed_window_gives_its_final_result_exactly_once(
    rows: list[tuple[str, int]], buffer: str, advance: int, grace: int
) -> None:
    windows = TimeWindows.ofSizeAndGrace(SIZE, grace).advanceBy(advance)
    topology = final_counts(windows, BUFFERS[buffer])
    rows = [*rows, ("end", 2000)]
    given = [("in", key, "x", time) for key, time in rows]
    emitted = [each[:2] for found in outputs(topology, given) for each in found]
    expected = expected_finals(rows, advance, grace)
    assert sorted(emitted) == sorted((key, str(count)) for key, count in expected.items())
