"""Times of a batch's parts: what is measured in a worker, and what the driver keeps of it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark import TaskContext

from millstream.topology.spark import part_times
from millstream.topology.spark.part_times import KEPT_BATCHES, PartTimes, Timed, timed


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Task:
    def getLocalProperty(self, name: str) -> str | None:
        assert name == "streaming.sql.batchId"
        return "7"


class Sent(list[Any]):
    add = list.extend


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(part_times, "time", found)
    monkeypatch.setattr(TaskContext, "get", staticmethod(Task))
    return found


@pytest.mark.parametrize(("fetches", "ms"), [(True, 3300.0), (False, 300.0)])
def test_a_function_is_timed_with_or_without_what_it_waits_for(
    clock: Clock, fetches: bool, ms: float
) -> None:
    def arriving() -> Iterator[int]:
        for number in range(3):
            clock.now += 1
            yield number

    def work(numbers: Iterator[int]) -> Iterator[int]:
        for number in numbers:
            clock.now += 0.1
            yield number

    sent = Sent()
    found = []
    for number in timed(sent, "pack", work, fetches=fetches)(arriving()):
        clock.now += 50  # what takes the rows is slow
        found.append(number)
    assert found == [0, 1, 2]
    ((batch, part, took),) = sent
    assert (batch, part) == (7, "pack")
    assert took == pytest.approx(ms)


def test_a_function_that_returns_an_iterator_is_timed(clock: Clock) -> None:
    def arriving() -> Iterator[int]:
        clock.now += 1
        yield 0

    def write(numbers: Iterator[int]) -> Iterator[int]:
        list(numbers)
        clock.now += 0.25
        return iter(())

    sent = Sent()
    assert list(timed(sent, "sink", write)(arriving())) == []
    assert sent == [Timed(7, "sink", 250.0)]


def test_a_function_that_fails_reports_nothing(clock: Clock) -> None:
    def fail(numbers: Iterator[int]) -> Iterator[int]:
        raise ArithmeticError("boom")

    sent = Sent()
    with pytest.raises(ArithmeticError):
        list(timed(sent, "sink", fail)(iter([1])))
    assert sent == []


def test_without_reports_the_function_is_left_as_it_is() -> None:
    def same(numbers: Iterator[int]) -> Iterator[int]:
        return numbers

    assert timed(None, "pack", same) is same


def test_the_driver_keeps_the_longest_of_each_part_of_the_last_batches() -> None:
    times = PartTimes()
    for batch in range(KEPT_BATCHES + 3):
        times.addInPlace([], [Timed(batch, "pack", 5.0), Timed(batch, "pack", 9.0)])
    times.addInPlace([], [Timed(KEPT_BATCHES + 2, "sink", 1.5)])
    assert times.of(KEPT_BATCHES + 2) == {"pack": 9.0, "sink": 1.5}
    assert times.of(0) == {}
    assert times.of(3) == {"pack": 9.0}


def test_a_worker_sends_what_it_has_reported() -> None:
    there = pickle.loads(pickle.dumps(PartTimes()))
    first, second = Timed(1, "pack", 1.0), Timed(1, "sink", 2.0)
    assert there.addInPlace(there.zero([first]), [second]) == [second]
    assert there.addInPlace([first], [second]) == [first, second]
