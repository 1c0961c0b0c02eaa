"""What a processor does in its ``close`` belongs to no batch."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from compat_tests.conformance.processors import NamedProcessor
from compat_tests.properties.line import LineOfTasks
from millstream import Record
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker import worker_cache

NAMES: Any = {
    "config": {},
    "topics": {"in": ["string", "string"], "out": ["string", "string"]},
    "stores": {},
    "topology": [
        {"id": "s", "op": "stream", "topics": ["in"], "key": "string", "value": "string"},
        {"id": "p", "op": "process", "from": ["s"], "processor": "meta"},
        {"op": "to", "from": ["p"], "topic": "out", "key": "string", "value": "string"},
    ],
}


def test_a_task_that_comes_back_sends_nothing_that_its_old_copy_forwards_in_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker closes the old copy when the task returns, within the batch that brings it."""
    closed = []

    def close(processor: Any) -> None:
        closed.append(processor)
        processor.context.forward(Record("old", "left over", 0))

    monkeypatch.setattr(NamedProcessor, "close", close)
    with LineOfTasks(NAMES) as line:
        for worker in (0, 1, 0):
            line.batch([Sent("in", b"a", b"x", 0, None)], 0, worker)
            assert len(line.seen.batches[-1]["out"]) == 1
        assert len(closed) == 1


def test_what_an_old_copy_raises_in_close_is_told_and_fails_no_batch(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def close(_: Any) -> None:
        raise ValueError("cannot let go")

    monkeypatch.setattr(NamedProcessor, "close", close)
    with LineOfTasks(NAMES) as line:
        for worker in (0, 1, 0):
            line.batch([Sent("in", b"a", b"x", 0, None)], 0, worker)
            assert len(line.seen.batches[-1]["out"]) == 1
        assert caplog.text.count("cannot close what was left of task=0_0") == 1
        assert "cannot let go" in caplog.text
        monkeypatch.undo()


class Broken:
    def close(self) -> None:
        raise ValueError("cannot let go")


def test_what_a_task_of_an_earlier_run_raises_in_close_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    earlier = worker_cache.Application("first", None, None, None, {"the task": Broken()})  # type: ignore[arg-type]
    monkeypatch.setattr(worker_cache, "_applications", {"app": earlier})
    monkeypatch.setattr("pickle.loads", lambda _: (None, None))
    monkeypatch.setattr(TaskSettings, "of", lambda _: None)
    monkeypatch.setattr(worker_cache, "_collect_less_often", lambda: None)
    monkeypatch.setattr("os.umask", lambda _: 0)
    job = Job(
        application_id="app",
        checkpoint_id="c",
        run_id="second",
        topology=b"",
        layout=None,  # type: ignore[arg-type]
        sink_partitions={},
        exactly_once=True,
        state_dir="/",
    )
    with caplog.at_level(logging.WARNING):
        worker_cache.application(job)
    assert "cannot close entry=the task of an ended run: cannot let go" in caplog.text
