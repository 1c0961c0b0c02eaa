"""Results by the wall clock when input stops: ``withWallClock`` and ``orIdle``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from compat_tests.topology.driving import CONFIG, TEXT, Piping
from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    BufferConfig,
    Consumed,
    EmitStrategy,
    Grouped,
    IllegalArgumentException,
    IllegalStateException,
    Materialized,
    SessionWindows,
    SlidingWindows,
    Stores,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.working_copy import WorkingCopy

READ = Consumed.with_(TEXT, TEXT)
BY_KEY = Grouped.with_(TEXT, TEXT)
ON_CLOSE = EmitStrategy.onWindowClose()

WINDOWS: dict[str, Any] = {
    "tumbling": TimeWindows.ofSizeAndGrace(10, 5),
    "hopping": TimeWindows.ofSizeAndGrace(10, 5).advanceBy(5),
    "sliding": SlidingWindows.ofTimeDifferenceAndGrace(10, 5),
    "session": SessionWindows.ofInactivityGapAndGrace(10, 5),
}


def shown(key: Any, _: Any = None) -> str:
    return f"{key.key()}@{key.window().start()}/{key.window().end()}"


def held_back(limit: int, buffer: Any = None) -> Topology:
    builder = StreamsBuilder()
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(limit, buffer or BufferConfig.unbounded())
    builder.table("in", READ).suppress(rule.withWallClock()).toStream().to("out")
    return builder.build()


def counts(windows: Any, timeout: int = 20, kept: Any = None, emit: Any = None) -> Topology:
    builder = StreamsBuilder()
    windowed = builder.stream("in", READ).groupByKey(BY_KEY).windowedBy(windows)
    emitting = windowed.emitStrategy(emit or ON_CLOSE.orIdle(timeout))
    table = emitting.count(kept or Materialized.as_("counts"))
    table.toStream(shown).mapValues(str).to("out")
    return builder.build()


# -- withWallClock ---------------------------------------------------------------------------


def test_what_is_due_comes_out_when_the_wall_clock_has_passed_the_limit() -> None:
    with Piping(held_back(10)) as driver:
        assert driver.pipe("in", "a", "1", 100) == []
        assert driver.wait(4) == []
        assert driver.pipe("in", "b", "2", 103) == []
        assert driver.pipe("in", "a", "3", 103) == []
        # Stream time is 103; a is due at 110, b at 113.
        assert driver.wait(6) == []
        assert driver.wait(1) == [("a", "3", 103)]
        assert driver.wait(3) == [("b", "2", 103)]
        assert driver.wait(1000) == []


def test_while_input_goes_on_only_stream_time_counts() -> None:
    with Piping(held_back(10)) as driver:
        for time in range(100, 109):
            assert driver.pipe("in", "a", str(time), time) == []
            assert driver.wait(1) == []
        assert driver.pipe("in", "a", "110", 110) == [("a", "110", 110)]


def test_late_updates_do_not_hold_the_wall_clock_up() -> None:
    with Piping(held_back(10)) as driver:
        driver.pipe("in", "a", "1", 100)
        driver.wait(6)
        assert driver.pipe("in", "b", "2", 99) == []
        assert driver.wait(3) == [("b", "2", 99)]
        assert driver.wait(1) == [("a", "1", 100)]


def test_a_result_of_the_wall_clock_is_not_repeated_by_stream_time() -> None:
    with Piping(held_back(10)) as driver:
        driver.pipe("in", "a", "1", 100)
        assert driver.wait(10) == [("a", "1", 100)]
        assert driver.pipe("in", "b", "2", 200) == []
        assert driver.pipe("in", "a", None, 200) == []
        assert driver.wait(10) == [("a", None, 200), ("b", "2", 200)]


def test_a_buffer_on_disk_goes_by_the_wall_clock_too() -> None:
    buffer = BufferConfig.maxRecords(1).spillToDiskWhenFull()
    with Piping(held_back(10, buffer)) as driver:
        for key in "dcba":
            driver.pipe("in", key, "x", 100)
        assert driver.wait(10) == [(key, "x", 100) for key in "abcd"]


def test_without_it_nothing_comes_out_by_the_wall_clock() -> None:
    builder = StreamsBuilder()
    rule: Suppressed[Any] = Suppressed.untilTimeLimit(10, BufferConfig.unbounded())
    builder.table("in", READ).suppress(rule).toStream().to("out")
    with Piping(builder.build()) as driver:
        driver.pipe("in", "a", "1", 100)
        assert driver.wait(1_000_000) == []


def test_the_final_results_of_suppress_do_not_go_by_the_wall_clock() -> None:
    rule = Suppressed.untilWindowCloses(BufferConfig.unbounded())
    with pytest.raises(IllegalStateException, match=r"onWindowClose\(\).orIdle"):
        rule.withWallClock()


# -- orIdle ----------------------------------------------------------------------------------

LAST: dict[str, list[Any]] = {
    "tumbling": [("a@0/10", "2", 7), ("b@0/10", "1", 9)],
    "hopping": [
        ("a@0/10", "2", 7),
        ("b@0/10", "1", 9),
        ("a@5/15", "1", 7),
        ("b@5/15", "1", 9),
    ],
    "sliding": [
        ("a@0/10", "2", 7),
        ("b@0/10", "1", 9),
        ("a@3/13", "1", 7),
    ],
    "session": [("a@2/7", "2", 7), ("b@9/9", "1", 9)],
}


@pytest.mark.parametrize("windows", WINDOWS)
def test_open_windows_come_out_once_input_has_been_idle(windows: str) -> None:
    with Piping(counts(WINDOWS[windows])) as driver:
        for key, time in (("a", 2), ("a", 7), ("b", 9)):
            assert driver.pipe("in", key, "x", time) == []
        assert driver.wait(19) == []
        assert driver.wait(1) == LAST[windows]
        assert driver.wait(1_000_000) == []


@pytest.mark.parametrize("windows", WINDOWS)
@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("kind", list(Materialized.StoreType))
def test_rows_are_emitted_from_every_kind_of_store(windows: str, cached: bool, kind: Any) -> None:
    kept = Materialized.as_("counts").withStoreType(kind)
    kept = kept if cached else kept.withCachingDisabled()
    config = {"statestore.cache.max.bytes": 100_000}
    with Piping(counts(WINDOWS[windows], kept=kept), **config) as driver:
        for key, time in (("a", 2), ("a", 7), ("b", 9)):
            driver.pipe("in", key, "x", time)
        assert sorted(driver.wait(20)) == sorted(LAST[windows])


@pytest.mark.parametrize("windows", WINDOWS)
def test_what_comes_later_for_a_window_that_came_out_is_late(windows: str) -> None:
    with Piping(counts(WINDOWS[windows])) as driver:
        driver.pipe("in", "a", "x", 2)
        out = driver.wait(100)
        assert len(out) == 1
        assert driver.pipe("in", "a", "x", 2) == []
        assert driver.wait(100) == []
        assert dropped(driver) == 1


def test_windows_that_begin_after_those_that_came_out_stay_open() -> None:
    with Piping(counts(WINDOWS["tumbling"])) as driver:
        driver.pipe("in", "a", "x", 2)
        assert driver.wait(1_000_000) == [("a@0/10", "1", 2)]
        # However far the wall clock is: nothing of the next window is late.
        assert driver.pipe("in", "a", "x", 12) == []
        assert driver.pipe("in", "a", "x", 11) == []
        assert driver.pipe("in", "b", "x", 26) == [("a@10/20", "2", 12)]


def test_windows_that_the_clock_has_not_passed_wait_for_it() -> None:
    windows = TimeWindows.ofSizeAndGrace(timedelta(hours=1), timedelta(minutes=10))
    minute = 60_000
    with Piping(counts(windows, timeout=minute), initial_ms=5 * minute) as driver:
        assert driver.pipe("in", "a", "x", 5 * minute) == []
        assert driver.wait(minute) == []
        assert driver.wait(63 * minute) == []
        assert driver.wait(minute) == [("a@0/3600000", "1", 5 * minute)]


def test_event_times_ahead_of_the_wall_clock_wait_as_long_as_they_would_have_taken() -> None:
    with Piping(counts(WINDOWS["tumbling"], timeout=3)) as driver:
        driver.pipe("in", "a", "x", 1002)
        assert driver.wait(12) == []
        assert driver.wait(1) == [("a@1000/1010", "1", 1002)]


def test_every_record_begins_the_idle_time_anew() -> None:
    with Piping(counts(WINDOWS["tumbling"])) as driver:
        driver.pipe("in", "a", "x", 2)
        driver.wait(19)
        driver.pipe("in", "a", "x", 1)
        assert driver.wait(19) == []
        assert driver.wait(1) == [("a@0/10", "2", 2)]


def test_without_records_the_clock_closes_nothing() -> None:
    with Piping(counts(WINDOWS["tumbling"])) as driver:
        assert driver.wait(1_000_000) == []
        assert driver.pipe("in", "a", "x", 2) == []


def test_closing_by_stream_time_stays_as_it_is() -> None:
    rows = [("a", 2), ("b", 9), ("a", 14), ("a", 15), ("c", 31)]
    plainly = counts(WINDOWS["tumbling"], emit=ON_CLOSE)
    with Piping(counts(WINDOWS["tumbling"])) as idle, Piping(plainly) as plain:
        for key, time in rows:
            assert idle.pipe("in", key, "x", time) == plain.pipe("in", key, "x", time)
            assert idle.wait(19) == plain.wait(19) == []


def test_the_strategy_is_still_on_window_close() -> None:
    strategy = ON_CLOSE.orIdle(timedelta(seconds=1))
    assert strategy.type() is EmitStrategy.StrategyType.ON_WINDOW_CLOSE
    assert strategy.idle_ms == 1000
    assert ON_CLOSE.idle_ms is None
    with pytest.raises(IllegalStateException, match="onWindowClose"):
        EmitStrategy.onWindowUpdate().orIdle(1000)
    with pytest.raises(IllegalArgumentException, match="at least 1 ms"):
        ON_CLOSE.orIdle(0)


def test_a_versioned_store_below_is_told_like_any_other() -> None:
    builder = StreamsBuilder()
    windowed = builder.stream("in", READ).groupByKey(BY_KEY).windowedBy(WINDOWS["tumbling"])
    table = windowed.emitStrategy(ON_CLOSE.orIdle(20)).count()
    finals = table.toStream(shown).mapValues(str)
    kept = Materialized.as_(Stores.persistentVersionedKeyValueStore("finals", 1000))
    finals.toTable(kept.withKeySerde(TEXT).withValueSerde(TEXT)).toStream().to("out")
    with Piping(builder.build()) as driver:
        driver.pipe("in", "a", "x", 2)
        assert driver.wait(20) == [("a@0/10", "1", 2)]
        store = driver.driver.getVersionedKeyValueStore("finals")
        assert store.get("a@0/10").value() == "1"


# -- restarts --------------------------------------------------------------------------------

Step = tuple[Sequence[Event], int]
"""What comes with a batch, and how far the wall clock has gone on since the last one."""

TOPOLOGIES: dict[str, Callable[[], Topology]] = {
    "suppress": partial(held_back, 15),
    **{name: partial(counts, windows) for name, windows in WINDOWS.items()},
}

steps = st.lists(
    st.tuples(
        st.lists(
            st.builds(
                Event,
                key=st.sampled_from(["a", "b"]),
                value=st.sampled_from(["x", "y"]),
                timestamp=st.integers(0, 60),
            ),
            max_size=3,
        ),
        st.integers(0, 30),
    ),
    max_size=12,
)


def batches(topology: Topology, given: Sequence[Step], anew: Sequence[int]) -> list[Any]:
    """What a task sends; before the batches of ``anew`` another one takes its place."""
    kept: dict[str, WorkingCopy] = {}
    plan = topology.plan()
    task, host = new_task(plan, CONFIG, kept=kept)
    sent, offset, now_ms = [], 0, 0
    for number, (events, waited) in enumerate(given):
        now_ms += waited
        if number in anew:
            snapshot = task.snapshot()
            kept.update(host._copies)
            task, host = new_task(plan, CONFIG, kept=kept, now_ms=now_ms)
            task.restore(snapshot)
        host.advance(now_ms - host.now_ms())
        if events:
            task.add(raw_chunk(events, offset))
        offset += len(events)
        task.run()
        task.punctuations.run_wall_clock()
        task.commit()
        for copy in {**kept, **host._copies}.values():
            copy.apply(b"")
        sent.append([each for each in host.sent if each.topic == "out"])
        host.sent = []
    return sent


@given(st.sampled_from(sorted(TOPOLOGIES)), steps, st.sets(st.integers(0, 11)))
@example(
    "suppress",
    [([Event("a", "x", 0), Event("a", "x", 59)], 0), ([], 1), ([Event("a", "x", 45)], 0)],
    {2},
)
@settings(max_examples=80, deadline=None)
def test_a_task_that_takes_over_emits_what_the_other_would_have(
    name: str, given: list[Step], anew: set[int]
) -> None:
    topology = TOPOLOGIES[name]()
    assert batches(topology, given, sorted(anew)) == batches(topology, given, [])


@given(st.sampled_from(sorted(WINDOWS)), steps)
@settings(max_examples=50, deadline=None)
def test_no_window_comes_out_twice(name: str, given: list[Step]) -> None:
    given = [*given, ([], 1000), ([], 1000)]
    sent = [each.key for batch in batches(TOPOLOGIES[name](), given, [3, 7]) for each in batch]
    if name != "session":
        assert len(sent) == len(set(sent))


@given(steps)
@settings(max_examples=40, deadline=None)
def test_every_record_is_in_a_window_that_comes_out_or_is_counted_as_late(
    given: list[Step],
) -> None:
    kept = Materialized.as_("counts").withRetention(10_000)
    with Piping(counts(WINDOWS["tumbling"], kept=kept)) as driver:
        emitted = []
        for events, waited in given:
            emitted += driver.wait(waited)
            for event in events:
                emitted += driver.pipe("in", str(event.key), event.value, event.timestamp)
        emitted += driver.wait(1000)
        counted = sum(int(count) for _, count, _ in emitted)
        assert counted + dropped(driver) == sum(len(events) for events, _ in given)


def dropped(driver: Piping) -> int:
    return sum(
        int(float(str(metric.metricValue())))
        for name, metric in driver.driver.metrics().items()
        if name.name() == "dropped-records-total"
    )
