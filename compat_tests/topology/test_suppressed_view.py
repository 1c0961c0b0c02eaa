"""The rows that ``suppress`` has let go, as a store for queries."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.topology.driving import TEXT, Piping
from millstream import (
    BufferConfig,
    ClassCastException,
    Consumed,
    Grouped,
    KTable,
    Materialized,
    PositionBound,
    QueryConfig,
    RangeQuery,
    StreamsBuilder,
    Suppressed,
    TimeWindow,
    TimeWindows,
    Windowed,
)

READ = Consumed.with_(TEXT, TEXT)
LATER: Suppressed[Any] = Suppressed.untilTimeLimit(10, BufferConfig.unbounded())
VIEW: Materialized[str, str, Any] = Materialized.as_("view")
VIEW = VIEW.withKeySerde(TEXT).withValueSerde(TEXT)


def view_of(driver: Piping) -> dict[Any, Any]:
    store: Any = driver.driver.getKeyValueStore("view")
    with store.all() as rows:
        return {row.key: row.value for row in rows}


def rows(builder: StreamsBuilder) -> KTable[str, str]:
    return builder.table("in", READ, Materialized.as_("rows"))


VIEWS = {
    "suppress(rule, view)": lambda table: table.suppress(LATER, VIEW),
    "suppress(rule).filter(all, view)": lambda table: table.suppress(LATER).filter(
        lambda *_: True, VIEW
    ),
    "suppress(rule).mapValues(same, view)": lambda table: table.suppress(LATER).mapValues(
        lambda value: value, VIEW
    ),
    "suppress(rule).toStream().toTable(view)": lambda table: (
        table.suppress(LATER).toStream().toTable(VIEW)
    ),
}


@pytest.mark.parametrize("way", VIEWS)
def test_the_view_has_what_has_gone_on_and_the_table_what_has_come(way: str) -> None:
    builder = StreamsBuilder()
    view = VIEWS[way](rows(builder))
    assert view.queryableStoreName() == "view"
    view.toStream().to("out")
    with Piping(builder.build()) as driver:
        driver.pipe("in", "a", "1", 0)
        driver.pipe("in", "b", "2", 5)
        assert view_of(driver) == {}
        assert driver.pipe("in", "a", "3", 10) == [("a", "3", 10)]
        assert view_of(driver) == {"a": "3"}
        driver.pipe("in", "a", "4", 11)
        assert view_of(driver) == {"a": "3"}
        store: Any = driver.driver.getKeyValueStore("rows")
        assert store.get("a") == "4"
        driver.pipe("in", "a", None, 14)
        assert driver.pipe("in", "c", "5", 30) == [("b", "2", 5), ("a", None, 14)]
        assert view_of(driver) == {"b": "2"}


def test_the_view_changes_nothing_of_what_goes_on() -> None:
    builder, without = StreamsBuilder(), StreamsBuilder()
    rows(builder).suppress(LATER, VIEW).toStream().to("out")
    rows(without).suppress(LATER).toStream().to("out")
    given = [("a", "1", 0), ("b", "2", 5), ("a", "3", 10), ("a", None, 20), ("c", "x", 40)]
    with Piping(builder.build()) as one, Piping(without.build()) as other:
        for row in given:
            assert one.pipe("in", *row) == other.pipe("in", *row)


def test_final_results_can_be_asked_for_by_key_and_window() -> None:
    builder = StreamsBuilder()
    hours = TimeWindows.ofSizeWithNoGrace(10)
    counts = builder.stream("in", READ).groupByKey(Grouped.with_(TEXT, TEXT)).windowedBy(hours)
    finals = Suppressed.untilWindowCloses(BufferConfig.unbounded())
    counts.count().suppress(finals.withName("final"), Materialized.as_("view"))
    topology = builder.build()
    assert "Processor: final-view (stores: [view])" in str(topology.describe())
    with Piping(topology) as driver:
        for key, time in (("a", 1), ("b", 2), ("a", 3)):
            driver.pipe("in", key, "x", time)
        assert view_of(driver) == {}
        driver.pipe("in", "a", "x", 10)
        first = TimeWindow(0, 10)
        assert view_of(driver) == {Windowed("a", first): 2, Windowed("b", first): 1}


def test_the_view_answers_queries_of_version_2() -> None:
    builder = StreamsBuilder()
    rows(builder).suppress(LATER, VIEW)
    with Piping(builder.build()) as driver:
        driver.pipe("in", "a", "1", 0)
        driver.pipe("in", "b", "2", 20)
        store: Any = driver.driver.getTimestampedKeyValueStore("view")
        query: RangeQuery[str, Any] = RangeQuery.withNoBounds()
        answer = store.query(query, PositionBound.unbounded(), QueryConfig(False))
        with answer.getResult() as found:
            assert [row.key for row in found] == ["a"]


def test_a_suppressed_table_without_one_has_no_store() -> None:
    assert rows(StreamsBuilder()).suppress(LATER).queryableStoreName() is None
    with pytest.raises(ClassCastException):
        rows(StreamsBuilder()).suppress(LATER, "view")  # type: ignore[arg-type]
