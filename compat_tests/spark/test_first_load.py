"""The first load of state on an executor, ahead of the task that needs it."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams, StreamsBuilder
from millstream.testing.broker import wait_for
from millstream.topology.spark.checkpoint.origin import WARMED, root_of
from millstream.topology.spark.placement import first_commit, warming
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.first_load import LastState

ONE, TWO = Executor(id="1", host="a"), Executor(id="2", host="b")


class Loads:
    """Loads that wait until they may end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.executors: list[str] = []
        self.may_end = threading.Event()
        monkeypatch.setattr(warming, "placed", self._placed)
        monkeypatch.setattr(LastState, "loading", lambda *given: nullcontext())

    def _placed(self, start: Any, executor: Executor) -> Any:
        def count() -> int:
            self.executors.append(executor.id)
            self.may_end.wait(10)
            return 1

        return SimpleNamespace(_jrdd=SimpleNamespace(count=count))


def warmer() -> warming.Warming:
    session: Any = SimpleNamespace()
    found = warming.Warming(session)
    found._state = LastState("checkpoint", 0, 4)
    return found


def test_executors_load_state_once_and_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads, found = Loads(monkeypatch), warmer()
    found.load([ONE, TWO])
    found.load([ONE, TWO])
    wait_for(lambda: loads.executors == ["1"], 10)
    loads.may_end.set()

    def both() -> bool:
        found.load([ONE, TWO])
        return loads.executors == ["1", "2"]

    wait_for(both, 10)
    found.load([ONE, TWO])
    assert loads.executors == ["1", "2"]


@pytest.mark.parametrize(("there", "loads_state"), [(True, ["1"]), (False, [])])
def test_an_executor_that_joins_loads_state_only_if_its_workers_were_started_there(
    there: bool, loads_state: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loads, found = Loads(monkeypatch), warmer()
    loads.may_end.set()
    monkeypatch.setattr(warming, "warm", lambda *given: there)
    monkeypatch.setattr(warming, "prepared", lambda *given: None)
    monkeypatch.setattr(warming, "takes_tasks", lambda *given: True)
    job: Any = SimpleNamespace(standbys="")
    found.prepare(job, None, LastState("checkpoint", 0, 4))
    found.begin(ONE)
    wait_for(lambda: not found.cold(), 10)
    assert loads.executors == loads_state


def test_state_that_cannot_be_read_disturbs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    loads, found = Loads(monkeypatch), warmer()

    def missing(*given: Any) -> Any:
        raise AttributeError("no such method")

    monkeypatch.setattr(LastState, "loading", missing)
    found.load([ONE])
    wait_for(lambda: found._loading is not None and not found._loading.is_alive(), 10)
    assert loads.executors == []


def batches(streams: KafkaStreams) -> float:
    """Return the number of the last complete batch."""
    found = {name.name(): each.metricValue() for name, each in streams.metrics().items()}
    return float(found.get("batch-id", -1))


@pytest.mark.spark
def test_one_partition_of_a_checkpoint_is_loaded(spark: SparkSession, play: Playground) -> None:
    words = play.topic("words")
    builder = StreamsBuilder()
    builder.stream(words).groupByKey().count().toStream().foreach(lambda key, value: None)
    play.produce(words, [(b"a", b"", 1_000), (b"b", b"", 2_000)])
    config = play.config()
    with KafkaStreams(builder.build(), config, spark=spark) as streams:
        started = streams._runner.started
        assert started is not None
        state = LastState(streams._runner.checkpoint_location, 0, 0)
        eventually(lambda: batches(streams) >= 0, expected=True)
        with state.loading(started.session) as load:
            assert (load.getNumPartitions(), load._jrdd.count()) == (1, 1)
            (place,) = folder(state).iterdir()
            assert list(place.glob("0/0/1_*.changelog")) or list(place.glob("0/0/1.*"))
        assert list(folder(state).iterdir()) == []


def folder(state: LastState) -> Path:
    """Where state is that is committed for its own sake."""
    return Path(root_of(state.location).removeprefix("file:")) / WARMED


@pytest.mark.spark
def test_a_spark_without_the_operator_loads_all_the_same(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*given: Any) -> Any:
        raise TypeError("another constructor")

    monkeypatch.setattr(first_commit, "_committed", missing)
    rows = spark.range(0, 1, 1, 1)
    with first_commit.committing(spark, rows, str(tmp_path / "none")) as load:
        assert load._jrdd.count() == 1
    assert not (tmp_path / "none").exists()
