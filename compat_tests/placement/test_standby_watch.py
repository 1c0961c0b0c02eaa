"""Which copy Spark's scheduler is told of, for the tasks of an executor that may be lost."""

from __future__ import annotations

from pathlib import Path

from millstream.core.processor import TaskId
from millstream.topology.spark.placement.facts import ClusterFacts, Executor
from millstream.topology.spark.placement.standbys import StandbyWatch
from millstream.topology.spark.state.standby_files import CopyReport, ExecutorReport, StandbyFiles

TASK = TaskId(0, 0)


def nearest(
    root: Path,
    seqs: dict[str, int],
    *,
    building: str = "",
    at: str = "0",
    cold: frozenset[str] = frozenset(),
) -> str | None:
    """Return the executor told, where each one has a copy up to a segment of nine."""
    files = StandbyFiles(root)
    for executor, seq in seqs.items():
        copy = CopyReport(task=repr(TASK), seq=seq, end=9, ready=executor != building)
        report = ExecutorReport(instance="run", executor=executor, copies=(copy,))
        files.write_report(0, report)
    watch = StandbyWatch(root, "run")
    watch.look()
    executors = tuple(Executor(id=each, host="h", port=1, cores=1) for each in "012")
    facts = ClusterFacts(batch=3, executors=executors, located={TASK: at}, cold=cold)
    found = watch.nearest(facts).get(TASK)
    return None if found is None else found.id


def test_a_copy_that_has_not_taken_in_the_last_segment_is_told(tmp_path: Path) -> None:
    assert nearest(tmp_path, {"1": 8}) == "1"


def test_of_two_copies_the_one_less_behind_is_told(tmp_path: Path) -> None:
    assert nearest(tmp_path, {"1": 7, "2": 8}) == "2"


def test_a_copy_that_is_being_built_is_not_told(tmp_path: Path) -> None:
    assert nearest(tmp_path, {"1": 3}, building="1") is None


def test_the_executor_of_the_task_itself_is_not_told(tmp_path: Path) -> None:
    assert nearest(tmp_path, {"1": 9}, at="1") is None


def test_a_lost_executor_and_one_that_is_being_warmed_up_are_not_told(tmp_path: Path) -> None:
    assert nearest(tmp_path, {"1": 9, "7": 9}, cold=frozenset("1")) is None
