"""New executors: their workers are started outside of batches, and no task moves there before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compat_tests.placement.simulated import Simulated
from compat_tests.placement.test_watcher import CLUSTER, MadeUp, made_up, placement
from millstream.testing.broker import wait_for
from millstream.topology.spark.placement import warming
from millstream.topology.spark.placement.facts import Executor

__all__ = ["made_up"]

JOB: Any = SimpleNamespace(standbys="")


class Warmed:
    """Starts of workers that wait until they may end."""

    def __init__(self) -> None:
        self.executors: list[str] = []
        self.may_end = threading.Event()

    def warm(self, start: Any, executor: Executor) -> bool:
        self.executors.append(executor.id)
        return self.may_end.wait(10)


@pytest.fixture
def warmed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Warmed]:
    made = Warmed()
    monkeypatch.setattr(warming, "warm", made.warm)
    monkeypatch.setattr(warming, "prepared", lambda *given: None)
    monkeypatch.setattr(warming, "takes_tasks", lambda *given: True)
    yield made
    made.may_end.set()


@pytest.mark.parametrize("takes", [None, 1])
def test_no_task_moves_to_a_new_executor_until_its_workers_have_started(takes: int | None) -> None:
    spark = Simulated(6, executors=["0", "1"], learning_takes=takes)
    spark.settle()
    spark.executors, spark.cold = ["0", "1", "2"], frozenset(["2"])
    assert not any(spark.settle(5))
    spark.cold, spark.fresh = frozenset(), frozenset(["2"])
    assert not any(spark.settle(2))
    spark.fresh = frozenset()
    spark.settle()
    assert len(spark.owners()["2"]) == 2


def test_a_task_without_an_executor_does_not_wait() -> None:
    spark = Simulated(2, executors=["0", "1"])
    spark.settle()
    spark.executors, spark.cold = ["2"], frozenset(["2"])
    spark.run()
    assert set(spark.look().values()) <= {"2"}
    assert spark.owners()["2"] == [0, 1]


def test_an_executor_that_joins_is_warmed_once_and_those_of_the_start_are_not(
    made_up: MadeUp, warmed: Warmed, tmp_path: Path
) -> None:
    query: Any = SimpleNamespace(isActive=True)
    placed = placement(tmp_path, CLUSTER)
    placed.watch(query, JOB)
    made_up.batch = 4
    wait_for(lambda: all(place.executor for place in placed.places()), 10)
    made_up.ids.append("2")
    made_up.batch = 5
    wait_for(lambda: warmed.executors == ["2"], 10)
    wait_for(lambda: any(place.wanted == "2" for place in placed.places()), 10)
    assert "2" not in made_up.places.values()
    warmed.may_end.set()

    def moves_after_a_batch() -> bool:
        made_up.batch += 1
        return "2" in made_up.places.values()

    wait_for(moves_after_a_batch, 10)
    assert warmed.executors == ["2"]
    query.isActive = False


def test_where_spark_places_tasks_no_worker_is_started_ahead(
    made_up: MadeUp, warmed: Warmed, tmp_path: Path
) -> None:
    query: Any = SimpleNamespace(isActive=True)
    placed = placement(tmp_path, CLUSTER, millstream_steer_tasks=False)
    made_up.batch = 4
    placed.watch(query, JOB)
    made_up.ids.append("2")
    made_up.batch = 5
    wait_for(lambda: len(placed.executors()) == len(made_up.ids), 10)
    query.isActive = False
    assert warmed.executors == []


def test_an_executor_counts_as_cold_for_a_time_only(
    warmed: Warmed, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    found.prepare(JOB)
    found.begin(Executor(id="2", host="b"))
    found.begin(Executor(id="2", host="b"))
    assert found.cold() == {"2"}
    wait_for(lambda: warmed.executors == ["2"], 10)
    monkeypatch.setattr(warming, "AGAIN_S", 0.0)
    monkeypatch.setattr(warming, "PATIENCE_S", 0.0)
    assert found.cold() == frozenset()
    found.begin(Executor(id="2", host="b"))
    assert warmed.executors == ["2"]


def test_an_executor_is_fresh_until_a_whole_batch_has_run(warmed: Warmed) -> None:
    found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    found.prepare(JOB)
    found.begin(Executor(id="2", host="b"))
    assert found.fresh(7) == frozenset()
    warmed.may_end.set()
    wait_for(lambda: not found.cold(), 10)
    assert [found.fresh(batch) for batch in (7, 8, 9)] == [{"2"}, {"2"}, set()]


def test_batches_that_are_counted_anew_keep_no_executor_fresh(warmed: Warmed) -> None:
    found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    found.prepare(JOB)
    found.begin(Executor(id="2", host="b"))
    warmed.may_end.set()
    wait_for(lambda: not found.cold(), 10)
    assert found.fresh(7) == {"2"}
    assert found.fresh(0) == frozenset()


def test_each_core_gets_workers(warmed: Warmed) -> None:
    found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    found.prepare(JOB)
    found.begin(Executor(id="2", host="b", cores=3))
    wait_for(lambda: warmed.executors == ["2"] * 3, 10)
    warmed.may_end.set()
    wait_for(lambda: not found.cold(), 10)


def test_what_cannot_be_planned_keeps_no_task_away(
    warmed: Warmed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*given: Any) -> Any:
        raise AttributeError("no such method")

    monkeypatch.setattr(warming, "prepared", missing)
    found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    found.prepare(JOB)
    found.begin(Executor(id="2", host="b"))
    wait_for(lambda: not found.cold(), 10)
    assert warmed.executors == []


def test_an_executor_is_warmed_only_when_spark_gives_it_tasks() -> None:
    answers = [False, False, True]
    scheduler = SimpleNamespace(isExecutorAlive=lambda executor: answers.pop(0))
    context = SimpleNamespace(taskScheduler=lambda: scheduler)
    session: Any = SimpleNamespace(_jsc=SimpleNamespace(sc=lambda: context))
    assert warming.takes_tasks(session, Executor(id="2", host="b"))
    assert not answers


class Loads:
    """State of two batches: that of the first has been deleted."""

    def __init__(self) -> None:
        self.tried: list[int] = []
        self.made: Any = None

    def of(self, batch: int) -> Any:
        def loading(session: Any) -> AbstractContextManager[int]:
            self.tried.append(batch)
            if batch == 0:
                self.made.prepare(JOB, None, self.of(1))
                raise FileNotFoundError("deleted")
            return nullcontext(batch)

        return SimpleNamespace(loading=loading)


def test_state_that_was_deleted_is_loaded_as_of_a_later_batch(
    warmed: Warmed, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads, ran = Loads(), list[Any]()
    loads.made = found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    monkeypatch.setattr(found, "_run", lambda load, executor, scheduling: ran.append(load))
    found.prepare(JOB, None, loads.of(0))
    for _ in range(2):
        found.load([Executor(id="1", host="a")])
        wait_for(lambda: ran == [1], 10)
    assert loads.tried == [0, 1]


def test_no_state_is_loaded_elsewhere_while_an_executor_starts(
    warmed: Warmed, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads, ran = Loads(), list[Any]()
    loads.made = found = warming.Warming(SimpleNamespace())  # type: ignore[arg-type]
    monkeypatch.setattr(found, "_run", lambda load, executor, scheduling: ran.append(executor.id))
    found.prepare(JOB, None, loads.of(1))
    found.begin(Executor(id="2", host="b"))
    found.load([Executor(id="1", host="a")])
    assert ran == []
    warmed.may_end.set()
    wait_for(lambda: not found.cold(), 10)
    found.load([Executor(id="1", host="a")])
    wait_for(lambda: ran == ["2", "1"], 10)


def test_a_new_executor_is_warm_when_it_has_tried_to_read_rows(warmed: Warmed) -> None:
    calls: list[str] = []

    def called(name: str) -> Callable[..., bool]:
        def call(*given: Executor) -> bool:
            calls.append(name)
            return True

        return call

    def gone(*given: int) -> None:
        calls.append("read")
        raise ConnectionError("the query has ended")

    scheduling: Any = SimpleNamespace(
        hold=called("hold"),
        started=lambda executor: True,
        admit=called("admit"),
        warming=lambda executor: nullcontext(),
        warmed=called("warmed"),
    )
    session: Any = SimpleNamespace(range=gone)
    found = warming.Warming(session)
    found.prepare(JOB)
    found.begin(Executor(id="2", host="b"), scheduling)
    warmed.may_end.set()
    wait_for(lambda: "warmed" in calls, 10)
    assert calls == ["hold", "admit", "read", "warmed"]
