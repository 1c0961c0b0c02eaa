"""The capacity model: its arithmetic, what it reads, and its tables; no figure is tested."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sizing.__main__ import main
from benchmarks.sizing.application import serves, thread_time
from benchmarks.sizing.batches import Point
from benchmarks.sizing.check import Drained, checked
from benchmarks.sizing.events import task_costs
from benchmarks.sizing.model import Line, batch_s, constants, fitted, steady_batch_s
from benchmarks.sizing.plan import Cluster, planned
from benchmarks.sizing.program import topology
from benchmarks.sizing.report import check_table, constants_table, plan_table
from benchmarks.sizing.results import Results, read_results
from benchmarks.sizing.state import Held, held
from benchmarks.vs_kafka_streams.errors import BenchmarkError


def point(partitions: int) -> Point:
    """A driver of 100 ms and 5 ms a partition, and tasks of 30 core-ms a partition."""
    return Point(
        partitions=partitions,
        batches=9,
        batch_ms=100 + 20 * partitions,
        parts={"addBatch": 50.0 + 20 * partitions},
        tasks=2.0 * partitions,
        run_ms=30.0 * partitions,
        task_cpu_ms=10.0 * partitions,
        jvm_cpu_ms=40.0 + 12 * partitions,
        driver_cpu_ms=100.0 + 5 * partitions,
        compiler_cpu_ms=9.0,
        python_cpu_ms=4.0 * partitions,
        result_bytes=5_000.0 * partitions,
        jvm_mb=900.0,
        workers_mb=300.0,
        workers=4,
        connections=10 + 2 * partitions,
        state_files=400 * partitions,
        segment_files=100 * partitions,
        committed=100,
        load=0.5,
    )


MODEL = constants([point(2), point(8), point(64)])


def drain(master: str, cores: int, seconds: float) -> Drained:
    return Drained(
        master=master,
        cores=cores,
        records=600_000,
        batch=100_000,
        seconds=seconds,
        cpu_s=6.432,
        broker_cpu_s=1.0,
        others=0.1,
    )


def test_a_line_of_least_squares_goes_through_its_points() -> None:
    found = fitted([(1, 5.0), (3, 9.0), (2, 7.0)])
    assert [found.fixed, found.each] == pytest.approx([3, 2])
    # Two points of one number of partitions do not say what a partition costs.
    assert fitted([(2, 4.0), (2, 6.0)]) == Line(5.0, 0.0)


def test_a_constant_is_a_line_by_partitions() -> None:
    assert MODEL.serial_ms.fixed == pytest.approx(100)
    assert MODEL.serial_ms.each == pytest.approx(5)
    assert MODEL.run_ms.each == pytest.approx(30)
    assert MODEL.connections.at(100) == pytest.approx(210)


@pytest.mark.parametrize(
    ("partitions", "cores", "expected_s"),
    [
        (8, 2, 0.1 + 8 * 0.005 + 4 * 0.03 + 1.0),
        (8, 8, 0.1 + 8 * 0.005 + 1 * 0.03 + 0.25),
        (9, 8, 0.1 + 9 * 0.005 + 2 * 0.03 + 0.25),
        # More cores than partitions have nothing to do.
        (8, 80, 0.1 + 8 * 0.005 + 1 * 0.03 + 0.25),
    ],
)
def test_a_batch_is_serial_work_waves_of_tasks_and_records(
    partitions: int, cores: int, expected_s: float
) -> None:
    found = batch_s(
        MODEL, partitions=partitions, cores=cores, records=200_000, cpu_s_per_million=10.0
    )
    assert found == pytest.approx(expected_s)


def test_a_steady_batch_reads_what_came_while_the_last_one_ran() -> None:
    shape = {"partitions": 8, "cores": 2}
    found = steady_batch_s(MODEL, **shape, rate=100_000, cpu_s_per_million=10.0)
    records = 100_000 * found
    assert found == pytest.approx(batch_s(MODEL, **shape, records=records, cpu_s_per_million=10.0))
    assert steady_batch_s(MODEL, **shape, rate=200_001, cpu_s_per_million=10.0) == float("inf")


def test_a_drain_is_compared_with_the_model_and_with_the_machine() -> None:
    # Batches take 6 x (64 + 8) ms of processor time; so a million records take 10 s.
    local = drain("local[2]", 2, 5.0)
    found = checked(MODEL, local, drain("local-cluster[1,1,1024]", 1, 14.34), 2)
    assert found.model_s == pytest.approx(6 * (0.11 + 0.06 + 1.0), rel=0.01)
    assert found.bound_s == pytest.approx(7.432 / 2)
    assert found.ratio == pytest.approx(14.34 / found.model_s)
    assert found.cpu_ratio == pytest.approx(1)
    two = checked(MODEL, local, drain("local-cluster[2,1,1024]", 2, 4.0), 1)
    assert two.predicted_s == two.bound_s > two.model_s
    lines = check_table([found, two]).splitlines()
    assert lines[2].startswith("| local-cluster[1,1,1024] | 600,000 | 14.3 | 7.0 | 3.7 | 2.")
    assert {line.count("|") for line in lines} == {lines[0].count("|")}


def test_a_plan_is_computed_from_the_constants() -> None:
    wanted = Cluster(
        executors=10,
        cores=4,
        partitions=80,
        rate=100_000,
        keys=100_000_000,
        cpu_s_per_million=10.0,
        interval_s=10.0,
        entry_bytes=100.0,
        plain_bytes=200.0,
        restored_per_s=250_000.0,
    )
    found = planned(MODEL, wanted)
    assert found.serial_s == pytest.approx(0.1 + 80 * 0.005)
    # It reads a million records, which take 10 s of 40 cores.
    assert found.batch_s == pytest.approx(0.5 + 2 * 0.03 + 10 / 40)
    assert found.transactions_per_s == pytest.approx(8)
    assert found.checkpoint_gb == pytest.approx(2 * 10 + 100 * 0.1)
    # 8 tasks are lost; each has 2.5 million entries, and a core of its own.
    assert found.restore_s == pytest.approx(10)
    # A batch rewrites as much as the million entries that it changes.
    assert found.round_h == pytest.approx(100 * 10 / 3600)
    assert "| of it serial work of the driver | 0.5 s |" in plan_table(found)


def test_constants_are_shown_as_a_fixed_part_and_one_for_each_partition() -> None:
    lines = constants_table(MODEL).splitlines()
    assert lines[2] == "| driver, serial, of a batch | ms | 100.0 | 5.00 |"


def test_the_tasks_of_the_counted_batches_are_added_up() -> None:
    def job(batch: int | None, *stages: int) -> dict[str, Any]:
        properties = None if batch is None else {"streaming.sql.batchId": str(batch)}
        return {
            "Event": "SparkListenerJobStart",
            "Properties": properties,
            "Stage IDs": list(stages),
        }

    def task(stage: int, ms: int) -> dict[str, Any]:
        metrics = {
            "Executor CPU Time": ms * 500_000,
            "Executor Deserialize CPU Time": 1_000_000,
            "Result Size": 4_000,
        }
        info = {"Launch Time": 1_000, "Finish Time": 1_000 + ms}
        event = {"Event": "SparkListenerTaskEnd", "Stage ID": stage}
        return {**event, "Task Info": info, "Task Metrics": metrics}

    events = [
        *(job(None, 9), task(9, 900)),
        *(job(1, 0, 1), task(0, 500), task(1, 500)),
        *(job(2, 2, 3), task(2, 10), task(3, 20)),
        *(job(3, 4, 5), task(4, 30), task(5, 40)),
    ]
    found = task_costs(events, 2, 3)
    assert (found.tasks, found.run_ms, found.result_bytes) == (2, 50, 8_000)
    assert found.jvm_cpu_ms == pytest.approx((15 + 2 + 35 + 2) / 2)


def test_a_connection_counts_at_the_server_alone() -> None:
    at_server = "  1: 0100007F:2384 0100007F:D431 01 00000000:00000000 00:00000000 00000000  0"
    at_client = "  2: 0100007F:D431 0100007F:2384 01 00000000:00000000 00:00000000 00000000  0"
    listening = "  0: 0100007F:2384 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0"
    assert [serves(line, 0x2384) for line in (at_server, at_client, listening)] == [
        True,
        False,
        False,
    ]


def test_a_threads_name_may_have_brackets() -> None:
    stat = "17 (dispatcher (1)) S 1 1 1 0 -1 4194304 9 0 0 0 250 50 0 0 20 0 90 0"
    name, used = thread_time(stat)
    assert (name, used) == ("dispatcher (1)", 300_000 / os.sysconf("SC_CLK_TCK"))


def test_a_store_is_measured_without_spark() -> None:
    found = held("memory", 2_000, 100)
    assert found.entries >= 2_000
    assert 30 * 2_000 < found.segment_bytes < 130 * found.entries
    assert found.copy_bytes == 0
    assert held("lmdb", 2_000, 100).copy_bytes > 100 * 2_000


def test_what_was_measured_is_kept_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"
    assert read_results(file) == Results()
    kept = Results(
        points=[point(64), point(2)],
        held=[
            Held(
                store="memory",
                keys=10,
                segment_bytes=900,
                entries=12,
                copy_bytes=0.0,
                own_bytes=2_000,
                mapped_bytes=0,
                restore_s=0.5,
            )
        ],
        drains=[drain("local[2]", 2, 5.0)],
    )
    file.write_text(kept.line())
    assert read_results(file) == kept
    plan = [f"--plan={each}" for each in ("executors=1", "cores=2", "partitions=4", "rate=100")]
    assert main(["--part=none", f"--results={file}", *plan, "--plan=keys=1_000"]) == 0
    shown = capsys.readouterr().out
    assert "| memory | 10 | 75 | 1.20 | 0 | 200 | 0 | 0.50 | 24 |" in shown
    assert "| a batch | 0.2 s |" in shown
    assert main(["--part=none", f"--results={file}", "--plan=executors=1"]) == 1
    assert "the plan is not complete" in capsys.readouterr().err


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"points": [{"partitions": 2}]}')
    with pytest.raises(BenchmarkError, match="has no results of"):
        read_results(tmp_path / "other.json")


@pytest.mark.parametrize("shape", ["count", "table"])
def test_the_measured_programs_have_one_stage(shape: str) -> None:
    assert len(topology(shape).describe().subtopologies()) == 1
