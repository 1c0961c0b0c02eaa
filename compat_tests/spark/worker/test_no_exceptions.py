"""What a user's function may raise that is no ``Exception``: told with task, lines and a hint."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.worker.attempts import Segments, _arrived
from millstream import Serdes, StreamsBuilder, StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.failures import WorkerFailure, failure_from, reported
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import RECORDS, SINK, decode_chunk, to_list
from millstream.topology.spark.worker.worker_cache import Application
from millstream.topology.spark.worker.worker_task import WorkerTask


class PanicException(BaseException):
    """As Rust's code raises it in Python."""


@pytest.mark.parametrize("kind", [PanicException, asyncio.CancelledError, SystemExit])
def test_it_is_told_with_the_task_and_the_users_lines(
    tmp_path: Path, kind: type[BaseException]
) -> None:
    def fails(value: Any) -> Any:
        raise kind("index out of bounds")

    task = task_of(fails, tmp_path)
    with pytest.raises(WorkerFailure) as caught, reported():
        task.run(_arrived(0, [b"a"]), None, Segments())
    failure = failure_from(str(caught.value))
    assert failure.problem.startswith("a function of the program raised a ")
    assert f"Task 0_0; {kind.__name__}: index out of bounds." in failure.detail
    assert "raise an Exception" in failure.hint
    assert str(failure.taskId()) == "0_0"
    (lines,) = (text for label, text in failure.more if label == "at")
    assert lines.startswith(f"{__file__}:")


def task_of(function: Any, state_dir: Path) -> WorkerTask:
    text = Serdes.String()
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "localhost:1",
            "default.key.serde": text,
            "default.value.serde": text,
        }
    )
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().reduce(lambda a, _: a).toStream().mapValues(function).to(
        "out"
    )
    plan = builder.build().plan()
    layout = compile_plan(plan, "app", {"in": 1})
    job = Job(
        application_id="app",
        checkpoint_id="c",
        run_id="run",
        topology=b"",
        layout=layout,
        sink_partitions={"out": 1},
        exactly_once=True,
        state_dir=str(state_dir),
    )
    owner = Application("run", plan, TaskSettings.of(config), config)
    return WorkerTask(job, layout.stages[0], 0, owner)


@pytest.mark.parametrize(
    ("leaves", "status"),
    [
        (lambda: sys.exit(), 0),
        (lambda: sys.exit(7), 7),
        (lambda: sys.exit("bad"), 1),
        (lambda: 1 // 0, 1),
        (lambda: None, 1),
    ],
)
def test_a_forked_process_that_comes_back_ends_before_it_touches_what_is_the_workers(
    tmp_path: Path, leaves: Callable[[], Any], status: int
) -> None:
    ended = []

    def forks(value: str) -> str:
        child = os.fork()
        if child == 0:
            leaves()
            return "of the child"
        ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return value

    task = task_of(forks, tmp_path)
    _, rows = task.run(_arrived(0, [b"a"]), None, Segments())
    assert ended == [status]
    (sent,) = (decode_chunk(row["blob"]) for row in rows if row["kind"] in (RECORDS, SINK))
    assert to_list(sent["values"]) == [b"a"]
    task.close()


def test_outside_a_task_it_is_told_with_its_lines() -> None:
    with pytest.raises(WorkerFailure) as caught, reported():
        raise PanicException("index out of bounds")
    assert failure_from(str(caught.value)).problem == "PanicException: index out of bounds"
