"""Lengths and points of time as callers write them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, cast

import numpy as np
import pytest

from millstream.core.durations import event_millis, to_epoch_millis, to_millis
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.java_time import from_epoch_millis


class OtherLength(timedelta):
    """As pendulum's: it cannot be divided by a plain ``timedelta``."""

    def __floordiv__(self, other: Any) -> Any:
        raise AttributeError("'datetime.timedelta' object has no attribute '_to_microseconds'")


class OtherTime(datetime):
    """As pendulum's: the time between two is of a class of its own."""

    def __sub__(self, other: Any) -> Any:
        return OtherLength(microseconds=(datetime.__sub__(self, other)) // timedelta(0, 0, 1))


def test_lengths_and_times_of_other_libraries_are_taken_as_what_they_derive_from() -> None:
    assert to_millis(OtherLength(seconds=2), "size") == 2000
    assert to_millis(OtherLength(microseconds=-1999), "size") == -1
    assert to_epoch_millis(OtherTime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc), "time") == 1000


@pytest.mark.parametrize(
    ("given", "millis"),
    [
        (5, 5),
        (-5, -5),
        (timedelta(seconds=2), 2000),
        (timedelta(microseconds=1999), 1),
        (timedelta(microseconds=-1999), -1),
        (timedelta(days=-1), -86_400_000),
    ],
)
def test_durations_are_cut_off_towards_zero(given: Any, millis: Any) -> None:
    assert to_millis(given, "size") == millis


def test_none_is_refused_with_the_parameters_name() -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        to_millis(cast(Any, None), "size")
    assert str(caught.value) == (
        'Invalid value for parameter "size" (value was: null). It shouldn\'t be null.\n'
        "  hint: Pass a timedelta or an integer number of milliseconds."
    )


@pytest.mark.parametrize("given", [1.5, "5", True])
def test_other_types_are_refused(given: Any) -> None:
    with pytest.raises(ClassCastException):
        to_millis(given, "size")


def test_what_does_not_fit_into_64_bits_is_refused() -> None:
    with pytest.raises(IllegalArgumentException, match="can't be converted to milliseconds"):
        to_millis(2**63, "size")


def test_points_of_time_need_a_time_zone() -> None:
    assert to_epoch_millis(datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc), "start") == 1000
    with pytest.raises(IllegalArgumentException, match="no time zone"):
        to_epoch_millis(datetime(1970, 1, 1), "start")


def test_the_end_of_time_is_pythons_last_moment() -> None:
    assert from_epoch_millis(2**63 - 1) == datetime.max.replace(tzinfo=timezone.utc)
    assert from_epoch_millis(1500) == datetime(1970, 1, 1, 0, 0, 1, 500_000, timezone.utc)


def test_a_timedelta64_of_numpy_is_no_event_time() -> None:
    with pytest.raises(ClassCastException, match="timestamp"):
        event_millis(np.timedelta64(5, "s"), "timestamp")
