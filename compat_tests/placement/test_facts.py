"""What assignors are asked, what is noted for others, and what is counted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from benchmarks.placement.experiment import Outcome
from benchmarks.placement.report import row
from compat_tests.placement.simulated import tasks
from millstream.core.processor import TaskId
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.placement.cluster_view import cluster_view
from millstream.topology.spark.placement.facts import Executor, Move, Standby, TaskPlace
from millstream.topology.spark.placement.processed import processed_records
from millstream.topology.spark.placement.record import PlacementRecord, read_record, write_record

EXECUTORS = [Executor(id="1", host="a", cores=2), Executor(id="2", host="b")]
FIRST, SECOND = tasks(2)
RECORD = PlacementRecord(
    application_id="app",
    assignor="sticky",
    remark="",
    batch=7,
    written_ms=1_000,
    executors=tuple(EXECUTORS),
    tasks=(
        TaskPlace(
            task=FIRST,
            executor="2",
            wanted="1",
            moved=Move(source="1", target="2", batch=7, at_ms=900, reason="a reason"),
            standbys=(
                Standby(executor="1", running=True, lag=0),
                Standby(executor="3", running=False, lag=12),
            ),
        ),
        TaskPlace(task=TaskId(1, 0), executor=None, wanted=None, moved=None),
    ),
)


def test_an_executor_owns_what_is_at_home_and_remembers_what_it_ran_before() -> None:
    view = cluster_view(
        EXECUTORS,
        (FIRST, SECOND),
        frozenset((FIRST, SECOND)),
        {FIRST: "1"},
        {"1": {FIRST: 10, SECOND: 50}, "2": {FIRST: 95}},
        {FIRST: 100, SECOND: 450},
        acceptable_lag=10,
    )
    one, two = view.instances
    assert (one.threads, one.active, one.standby, dict(one.lags)) == (
        2,
        (FIRST,),
        (),
        {SECOND: 400},
    )
    assert (two.threads, two.active, two.standby, dict(two.lags)) == (1, (), (FIRST,), {FIRST: 5})


def test_a_task_without_state_leaves_nothing_behind() -> None:
    view = cluster_view(
        EXECUTORS, (FIRST,), frozenset(), {}, {"1": {FIRST: 10}}, {FIRST: 10}, acceptable_lag=10
    )
    assert [dict(each.lags) for each in view.instances] == [{}, {}]
    assert not view.is_stateful(FIRST)


def test_a_task_has_read_its_partitions_or_its_share_of_everything() -> None:
    layout = Layout(
        stages=(
            Stage(index=0, subtopology=1, tasks=2, topics=("left", "right"), internal=()),
            Stage(index=1, subtopology=0, tasks=3, topics=(), internal=("again",)),
        ),
        routes={"again": (1, 3)},
        keys=(1, 2, 3),
    )
    progress = {
        "sources": [
            {"endOffset": {"left": {"0": 10, "1": 20}, "right": {"1": 6}}},
            {"endOffset": 77},
        ]
    }
    assert processed_records(layout, progress) == {
        TaskId(1, 0): 10,
        TaskId(1, 1): 26,
        TaskId(0, 0): 12,
        TaskId(0, 1): 12,
        TaskId(0, 2): 12,
    }
    assert set(processed_records(layout, {}).values()) == {0}


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    directory = tmp_path / "not" / "there"
    assert read_record(directory) is None
    write_record(directory, RECORD)
    assert read_record(directory) == RECORD
    assert [path.name for path in directory.iterdir()] == ["placement.json"]


def test_a_record_of_an_earlier_release_has_no_standbys(tmp_path: Path) -> None:
    write_record(tmp_path, RECORD)
    file = tmp_path / "placement.json"
    found = json.loads(file.read_bytes())
    for place in found["tasks"]:
        del place["standbys"]
    file.write_text(json.dumps(found))
    assert read_record(tmp_path) == replace(
        RECORD, tasks=tuple(replace(place, standbys=()) for place in RECORD.tasks)
    )


def test_the_experiment_tells_needless_moves_from_others() -> None:
    outcome = Outcome(
        lost="0",
        owners={0: ["0", "1", "3"], 1: ["1", "2"], 2: ["2"], 3: ["0", "3"]},
        wrong=[],
        records=9,
        joined_s=7.4,
        balanced_s=None,
        batch_ms={"before": 100.0, "longest": 900.0, "after": 110.0},
    )
    assert outcome.moved() == {0: 2, 1: 1, 2: 0, 3: 1}
    assert outcome.needless() == [1]
    assert outcome.balance() == [2, 2, 0]
    assert row(outcome) == [
        *("3", "1", "2 + 2 + 0", "7", "never", "100", "900", "110"),
        "yes (9 results)",
    ]
