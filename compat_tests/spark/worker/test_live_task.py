"""A task that goes on in another worker with its standby copy: workers without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.worker.attempts import Segments, _arrived
from millstream import Materialized, Serdes, StreamsBuilder, StreamsConfig
from millstream.testing.broker import wait_for
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.driver.pickled import pickled
from millstream.topology.spark.job import Job
from millstream.topology.spark.state.standby_files import StandbyFiles, StandbyPlan
from millstream.topology.spark.wire import RECORDS, decode_chunk, to_list
from millstream.topology.spark.worker import follower as follower_module
from millstream.topology.spark.worker import worker_cache
from millstream.topology.spark.worker.live_task import following, live_task, rested


def job(root: Path, executor: str, kind: str) -> Job:
    text = Serdes.String()
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "localhost:1",
            "default.key.serde": text,
            "default.value.serde": text,
            "default.dsl.store": kind,
            "statestore.cache.max.bytes": 0,
        }
    )
    builder = StreamsBuilder()
    counts = builder.stream("in").groupByKey().count(Materialized.as_("counts"))
    counts.toStream().to("out")
    plan = builder.build().plan()
    return Job(
        application_id="app",
        checkpoint_id="ck",
        run_id="run",
        instance="i",
        topology=pickled(plan, config),
        layout=compile_plan(plan, "app", {"in": 1}),
        sink_partitions={"out": 1},
        exactly_once=True,
        state_dir=str(root / executor),
        standbys=str(root / "shared"),
    )


@dataclass
class Workers:
    """The workers of executors, in one process, and what Spark has committed."""

    root: Path
    kind: str
    patch: pytest.MonkeyPatch
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    segments: Segments = field(default_factory=Segments)
    saved: bytes | None = None
    batches: int = 0

    def on(self, executor: str) -> Job:
        """Be a worker of an executor from now on."""
        mine = self.known.setdefault(executor, {})
        self.patch.setattr(worker_cache, "_applications", mine)
        self.patch.setattr(follower_module, "executor_id", lambda: executor)
        return job(self.root, executor, self.kind)

    def batch(self, executor: str) -> tuple[list[int], int]:
        """Run a batch of three records; return the counts, and the restored stores."""
        given = self.on(executor)
        task = live_task(given, given.layout.stages[0], 0)
        arrived = _arrived(3 * self.batches, [b"x", b"y", b"z"])
        self.saved, rows = task.run(arrived, self.saved, self.segments)
        rested(given, given.layout.stages[0])
        self.batches += 1
        sent = [decode_chunk(row["blob"]) for row in rows if row["kind"] == RECORDS]
        counts = [
            int.from_bytes(value, "big") for each in sent for value in to_list(each["values"])
        ]
        return counts, len(task.rebuilt())

    def follow(self, executor: str) -> None:
        """Start the follower of an executor that runs no task."""
        given = self.on(executor)
        following(given, given.layout.stages[0])

    def plan(self, **copies: tuple[str, ...]) -> None:
        named = {name.removeprefix("e"): tasks for name, tasks in copies.items()}
        StandbyFiles(self.root / "shared").write_plan(StandbyPlan(instance="i", copies=named))

    def ready(self, executor: str, seq: int) -> bool:
        reports = StandbyFiles(self.root / "shared").reports("i")
        mine = [copy for each in reports if each.executor == executor for copy in each.copies]
        return any(copy.task == "0_0" and copy.ready and copy.seq >= seq for copy in mine)


@pytest.fixture(params=["rocksDB", "in_memory"])
def workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Workers]:
    monkeypatch.setattr(follower_module, "POLL_S", 0.001)
    made = Workers(tmp_path, request.param, monkeypatch)
    yield made
    for applications in made.known.values():
        for found in applications.values():
            for entry in list(found.entries.values()):
                entry.close()


def test_a_task_goes_on_with_its_standby_and_restores_nothing(workers: Workers) -> None:
    workers.plan(e2=("0_0",))
    workers.follow("2")
    for _ in range(4):
        workers.batch("1")
    wait_for(lambda: workers.ready("2", 3), 10)
    assert workers.batch("2") == ([13, 14, 15], 0)
    assert workers.batch("2") == ([16, 17, 18], 0)


def test_without_a_standby_the_task_restores_its_store(workers: Workers) -> None:
    workers.plan()
    for _ in range(4):
        workers.batch("1")
    counts, restored = workers.batch("2")
    assert counts == [13, 14, 15]
    assert restored > 0


def test_a_task_comes_and_goes_between_two_executors(workers: Workers) -> None:
    workers.plan(e2=("0_0",))
    workers.follow("2")
    for turn in range(6):
        here, there = ("1", "2") if turn % 2 == 0 else ("2", "1")
        for _ in range(3):
            counts, restored = workers.batch(here)
            last = 3 * workers.batches
            assert counts == [last - 2, last - 1, last]
            assert restored == 0 or workers.batches == 1
        workers.plan(**{f"e{there}": ("0_0",)})
        workers.batch(here)
        workers.follow(there)
        wait_for(lambda: workers.ready(there, workers.batches - 1), 10)  # noqa: B023
    # A copy begins where the task left its stores: nobody has filled a second directory.
    copies = workers.root.glob("*/app/standbys/ck/0_0/*/stores")
    assert {each.parent.name for each in copies} <= {"0"}


def test_a_batch_that_failed_is_repeated_on_the_standby(workers: Workers) -> None:
    workers.plan(e2=("0_0",))
    workers.follow("2")
    for _ in range(3):
        workers.batch("1")
    wait_for(lambda: workers.ready("2", 2), 10)
    before = (Segments(workers.segments), workers.saved, workers.batches)
    workers.batch("1")  # Its outcome is lost with the executor.
    workers.segments, workers.saved, workers.batches = before
    assert workers.batch("2") == ([10, 11, 12], 0)
