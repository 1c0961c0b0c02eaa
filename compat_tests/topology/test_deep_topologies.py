"""Topologies of very many operators: Python's limit of nested calls is none for a topology."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compat_tests.topology.driving import Piping, Row, outputs
from millstream import ContextualProcessor, KTable, Record, StreamsBuilder
from millstream.core.engine.depth import longest_way

DEEP = 400
ROW: Row = ("in", "k", "v", 1)


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


class Through(ContextualProcessor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context().forward(record)


def mapped(builder: StreamsBuilder) -> Any:
    stream = builder.stream("in")
    for _ in range(DEEP):
        stream = stream.mapValues(lambda value: value)
    return stream


def processed(builder: StreamsBuilder) -> Any:
    stream = builder.stream("in")
    for _ in range(DEEP):
        stream = stream.process(Through)
    return stream


def tables(builder: StreamsBuilder) -> Any:
    table: KTable[Any, Any] = builder.table("in")
    for _ in range(DEEP):
        table = table.filter(lambda key, value: True)
    return table.toStream()


def reduced(builder: StreamsBuilder) -> Any:
    stream = builder.stream("in")
    for _ in range(DEEP // 4):
        stream = stream.groupByKey().reduce(lambda old, new: new).toStream()
    return stream


def merged(builder: StreamsBuilder) -> Any:
    stream = builder.stream("in")
    for number in range(DEEP):
        stream = stream.merge(builder.stream(f"in-{number}"))
    return stream


@pytest.mark.parametrize("above", [mapped, processed, tables, reduced, merged])
@pytest.mark.parametrize("cache", [0, 100_000])
def test_a_record_goes_through_hundreds_of_operators(
    above: Callable[[StreamsBuilder], Any], cache: int
) -> None:
    builder = StreamsBuilder()
    above(builder).to("out")
    with Piping(builder.build(), **{"statestore.cache.max.bytes": cache}) as driver:
        assert [driver.pipe(*ROW), driver.pipe(*ROW)] == [[("k", "v", 1)]] * 2


def test_a_small_topology_leaves_pythons_limit_as_it_is() -> None:
    builder = StreamsBuilder()
    builder.stream("in").mapValues(lambda value: value).to("out")
    sys.setrecursionlimit(900)
    assert outputs(builder.build(), [ROW]) == [[("k", "v", 1)]]
    assert sys.getrecursionlimit() == 900


def test_a_higher_limit_is_never_lowered() -> None:
    builder = StreamsBuilder()
    mapped(builder).to("out")
    sys.setrecursionlimit(100_000)
    outputs(builder.build(), [])
    assert sys.getrecursionlimit() == 100_000


def test_the_longest_way_is_of_nodes_below_one_another() -> None:
    builder = StreamsBuilder()
    source = builder.stream("in")
    source.mapValues(lambda value: value).mapValues(lambda value: value).to("out")
    source.to("other")
    (part,) = builder.build().plan().subtopologies
    assert longest_way(part) == 4


def test_what_branches_and_merges_many_times_is_described() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    for _ in range(60):
        stream = stream.filter(lambda key, value: True).merge(stream.mapValues(lambda value: value))
    stream.to("out")
    (part,) = builder.build().describe().subtopologies()
    assert len(part.nodes()) == 60 * 3 + 2
