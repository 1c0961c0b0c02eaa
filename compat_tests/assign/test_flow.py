"""The cheapest placement, beside all placements that there are."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from millstream.core.assignment.flow import cheapest, fair_counts

Problem = tuple[list[list[int]], list[int]]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    clients, tasks = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 9), min_size=clients, max_size=clients)
    costs = draw(st.lists(row, min_size=tasks, max_size=tasks))
    start = draw(st.lists(st.integers(0, clients - 1), min_size=tasks, max_size=tasks))
    return costs, start


def total(costs: list[list[int]], where: list[int] | tuple[int, ...]) -> int:
    return sum(row[client] for row, client in zip(costs, where, strict=True))


def counted(where: list[int] | tuple[int, ...], clients: int) -> list[int]:
    counts = Counter(where)
    return [counts[client] for client in range(clients)]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problem=problems())
def test_no_placement_with_these_counts_costs_less(problem: Problem) -> None:
    costs, start = problem
    clients = len(costs[0])
    counts = counted(start, clients)
    found = cheapest(costs, start, counts)
    assert counted(found, clients) == counts
    placements = product(range(clients), repeat=len(costs))
    same = [where for where in placements if counted(where, clients) == counts]
    assert total(costs, found) == min(total(costs, where) for where in same)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problem=problems())
def test_no_even_placement_costs_less(problem: Problem) -> None:
    costs, start = problem
    clients = len(costs[0])
    counts, more = fair_counts(len(costs), [1] * clients, [0] * clients)
    found = cheapest(costs, start, counts, more)
    even = sorted(counts)
    assert sorted(counted(found, clients)) == even
    placements = product(range(clients), repeat=len(costs))
    same = [where for where in placements if sorted(counted(where, clients)) == even]
    assert total(costs, found) == min(total(costs, where) for where in same)


def test_a_task_stays_where_another_place_costs_the_same() -> None:
    assert cheapest([[1, 1], [1, 1]], [1, 0], [1, 1]) == [1, 0]


def test_counts_go_by_threads_then_by_what_clients_have() -> None:
    assert fair_counts(9, [1, 2, 1], [5, 0, 0]) == ([2, 5, 2], {1})
    assert fair_counts(3, [1, 2, 4], [0, 0, 0]) == ([1, 1, 1], set())
