"""Odd arguments of requests, positions and ids: named where they are given."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    ClassCastException,
    CloseOptions,
    ConfigException,
    HostInfo,
    KeyQuery,
    Position,
    PositionBound,
    StateQueryRequest,
    TaskId,
    TaskIdFormatException,
)

REQUEST: Any = StateQueryRequest.inStore("s").withQuery(KeyQuery.withKey("k"))


@pytest.mark.parametrize("wrong", [5, b"s", []])
def test_a_store_is_named_by_a_text(wrong: Any) -> None:
    with pytest.raises(ClassCastException, match="name cannot be"):
        StateQueryRequest.inStore(wrong)


@pytest.mark.parametrize("wrong", [5, "01", ["0"], [None]])
def test_partitions_are_whole_numbers(wrong: Any) -> None:
    with pytest.raises(ClassCastException, match="partitions cannot be") as caught:
        REQUEST.withPartitions(wrong)
    assert "such as {0}" in caught.value.hint
    assert REQUEST.withPartitions(range(2)).getPartitions() == {0, 1}


def test_a_position_bound_is_no_position() -> None:
    position = Position.emptyPosition()
    with pytest.raises(ClassCastException, match="positionBound cannot be a Position") as caught:
        REQUEST.withPositionBound(position)
    assert "PositionBound.at(position)" in caught.value.hint
    assert REQUEST.withPositionBound(PositionBound.at(position)) is not None


@pytest.mark.parametrize("wrong", [5, ["a:1"]])
def test_positions_hosts_tasks_and_choices_are_of_their_types(wrong: Any) -> None:
    with pytest.raises(ClassCastException, match="map cannot be"):
        Position.fromMap(wrong)
    with pytest.raises(ConfigException, match="Error parsing host address"):
        HostInfo.buildFromEndpoint(wrong)
    with pytest.raises(TaskIdFormatException, match="Task id cannot be parsed"):
        TaskId.parse(wrong)
    with pytest.raises(ClassCastException, match="operation cannot be"):
        CloseOptions.groupMembershipOperation(wrong)
