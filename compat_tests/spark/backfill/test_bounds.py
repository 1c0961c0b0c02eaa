"""Bounds of a run over history as users give them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.backfill.bounds import bound, check_order, check_topics


def test_a_time_is_a_datetime_or_epoch_milliseconds() -> None:
    noon = datetime(1970, 1, 1, 12, tzinfo=timezone.utc)
    assert bound(noon, "end").of("any") == 43_200_000 == bound(43_200_000, "end").of("any")


def test_a_topic_has_its_own_time_or_offsets() -> None:
    found = bound({"a": {0: 5}, "b": 7}, "end")
    assert (found.of("a"), found.of("b"), found.of("c")) == ({0: 5}, 7, None)
    assert not bound(None, "end")
    assert not bound({}, "end")


@pytest.mark.parametrize(
    "given",
    [
        "now",
        True,
        -1,
        1.5,
        datetime(2026, 1, 1),  # noqa: DTZ001
        timedelta(1),
        {1: 2},
        {"a": None},
        {"a": {0: -1}},
        {"a": {"0": 1}},
        {"a": {True: 1}},
        [("a", 0)],
    ],
)
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="is not a bound of history"):
        bound(given, "end")


@pytest.mark.parametrize(
    ("start", "end"), [(5, 4), ({"a": 5}, {"a": 4}), ({"a": {0: 5}}, {"a": {0: 4}}), (5, {"a": 4})]
)
def test_an_end_before_the_start_is_refused(start: Any, end: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="is before the start"):
        check_order(bound(start, "start"), bound(end, "end"))


@pytest.mark.parametrize("given", [{"b": 1}, {"a": {2: 1}}])
def test_a_bound_of_what_is_not_read_is_refused(given: Any) -> None:
    with pytest.raises(IllegalArgumentException):
        check_topics([bound(given, "end")], {"a": 2})
