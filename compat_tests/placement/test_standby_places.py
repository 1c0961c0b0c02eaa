"""The table of tasks shows the standby copies that `metadataForLocalThreads` shows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compat_tests.placement.test_watcher import CLUSTER, MadeUp, counted, made_up, record
from millstream import StreamsConfig
from millstream.core.processor import TaskId
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.placement.facts import Standby
from millstream.topology.spark.placement.watcher import PlacementWatcher, steering_assignor
from millstream.topology.spark.state.standby_files import CopyReport, ExecutorReport, StandbyFiles

__all__ = ["made_up"]


def copy(task: int, *, seq: int, ready: bool) -> CopyReport:
    return CopyReport(task=f"0_{task}", seq=seq, end=9, ready=ready)


@pytest.fixture
def placed(made_up: MadeUp, tmp_path: Path) -> PlacementWatcher:
    """Return a watcher after a look at executors 0 and 1; a third one that reported is lost."""
    files = StandbyFiles(tmp_path / "shared")
    for executor, copies in {
        "0": (copy(1, seq=9, ready=True),),
        "1": (copy(0, seq=9, ready=True), copy(2, seq=2, ready=False)),
        "lost": (copy(0, seq=9, ready=True),),
    }.items():
        report = ExecutorReport(instance="run", executor=executor, copies=copies)
        files.write_report(0, report)
    config = StreamsConfig(
        {"application.id": "app", "bootstrap.servers": "nowhere:0", "num.standby.replicas": 1}
    )
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(master=CLUSTER))
    job: Any = SimpleNamespace(standbys=str(tmp_path / "shared"), instance="run")
    plan = counted()
    layout = compile_plan(plan, "app", {"in": 4})
    assignor = steering_assignor(config)
    watcher = PlacementWatcher(config, tmp_path, session, plan, layout, assignor, job)
    made_up.places = {TaskId(0, number): str(number % 2) for number in range(4)}
    made_up.batch = 3
    watcher.watch(SimpleNamespace(isActive=False))  # type: ignore[arg-type]
    return watcher


def test_the_placement_file_has_each_tasks_copies(placed: PlacementWatcher, tmp_path: Path) -> None:
    assert {repr(place.task): place.standbys for place in record(tmp_path).tasks} == {
        "0_0": (Standby(executor="1", running=True, lag=0),),
        "0_1": (Standby(executor="0", running=True, lag=0),),
        "0_2": (Standby(executor="1", running=False, lag=7),),
        "0_3": (),
    }


def test_the_table_has_the_copies_of_the_metadata(placed: PlacementWatcher) -> None:
    shown = {(at.executor, place.task) for place in placed.places() for at in place.standbys}
    assert shown == {(each.executor, task) for each in placed.standbys() for task in each.tasks()}
