"""Joins of streams that go on from a savepoint with their sides the other way round, or with fewer
results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat_tests.testing.savepoints.made import CONFIG, output, pipe
from millstream import (
    Consumed,
    JoinWindows,
    Produced,
    Serde,
    Serdes,
    StreamJoined,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
NUMBER: Serde[Any] = Serdes.WrapperSerde(
    lambda topic, value: None if value is None else str(value).encode(),
    lambda topic, data: None if data is None else int(data),
)
"""Its bytes are the text of the number, so that all tests write texts."""
KINDS: dict[str, Any] = {"orders": TEXT, "prices": NUMBER, "again": TEXT}
Join = tuple[str, str, str]
"""Left topic, name of the join's method, right topic."""


def joins(*wanted: Join, name: str) -> Topology:
    """Return a program of joins, each with stores of a name if there is a name."""
    builder = StreamsBuilder()
    topics = sorted({topic for left, _, right in wanted for topic in (left, right)})
    streams = {topic: builder.stream(topic, Consumed.with_(TEXT, KINDS[topic])) for topic in topics}
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(10)
    for number, (left, how, right) in enumerate(wanted):
        stored = StreamJoined.with_(TEXT, KINDS[left], KINDS[right])
        if name:
            stored = stored.withStoreName(f"{name}-{number}")
        join: Callable[..., Any] = getattr(streams[left], how)
        made = join(streams[right], lambda one, other: f"{one!r} {other!r}", windows, stored)
        made.to("out" if not number else f"out-{number}", Produced.with_(TEXT, TEXT))
    return builder.build()


def goes_on(point: Path, before: Topology, after: Topology, first: Any, more: Any) -> list[Any]:
    """Return keys and values of what the second program sends."""
    with TopologyTestDriver(before, CONFIG, 0) as driver:
        pipe(driver, first)
        assert output(driver) == []
        driver.savepoint(point)
    with TopologyTestDriver.fromSavepoint(after, CONFIG, point) as driver:
        pipe(driver, more)
        return [(key, value) for key, value, _ in output(driver)]


ALONE = [("orders", "a", "book", 10), ("prices", "b", "5", 11)]


@pytest.mark.parametrize("name", ["", "priced"])
@pytest.mark.parametrize(
    ("before", "after", "results"),
    [
        ("join", "join", [("a", "7 'book'"), ("b", "5 'pen'")]),
        # That b had no partner was not noted by a left join of orders; that a had none does not
        # matter any more.
        ("leftJoin", "leftJoin", [("a", "7 'book'"), ("b", "5 'pen'"), ("c", "8 None")]),
        ("outerJoin", "outerJoin", [("a", "7 'book'"), ("b", "5 'pen'"), ("c", "8 None")]),
    ],
)
def test_a_join_whose_sides_change_places_keeps_the_records_of_each(
    tmp_path: Path, name: str, before: str, after: str, results: Any
) -> None:
    found = goes_on(
        tmp_path,
        joins(("orders", before, "prices"), name=name),
        joins(("prices", after, "orders"), name=name),
        ALONE,
        [
            ("prices", "a", "7", 12),
            ("orders", "b", "pen", 13),
            ("prices", "c", "8", 14),
            ("prices", "d", "9", 100),
        ],
    )
    assert found == results


@pytest.mark.parametrize("name", ["", "priced"])
def test_records_without_partner_change_sides_with_their_join(tmp_path: Path, name: str) -> None:
    found = goes_on(
        tmp_path,
        joins(("orders", "outerJoin", "prices"), name=name),
        joins(("prices", "outerJoin", "orders"), name=name),
        ALONE,
        [("prices", "d", "9", 100)],
    )
    assert found == [("a", "None 'book'"), ("b", "5 None")]


@pytest.mark.parametrize("name", ["", "priced"])
@pytest.mark.parametrize(
    ("after", "results"),
    [
        (("orders", "leftJoin", "prices"), [("a", "'book' None")]),
        (("prices", "leftJoin", "orders"), [("b", "5 None")]),
    ],
)
def test_a_left_join_in_the_place_of_an_outer_one_has_no_results_without_its_left_side(
    tmp_path: Path, name: str, after: Join, results: Any
) -> None:
    before = joins(("orders", "outerJoin", "prices"), name=name)
    more = [(after[0], "d", "9", 100)]
    assert goes_on(tmp_path, before, joins(after, name=name), ALONE, more) == results


@pytest.mark.parametrize("name", ["", "priced"])
def test_two_joins_of_both_directions_stay_what_they_are(tmp_path: Path, name: str) -> None:
    both = [("orders", "join", "prices"), ("prices", "join", "orders")]
    more = [("prices", "a", "7", 12)]
    found = goes_on(tmp_path, joins(*both, name=name), joins(*both, name=name), ALONE, more)
    assert found == [("a", "'book' 7")]
