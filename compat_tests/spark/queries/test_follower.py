"""The thread that keeps copies for queries up to date: what it asks for, applies and reads."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field

import pytest

from millstream.topology.spark.queries.carrying import Carrying
from millstream.topology.spark.queries.follower import ASKED_S, LATER_S, SOON_S, QueryFollower
from millstream.topology.spark.state.carried import CarriedBatch, asked_of


@dataclass
class Copies:
    """Copies of one stage that are at a batch, and what was done to them."""

    clock: Clock
    batch: int = -1
    committed: int = -1
    follows: bool = True
    took: float = 0.0
    read_: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    looked: threading.Event = field(default_factory=threading.Event)

    def advance(self, stage: int) -> int | None:
        self.looked.set()
        if self.follows or self.batch == self.committed:
            self.batch = self.committed
            return None
        return self.committed

    def read(self, stage: int, names: Collection[str]) -> None:
        self.read_.append((stage, frozenset(names)))
        self.batch = self.committed
        self.clock.now += self.took

    def oldest(self, stages: Collection[int]) -> int:
        return self.batch


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def copies(clock: Clock) -> Copies:
    return Copies(clock)


@pytest.fixture
def carrying() -> Carrying:
    made = Carrying()
    made.starts("r")
    return made


@pytest.fixture
def follower(carrying: Carrying, copies: Copies, clock: Clock) -> QueryFollower:
    made = QueryFollower(carrying, copies, clock)
    # The tests look themselves.
    made._thread = threading.current_thread()
    return made


def ends(carrying: Carrying, batch: int) -> None:
    report = CarriedBatch(run_id="r", batch=batch, asked='{"0":["kv"]}')
    carrying.reports.addInPlace([], [report])


def test_nothing_is_asked_for_without_questions(
    carrying: Carrying, follower: QueryFollower
) -> None:
    assert follower.look() is None
    assert carrying._text == ""


def test_a_store_counts_as_asked_for_until_some_time_after_a_question(
    carrying: Carrying, follower: QueryFollower, clock: Clock
) -> None:
    follower.asked(0, "kv")
    clock.now += ASKED_S / 2
    follower.asked(0, "other")
    assert follower.look() == LATER_S
    assert asked_of(carrying._text) == {0: {"kv", "other"}}
    clock.now += ASKED_S / 2 + 1
    follower.look()
    assert asked_of(carrying._text) == {0: {"other"}}
    clock.now += ASKED_S
    assert follower.look() is None
    assert carrying._text == ""


def test_the_commit_of_a_batch_that_has_ended_is_looked_for_often(
    carrying: Carrying, follower: QueryFollower, copies: Copies
) -> None:
    follower.asked(0, "kv")
    ends(carrying, 0)
    assert follower.look() == SOON_S
    copies.committed = 0
    assert follower.look() == LATER_S
    assert (copies.batch, copies.read_) == (0, [])
    assert (carrying.newest(), carrying.carried(0, 0)) == (0, None)


def test_the_checkpoint_is_read_only_where_batches_carry_changes_now(
    carrying: Carrying, follower: QueryFollower, copies: Copies
) -> None:
    follower.asked(0, "kv")
    copies.follows, copies.committed = False, 3
    follower.look()
    assert copies.read_ == []
    ends(carrying, 4)
    copies.committed = 4
    follower.look()
    assert copies.read_ == [(0, frozenset({"kv"}))]


def test_reading_the_checkpoint_takes_a_bounded_part_of_the_time(
    carrying: Carrying, follower: QueryFollower, copies: Copies, clock: Clock
) -> None:
    follower.asked(0, "kv")
    copies.follows, copies.took = False, 2.0
    reads = []
    for batch in range(30):
        follower.asked(0, "kv")
        ends(carrying, batch)
        copies.committed = batch
        follower.look()
        reads.append(len(copies.read_))
        clock.now += 1
    assert reads[0] == 1
    assert reads[17] == 1
    assert reads[-1] == 2


def test_a_question_wakes_the_thread_and_an_error_does_not_end_it(clock: Clock) -> None:
    carrying, copies = Carrying(), Copies(clock)
    failed = threading.Event()

    def fail(stages: Collection[int]) -> int:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("Spark is away")
        return 0

    copies.oldest = fail  # type: ignore[method-assign]
    follower = QueryFollower(carrying, copies, clock)
    follower.asked(0, "kv")
    assert failed.wait(30)
    copies.looked.clear()
    follower.asked(0, "other")
    assert copies.looked.wait(30)
    follower.close()
    assert follower._thread is not None
    assert not follower._thread.is_alive()
    follower.asked(0, "third")
    follower.close()
