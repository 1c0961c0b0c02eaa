"""Values under Java's names: their texts, and what they refuse."""

from __future__ import annotations

import pytest

from millstream import (
    AggregationWithHeaders,
    Headers,
    NullPointerException,
    Position,
    UnsupportedOperationException,
    ValueTimestampHeaders,
)

EMPTY = "RecordHeaders(headers = [], isReadOnly = false)"


def test_a_position_of_no_map_is_empty() -> None:
    assert Position.fromMap(None) == Position.emptyPosition()
    assert Position.fromMap({}).isEmpty()


def test_a_position_is_no_key_of_a_dictionary() -> None:
    with pytest.raises(UnsupportedOperationException, match="not suitable as a hash key"):
        hash(Position.emptyPosition())


def test_an_aggregation_needs_headers_unless_there_is_none() -> None:
    assert AggregationWithHeaders.make(None, None) is None
    for make in (AggregationWithHeaders.make, AggregationWithHeaders.makeAllowNullable):
        with pytest.raises(NullPointerException) as caught:
            make("x", None)
        assert caught.value.problem == "headers must not be null"


def test_texts_are_javas() -> None:
    position = Position.fromMap({"in": {0: 5, 1: 6}})
    assert str(position) == "Position{position={in={0=5, 1=6}}}"
    both = AggregationWithHeaders.make("x", Headers())
    assert str(both) == f"AggregationWithHeaders{{aggregation=x, headers={EMPTY}}}"
    three = ValueTimestampHeaders.makeAllowNullable(None, 1, None)
    assert str(three) == f"ValueTimestampHeaders{{value=null, timestamp=1, headers={EMPTY}}}"
