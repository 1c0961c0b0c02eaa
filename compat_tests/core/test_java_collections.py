"""The orders of Java's collections, against what a JVM printed (``golden/java_orders.json``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.core.java_collections import (
    PriorityQueue,
    TreeSet,
    copied_hash_order,
    hash_order,
)

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "golden" / "java_orders.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("names", "filled", "copied"), GOLDEN["hash"])
def test_hash_sets_iterate_as_javas(names: list[str], filled: list[str], copied: list[str]) -> None:
    assert hash_order(names) == filled
    assert copied_hash_order(names) == copied


@pytest.mark.parametrize("operations", GOLDEN["queue"])
def test_equal_keys_leave_the_queue_as_in_java(operations: list[str]) -> None:
    queue: PriorityQueue[tuple[int, int]] = PriorityQueue(lambda item: item[0])
    added = 0
    for operation in operations:
        number = int(operation[1:])
        if operation[0] == "+":
            queue.add((number, added))
            added += 1
        else:
            assert queue.poll()[1] == number


@given(keys=st.lists(st.integers(1, 3), max_size=8), times=st.integers(0, 12))
def test_turning_equals_adding_and_polling_a_smallest_item(keys: list[int], times: int) -> None:
    turned, slow = (PriorityQueue[tuple[int, int]](lambda item: item[0]) for _ in range(2))
    for item in enumerate(keys):
        turned.add(item[::-1])
        slow.add(item[::-1])
    turned.add_and_poll_smallest(times)
    for _ in range(times):
        slow.add((0, 0))
        assert slow.poll() == (0, 0)
    assert [turned.poll() for _ in keys] == [slow.poll() for _ in keys]


@pytest.mark.parametrize(("operations", "order"), GOLDEN["tree"])
def test_a_tree_whose_keys_grow_keeps_javas_shape(operations: list[str], order: list[str]) -> None:
    sizes: dict[str, int] = {}

    def compare(one: str, other: str) -> int:
        if one == other:
            return 0
        if sizes[one] != sizes[other]:
            return sizes[other] - sizes[one]
        return -1 if one < other else 1

    tree: TreeSet[str] = TreeSet(compare)
    for operation in operations:
        verb, name, size = operation.split()
        sizes[name] = int(size)
        if verb == "add":
            tree.add(name)
    assert tree.items() == order
