"""Operators with other names go on with what is kept for them: times, not entries alone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.evolution.support import TEXT, facts
from compat_tests.testing.savepoints.made import CONFIG, SECOND, output, pipe
from millstream import (
    EmitStrategy,
    JoinWindows,
    Materialized,
    Named,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.testing import TopologyTestDriver
from millstream.topology.spark.evolution.comparison import compare

FIRST = [("in", "a", "x", 1000), ("in", "b", "x", 30_000)]
MORE = [("in", "b", "x", 60_000)]


def sessions(name: str) -> Topology:
    """Counts of sessions that go out when they close, by an operator of this name."""
    builder = StreamsBuilder()
    windows = SessionWindows.ofInactivityGapAndGrace(5 * SECOND, 5 * SECOND)
    grouped: Any = builder.stream("in").groupByKey().windowedBy(windows)
    named = (Named.as_(name),) if name else ()
    counted = grouped.emitStrategy(EmitStrategy.onWindowClose()).count(
        *named, Materialized.as_("counts")
    )
    counted.toStream(lambda at, _: at.key()).mapValues(str).to("out")
    return builder.build()


@pytest.mark.parametrize(("before", "after"), [("n1", "n2"), ("", "n2"), ("n1", "")])
def test_what_has_gone_out_does_not_go_out_again(tmp_path: Path, before: str, after: str) -> None:
    with TopologyTestDriver(sessions(before), CONFIG) as driver:
        pipe(driver, FIRST)
        assert output(driver) == [("a", "1", 1000)]
        driver.savepoint(tmp_path / "point")
    with TopologyTestDriver.fromSavepoint(sessions(after), CONFIG, tmp_path / "point") as driver:
        pipe(driver, MORE)
        assert output(driver) == [("b", "1", 30_000)]


def together(*, filtered: bool) -> Topology:
    """Two streams that are aggregated together, by windows."""
    builder = StreamsBuilder()
    left: Any = builder.stream("in")
    if filtered:
        left = left.filter(lambda key, value: True)
    right: Any = builder.stream("b").groupByKey()
    both = left.groupByKey().cogroup(lambda key, value, sofar: sofar + value)
    both = both.cogroup(right, lambda key, value, sofar: sofar + value)
    windows = TimeWindows.ofSizeAndGrace(5 * SECOND, 5 * SECOND)
    table: Any = both.windowedBy(windows).aggregate(lambda: "", Materialized.as_("all"))
    table.toStream(lambda at, _: at.key()).to("out")
    return builder.build()


@pytest.mark.parametrize("filtered", [False, True])
def test_late_records_of_a_cogroup_stay_late(tmp_path: Path, filtered: bool) -> None:
    with TopologyTestDriver(together(filtered=not filtered), CONFIG) as driver:
        pipe(driver, [*FIRST, ("b", "b", "y", 30_000)])
        driver.savepoint(tmp_path / "point")
    program = together(filtered=filtered)
    with TopologyTestDriver.fromSavepoint(program, CONFIG, tmp_path / "point") as driver:
        pipe(driver, [("in", "b", "late", 3000), ("b", "b", "late", 3000), ("b", "b", "z", 31_000)])
        assert output(driver) == [("b", "xyz", 31_000)]


def pairs(name: str, how: str) -> Topology:
    """A join of two streams with named stores, and operators of this name."""
    builder = StreamsBuilder()
    left: Any = builder.stream("in")
    options: Any = StreamJoined.with_(TEXT, TEXT, TEXT).withStoreName("pairs")
    options = options.withName(name) if name else options
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(5 * SECOND)
    getattr(left, how)(builder.stream("b"), lambda a, b: f"{a}{b}", windows, options).to("out")
    return builder.build()


@pytest.mark.parametrize("how", ["join", "leftJoin", "outerJoin"])
@pytest.mark.parametrize(("before", "after"), [("n1", "n2"), ("", "n2"), ("n1", "")])
def test_each_operator_of_a_join_goes_on(before: str, after: str, how: str) -> None:
    one, other = facts(pairs(before, how)), facts(pairs(after, how))
    found = compare(one, other).nodes
    processors = {each.name for each in other.nodes.values() if each.stores}
    assert processors <= found.keys()
    for new in processors:
        assert set(other.nodes[new].stores) == set(one.nodes[found[new]].stores)


def suppressed(*, wall_clock: bool) -> Topology:
    """Counts that are held for some time."""
    builder = StreamsBuilder()
    limits = Suppressed.BufferConfig.unbounded()
    rule: Any = Suppressed.untilTimeLimit(timedelta(seconds=5), limits).withName("held")
    if wall_clock:
        rule = rule.withWallClock()
    counted: Any = builder.stream("in").groupByKey().count(Materialized.as_("counts"))
    counted.suppress(rule).toStream().mapValues(str).to("out")
    return builder.build()


@pytest.mark.parametrize("wall_clock", [False, True])
def test_a_suppression_gets_and_loses_the_wall_clock(tmp_path: Path, wall_clock: bool) -> None:
    with TopologyTestDriver(suppressed(wall_clock=not wall_clock), CONFIG) as driver:
        pipe(driver, FIRST[:1])
        driver.savepoint(tmp_path / "point")
    program = suppressed(wall_clock=wall_clock)
    with TopologyTestDriver.fromSavepoint(program, CONFIG, tmp_path / "point") as driver:
        pipe(driver, MORE)
        assert output(driver) == [("a", "1", 1000)]
