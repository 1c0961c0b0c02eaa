"""The driver's watch over a query, with a Spark that is made up."""

from __future__ import annotations

import logging
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from millstream import HostInfo, StreamsBuilder, StreamsConfig, TaskId, TopicPartition
from millstream.testing.broker import wait_for
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.client_metadata import ClientMetadata
from millstream.topology.spark.placement import watcher
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.placement.first_load import LastState
from millstream.topology.spark.placement.record import PlacementRecord, read_record
from millstream.topology.spark.placement.watcher import PlacementWatcher, steering_assignor

CLUSTER, LOCAL = "local-cluster[2,1,1024]", "local[2]"


class MadeUp:
    """What a query on a cluster shows, and what it was told."""

    def __init__(self) -> None:
        self.ids = ["0", "1"]
        self.batch = -1
        self.places: dict[TaskId, str] = {}
        self.fails = False
        self.offers = 0

    def has_new_executors(self) -> bool:
        if self.fails:
            raise RuntimeError("nobody answers")
        return False

    def has_locality_wait(self) -> bool:
        return False

    def executors(self, held: AbstractSet[str] = frozenset()) -> tuple[Executor, ...]:
        return tuple(Executor(id=each, host="h", port=5) for each in self.ids)

    def last_batch(self) -> int:
        return self.batch

    def progress(self) -> dict[str, Any]:
        return {} if self.batch < 0 else {"batchId": self.batch, "sources": []}

    def offer_cores(self) -> None:
        self.offers += 1

    def state_of(self, batch: int) -> LastState:
        return LastState("checkpoint", 0, batch)

    def location(self, task: TaskId) -> str | None:
        return self.places.get(task)

    def tell(self, task: TaskId, executor: Executor) -> None:
        self.places[task] = executor.id


def counted() -> Any:
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().count()
    return builder.build().plan()


def placement(directory: Path, master: str, **entries: Any) -> PlacementWatcher:
    given = {"application.id": "app", "bootstrap.servers": "nowhere:0"}
    config = StreamsConfig(given | {key.replace("_", "."): v for key, v in entries.items()})
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(master=master))
    plan = counted()
    layout = compile_plan(plan, "app", {"in": 4})
    return PlacementWatcher(config, directory, session, plan, layout, steering_assignor(config))


def record(directory: Path) -> PlacementRecord:
    found = read_record(directory)
    assert found is not None
    return found


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    spark = MadeUp()
    monkeypatch.setattr(watcher, "SparkInternals", lambda *_: spark)
    monkeypatch.setattr(watcher, "_POLL_S", 0.001)
    return spark


def test_spark_is_told_before_the_first_batch(made_up: MadeUp, tmp_path: Path) -> None:
    placement(tmp_path, CLUSTER).watch(SimpleNamespace(isActive=False))  # type: ignore[arg-type]
    assert {repr(task): place for task, place in made_up.places.items()} == {
        "0_0": "0",
        "0_1": "1",
        "0_2": "0",
        "0_3": "1",
    }
    found = record(tmp_path)
    assert (found.assignor, found.remark, found.batch) == ("sticky", "", -1)
    assert [place.wanted for place in found.tasks] == ["0", "1", "0", "1"]


def test_after_a_loss_spark_is_asked_for_a_while_to_offer_cores(
    made_up: MadeUp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query: Any = SimpleNamespace(isActive=True)
    placed = placement(tmp_path, CLUSTER)
    placed.watch(query)
    made_up.batch = 5
    wait_for(lambda: all(place.executor for place in placed.places()), 10)
    assert made_up.offers == 0
    made_up.ids, made_up.batch = ["1"], 6
    wait_for(lambda: made_up.offers > 1, 10)
    monkeypatch.setattr(watcher, "_OFFERS_S", 0.0)
    wait_for(lambda: len(placed.executors()) == 1, 10)
    query.isActive = False


def test_what_a_planned_batch_overwrites_is_said_again(made_up: MadeUp, tmp_path: Path) -> None:
    query: Any = SimpleNamespace(isActive=True)
    placed = placement(tmp_path, CLUSTER)
    placed.watch(query)
    made_up.batch = 5
    wait_for(lambda: all(place.executor for place in placed.places()), 10)
    made_up.places[TaskId(0, 0)] = "1"
    made_up.batch = 6
    wait_for(lambda: made_up.places[TaskId(0, 0)] == "0", 10)
    made_up.places[TaskId(0, 0)] = "1"
    wait_for(lambda: made_up.places[TaskId(0, 0)] == "0", 10)
    query.isActive = False


def test_a_spark_without_these_parts_places_tasks_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(*_: Any) -> Any:
        raise AttributeError("no such method")

    monkeypatch.setattr(watcher, "SparkInternals", missing)
    with caplog.at_level(logging.WARNING):
        placement(tmp_path, CLUSTER).watch(SimpleNamespace(isActive=True))  # type: ignore[arg-type]
    (said,) = caplog.records
    assert said.getMessage() == (
        "tasks run where Spark puts them application=app: this version of Spark takes no "
        "placement hints: AttributeError('no such method')"
    )
    assert record(tmp_path).assignor is None


def test_what_fails_later_ends_steering_and_nothing_else(
    made_up: MadeUp, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    query: Any = SimpleNamespace(isActive=True)
    with caplog.at_level(logging.WARNING):
        placement(tmp_path, CLUSTER).watch(query)
        made_up.fails = True
        wait_for(lambda: len(caplog.records) == 1, 10)
    assert "nobody answers" in caplog.records[0].getMessage()
    assert record(tmp_path).remark == "steering ended: RuntimeError('nobody answers')"


def test_unless_it_may_steer_it_only_looks(made_up: MadeUp, tmp_path: Path) -> None:
    placed = placement(tmp_path, CLUSTER, millstream_steer_tasks=False)
    made_up.places = {TaskId(0, number): "1" for number in range(4)}
    made_up.batch = 3
    placed.watch(SimpleNamespace(isActive=False))  # type: ignore[arg-type]
    found = record(tmp_path)
    assert (found.assignor, found.remark) == (None, "millstream.steer.tasks is false")
    assert [place.executor for place in found.tasks] == ["1", "1", "1", "1"]
    assert {place.moved.reason for place in found.tasks if place.moved} == {"Spark placed it"}


def test_in_local_mode_the_driver_has_every_task(tmp_path: Path) -> None:
    placed = placement(tmp_path, LOCAL)
    placed.watch(SimpleNamespace(isActive=True))  # type: ignore[arg-type]
    found = record(tmp_path)
    assert (found.assignor, found.remark) == (None, "one process runs all tasks")
    assert [place.executor for place in found.tasks] == ["driver"] * 4
    assert placed.executors() == []


def test_executors_are_clients_and_threads() -> None:
    plan = counted()
    metadata = ClientMetadata(plan, compile_plan(plan, "app", {"in": 4}), None)
    mine = {TaskId(0, 1), TaskId(0, 2)}
    busy, idle = Executor(id="0", host="a", port=5), Executor(id="1", host="b", port=6)
    first, second = metadata.executors({busy: mine, idle: set()})
    assert first.hostInfo() == HostInfo("a", 5)
    assert first.topicPartitions() == {TopicPartition("in", 1), TopicPartition("in", 2)}
    assert first.stateStoreNames() == {"KSTREAM-AGGREGATE-STATE-STORE-0000000001"}
    assert (second.topicPartitions(), second.stateStoreNames()) == (set(), set())
    thread = metadata.thread("t", "RUNNING", [], mine)
    assert {repr(task.taskId()) for task in thread.activeTasks()} == {"0_1", "0_2"}
