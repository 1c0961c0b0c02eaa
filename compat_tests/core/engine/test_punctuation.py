"""Schedules of one clock: which are due, in which order, and what a restart has to know."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from millstream.core.engine import snapshots
from millstream.core.engine.punctuation import Punctuation, PunctuationQueue
from millstream.core.java_collections import PriorityQueue

NODE = SimpleNamespace(name="node")


class Clock:
    """A queue, and what it has called."""

    def __init__(self) -> None:
        self.queue = PunctuationQueue()
        self.called: list[tuple[int, int]] = []

    def add(
        self, ordinal: int, due_ms: int, interval_ms: int = 25, made_ms: int = 0
    ) -> Punctuation:
        made = Punctuation(NODE, ordinal, due_ms, interval_ms, lambda _: None)
        made.made_ms = made_ms
        self.queue.add(made)
        return made

    def run(self, now_ms: int, **keywords: Any) -> list[int]:
        def punctuate(punctuation: Punctuation, now_ms: int) -> None:
            self.called.append((punctuation.ordinal, now_ms))
            punctuation.callback(now_ms)

        before = len(self.called)
        self.queue.run(now_ms, punctuate, **keywords)
        return [ordinal for ordinal, _ in self.called[before:]]


def test_what_is_new_and_due_at_once_waits_until_the_clock_has_moved() -> None:
    clock = Clock()
    clock.add(0, due_ms=0)
    assert [clock.run(0, new_wait=True) for _ in range(3)] == [[], [], []]
    assert clock.queue.next_ms() == 0
    assert [clock.run(now, new_wait=True) for now in (24, 25, 49, 72)] == [[0], [0], [], [0]]


def test_without_being_told_to_wait_what_is_due_at_once_runs_at_once() -> None:
    clock = Clock()
    clock.add(0, due_ms=0)
    assert clock.run(0) == [0]


def test_what_a_punctuator_schedules_for_the_present_runs_at_the_present() -> None:
    clock = Clock()
    first = clock.add(0, due_ms=20)
    first.callback = lambda _: clock.add(1, due_ms=20, made_ms=20)
    assert clock.run(0, new_wait=True) == []
    assert clock.run(20, new_wait=True) == [0, 1]


def test_what_waits_lets_what_is_older_run() -> None:
    clock = Clock()
    clock.add(0, due_ms=5)
    assert clock.run(0, new_wait=True) == []
    clock.add(1, due_ms=5, made_ms=5)
    assert clock.run(5, new_wait=True) == [0]
    assert clock.run(6, new_wait=True) == [1]


def test_what_waits_keeps_its_place_among_equal_times() -> None:
    held, plain = Clock(), Clock()
    for clock in (held, plain):
        for ordinal in range(5):
            clock.add(ordinal, due_ms=0)
    held.run(0, new_wait=True)
    assert held.run(1, new_wait=True) == plain.run(1)


def test_a_schedule_that_was_restored_is_not_new() -> None:
    clock, following = Clock(), Clock()
    clock.add(0, due_ms=50)
    following.add(0, due_ms=75, made_ms=50)
    following.queue.restore(clock.queue.saved(), 50)
    assert following.run(50, new_wait=True) == [0]


def test_nothing_is_saved_of_what_was_scheduled_after_the_start() -> None:
    clock = Clock()
    clock.add(0, due_ms=10)
    clock.queue.settle()
    for ordinal in range(1, 1000):
        clock.add(ordinal, due_ms=10).cancel()
    assert clock.queue.saved() == [("node", 0, 10, False)]


@pytest.mark.parametrize("due_ms", [2**63 - 1, 2**63, 2**64])
def test_a_snapshot_with_a_schedule_that_is_never_due_can_be_read(due_ms: int) -> None:
    clock, following = Clock(), Clock()
    clock.add(0, due_ms=due_ms, interval_ms=2**63 - 1)
    following.add(0, due_ms=due_ms, interval_ms=2**63 - 1)
    saved = clock.queue.saved()
    written = snapshots.encode(
        stream_time=5,
        partition_times={},
        stream_punctuations=saved,
        clock_punctuations=saved,
        processors={},
    )
    following.queue.restore(snapshots.decode(written).clock_punctuations, 1_800_000_000_000)
    assert following.queue.next_ms() == 2**63 - 1


def test_what_is_not_due_yet_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may have a schedule for each of its records."""
    clock = Clock()
    for ordinal in range(5):
        clock.add(ordinal, due_ms=ordinal)
    monkeypatch.setattr(PriorityQueue, "items", None)
    assert [clock.run(now) for now in range(3)] == [[0], [1], [2]]
