"""What stores hold besides plain values, and positions: odd arguments."""

from __future__ import annotations

import pytest

from millstream import (
    AggregationWithHeaders,
    Headers,
    Position,
    PositionBound,
    ValueTimestampHeaders,
)
from millstream.core.errors import NullPointerException, UnsupportedOperationException


def test_an_aggregate_needs_headers() -> None:
    for make in (AggregationWithHeaders.make, AggregationWithHeaders.makeAllowNullable):
        with pytest.raises(NullPointerException, match="headers must not be null"):
            make("on", None)
    with pytest.raises(NullPointerException):
        AggregationWithHeaders.makeAllowNullable(None, None)
    assert AggregationWithHeaders.make(None, None) is None
    assert AggregationWithHeaders.makeAllowNullable(None, Headers()).aggregation() is None


def test_a_value_without_headers_gets_empty_ones() -> None:
    made = ValueTimestampHeaders.make("on", 1, None)
    assert made is not None
    assert made.headers() == Headers()


def test_values_with_headers_are_shown_as_in_java() -> None:
    assert str(ValueTimestampHeaders("on", 1)).startswith(
        "ValueTimestampHeaders{value=on, timestamp=1, headers="
    )
    assert str(AggregationWithHeaders("on")).startswith(
        "AggregationWithHeaders{aggregation=on, headers="
    )


def test_a_position_of_none_is_empty() -> None:
    assert Position.fromMap(None) == Position.emptyPosition()


def test_a_position_has_no_hash() -> None:
    for unhashable in (Position.emptyPosition(), PositionBound.unbounded()):
        with pytest.raises(UnsupportedOperationException, match="not suitable as a hash key"):
            hash(unhashable)
