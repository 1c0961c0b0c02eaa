"""The worked examples of KIP-94.

Kafka Streams gives the same results: scenarios ``own-kip-*`` of session windows and stores. It
differs from the text in two points, said where they show: what is exactly a gap away belongs to
the session, and a record that is too late makes no session at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compat_tests.topology.driving import TEXT, Piping, Row, outputs
from millstream import (
    Consumed,
    Grouped,
    Materialized,
    SessionWindow,
    SessionWindows,
    StreamsBuilder,
    Topology,
    Windowed,
)

MINUTE = 60_000


def sessions(windows: SessionWindows) -> Topology:
    """All values of a session, as text in the order of merging."""
    builder = StreamsBuilder()
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
    table = grouped.windowedBy(windows).aggregate(
        lambda: "",
        lambda _, value, text: text + value,
        lambda _, first, second: first + second,
        Materialized.as_("session-store").withValueSerde(TEXT),
    )
    table.toStream(lambda key, _: shown(key)).to("out")
    return builder.build()


def shown(key: Any) -> str:
    return f"{key.key()}@{key.window().start()}/{key.window().end()}"


def within(gap: int, grace: int) -> SessionWindows:
    return SessionWindows.ofInactivityGapAndGrace(gap, grace)


def results(windows: SessionWindows, rows: Sequence[tuple[str, str, int]]) -> list[Any]:
    given: list[Row] = [("in", *row) for row in rows]
    found = outputs(sessions(windows), given)
    return [[(key, value) for key, value, _ in each] for each in found]


def test_the_typical_aggregation_five_minutes_until_an_hour() -> None:
    """``inactivityGap(FIVE_MINUTES).until(ONE_HOUR)``; the hour is now gap and grace together."""
    rows = [
        ("a", "1", 0),
        ("a", "2", 5 * MINUTE),
        ("a", "3", 10 * MINUTE + 1),
        ("a", "4", 7 * MINUTE + 30_000),
        ("b", "x", 75 * MINUTE),
        ("a", "5", 15 * MINUTE - 1),
        ("a", "6", 15 * MINUTE),
    ]
    assert results(within(5 * MINUTE, 55 * MINUTE), rows) == [
        [("a@0/0", "1")],
        [("a@0/0", None), ("a@0/300000", "12")],
        [("a@600001/600001", "3")],
        [("a@0/300000", None), ("a@600001/600001", None), ("a@0/600001", "1234")],
        [("b@4500000/4500000", "x")],
        [],
        [("a@900000/900000", "6")],
    ]


def test_a_session_that_ends_or_begins_exactly_a_gap_away_is_merged() -> None:
    """The text says ``> now - gap`` and ``< now + gap``; Kafka includes both bounds."""
    rows = [("a", "1", 100), ("a", "2", 110), ("a", "3", 121), ("a", "4", 90), ("a", "5", 79)]
    assert results(within(10, 1000), rows) == [
        [("a@100/100", "1")],
        [("a@100/100", None), ("a@100/110", "12")],
        [("a@121/121", "3")],
        [("a@100/110", None), ("a@90/110", "124")],
        [("a@79/79", "5")],
    ]


def test_the_steps_of_a_record_find_merge_aggregate_store_remove() -> None:
    windows = within(10, 1000)
    with Piping(sessions(windows)) as driver:
        for value, time in (("1", 0), ("2", 30), ("3", 15)):
            driver.pipe("in", "a", value, time)
        driver.pipe("in", "b", "9", 15)
        merged = driver.pipe("in", "a", "4", 22)
        # Tombstones first, with the times of what they delete.
        assert merged == [
            ("a@15/15", None, 15),
            ("a@30/30", None, 30),
            ("a@15/30", "324", 30),
        ]
        assert driver.pipe("in", "a", "5", 8) == [
            ("a@0/0", None, 0),
            ("a@15/30", None, 30),
            ("a@0/30", "13245", 30),
        ]
        store: Any = driver.driver.getSessionStore("session-store")
        with store.fetch("a") as found:
            assert [(shown(each.key), each.value) for each in found] == [("a@0/30", "13245")]
        with store.fetch("b") as found:
            assert [(shown(each.key), each.value) for each in found] == [("b@15/15", "9")]


@pytest.mark.parametrize("order", ["123", "132", "213", "231", "312", "321"])
def test_sessions_that_meet_become_one_whatever_the_order(order: str) -> None:
    times = {"1": 0, "2": 10, "3": 20}
    with Piping(sessions(within(10, 1000))) as driver:
        key, merged, time = [driver.pipe("in", "a", value, times[value]) for value in order][-1][-1]
        assert (key, sorted(merged), time) == ("a@0/20", ["1", "2", "3"], 20)
        store: Any = driver.driver.getSessionStore("session-store")
        with store.fetch("a") as found:
            assert [shown(each.key) for each in found] == ["a@0/20"]


def test_a_record_that_comes_after_gap_and_grace_is_dropped() -> None:
    """The text aggregates it into a session that is not stored; Kafka drops it."""
    rows = [("a", "1", 0), ("b", "x", 100), ("a", "2", 69), ("a", "3", 70), ("a", "4", 60)]
    topology = sessions(within(10, 20))
    with Piping(topology) as driver:
        found = [[pair[:2] for pair in driver.pipe("in", *row)] for row in rows]
        assert found == [[("a@0/0", "1")], [("b@100/100", "x")], [], [("a@70/70", "3")], []]
        dropped = [
            metric.metricValue()
            for name, metric in driver.driver.metrics().items()
            if name.name() == "dropped-records-total"
        ]
        assert sum(map(float, dropped)) == 2


STORED = [(0, 99, "1"), (101, 200, "2"), (201, 300, "3"), (301, 400, "4")]


@pytest.mark.parametrize(
    ("earliest_end", "latest_start", "expected"),
    [
        (0, 1000, "1234"),
        (100, 200, "2"),
        (200, 300, "23"),
        (201, 300, "3"),
        (99, 101, "12"),
        (0, 0, "1"),
        (150, 150, "2"),
        (400, 1000, "4"),
        (401, 1000, ""),
    ],
)
def test_sessions_are_found_by_their_latest_start_and_earliest_end(
    earliest_end: int, latest_start: int, expected: str
) -> None:
    """The text's four sessions."""
    with Piping(sessions(within(0, 100_000))) as driver:
        store: Any = driver.driver.getSessionStore("session-store")
        fill(store, STORED)
        with store.findSessions("a", earliest_end, latest_start) as found:
            assert "".join(each.value for each in found) == expected
        assert store.fetchSession("a", 201, 300) == "3"
        assert store.fetchSession("a", 201, 299) is None


def fill(store: Any, rows: Sequence[tuple[int, int, str]]) -> None:
    for start, end, value in rows:
        store.put(Windowed("a", SessionWindow(start, end)), value)
