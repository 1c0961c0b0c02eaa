"""The benchmark of latency: its cases, its tables, and its topologies on the test driver."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.latency import tasks
from benchmarks.latency.__main__ import _parser, cases
from benchmarks.latency.batches import medians
from benchmarks.latency.measure import Case, Outcome
from benchmarks.latency.report import parts_table, table
from benchmarks.latency.shapes import RESULTS, RIGHT, SHAPES, SOURCE, record, right_rows, topology
from millstream import Serdes
from millstream.testing import TopologyTestDriver

CASE = Case(
    side="millstream",
    shape="one-stage",
    guarantee="exactly_once_v2",
    rate=1_000,
    keys=10,
    warm_up_s=1,
    seconds=2,
)


def outcome(case: Case, ages: list[int], parts: dict[str, float] | None = None) -> Outcome:
    return Outcome(case=case, ages=ages, first_output_s=1.5, parts=parts or {}, load=0.5)


def test_percentiles_are_of_the_sorted_ages() -> None:
    found = outcome(CASE, list(range(100)))
    assert found.percentile(0.5) == 50
    assert found.percentile(0.99) == 99
    assert found.percentile(1.0) == 99


def test_without_a_result_there_is_no_latency() -> None:
    assert outcome(CASE, []).percentile(0.5) != outcome(CASE, []).percentile(0.5)


def test_a_line_for_each_outcome() -> None:
    theirs = replace(CASE, side="kafka_streams", interval_ms=100)
    lines = table([outcome(CASE, [200]), outcome(theirs, [20])]).splitlines()
    assert lines[2] == (
        "| millstream | one-stage | exactly_once_v2 | 1,000 | 200 | 200 | 1 | 1.5 | 0.5 |"
    )
    assert lines[3].startswith("| Kafka Streams, commit.interval.ms 100 | one-stage |")
    assert all(line.count("|") == 10 for line in lines)


def test_parts_of_a_batch_add_up() -> None:
    parts = {"triggerExecution": 100.0, "addBatch": 70.0, "walCommit": 10.0}
    theirs = outcome(replace(CASE, side="kafka_streams"), [20])
    lines = parts_table([outcome(CASE, [1], parts), theirs]).splitlines()
    assert lines[2:] == [
        "| millstream | one-stage | exactly_once_v2 | 1,000 | 100 | 70 | 0 | 0 | 10 | 0 | 20 |"
    ]


def test_the_first_third_of_the_batches_does_not_count() -> None:
    batches = [{"addBatch": 9_000}, {"addBatch": 10}, {"addBatch": 30, "walCommit": 2}]
    assert medians(batches) == {"addBatch": 20, "walCommit": 1}
    assert medians([]) == {}


def test_kafka_streams_runs_with_two_intervals_and_the_floor_once() -> None:
    options = _parser().parse_args(["--shape", "one-stage", "--rate", "1000"])
    sides = [(case.side, case.guarantee, case.interval_ms) for case in cases(options)]
    assert sides.count(("kafka_streams", "exactly_once_v2", 100)) == 1
    assert sides.count(("kafka_streams", "exactly_once_v2", 1_000)) == 1
    assert len([side for side, _, _ in sides if side == "floor"]) == 1
    assert len([side for side, _, _ in sides if side == "millstream"]) == 2


@pytest.mark.parametrize("shape", SHAPES)
def test_a_result_has_the_time_of_its_record(shape: str) -> None:
    text, raw = Serdes.ByteArray(), Serdes.ByteArray()
    with TopologyTestDriver(topology(shape)) as driver:
        right = driver.createInputTopic(RIGHT, text.serializer(), text.serializer())
        left = driver.createInputTopic(SOURCE, text.serializer(), text.serializer())
        results = driver.createOutputTopic(RESULTS, raw.deserializer(), raw.deserializer())
        if SHAPES[shape].has_right:
            for row in right_rows()[:10]:
                right.pipeInput(*row, 1_000)
        left.pipeInput(*record(7), 5_000)
        left.pipeInput(*record(7), 6_000)
        assert [each.timestamp() for each in results.readRecordsToList()] == [5_000, 6_000]


def test_the_tasks_of_a_stage_are_read_from_sparks_event_log(tmp_path: Path) -> None:
    def task(stage: int, at: int, ends: int, **parts: int) -> dict[str, object]:
        names = {"python": tasks.PYTHON, "load": tasks.LOAD}
        updates = [{"Name": names[name.rstrip("_")], "Update": str(v)} for name, v in parts.items()]
        info = {"Launch Time": at, "Finish Time": ends, "Accumulables": [*updates, {"Name": "x"}]}
        return {"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task Info": info}

    def stage(number: int, at: int) -> dict[str, object]:
        info = {"Stage ID": number, "Submission Time": at}
        return {"Event": "SparkListenerStageCompleted", "Stage Info": info}

    def job(number: int, at: int, *stages: int, batch: bool = True) -> dict[str, object]:
        properties = {"streaming.sql.batchId": "1"} if batch else None
        found = {"Job ID": number, "Submission Time": at, "Stage IDs": list(stages)}
        return {"Event": "SparkListenerJobStart", "Properties": properties, **found}

    events = [
        job(0, 50, 0, batch=False),
        *(job(1, 100, 2, 1), task(1, 105, 125, python=5), stage(1, 102), stage(2, 130)),
        task(2, 131, 151, python=7, python_=19, load=4),
        task(2, 133, 163, python=9, python_=29, load=6),
    ]
    log = tmp_path / "eventlog_v2_local-1"
    log.mkdir()
    (log / "appstatus_local-1").write_bytes(b"")
    (log / "events_1_local-1").write_text("".join(json.dumps(each) + "\n" for each in events))
    first, second = tasks.stage_times(tmp_path)
    assert (first.begins, first.waits, first.runs, first.parts) == (2, 3, 20, {tasks.PYTHON: 5})
    assert (second.begins, second.waits, second.runs) == (30, 2, 25)
    assert second.parts == {tasks.PYTHON: 24, tasks.LOAD: 5}
    assert tasks.tasks_table("line", [second]).splitlines()[-1] == (
        "| stage 1 (2 tasks) | 30 | 2 | 25 | 24 | 5 |  |"
    )
