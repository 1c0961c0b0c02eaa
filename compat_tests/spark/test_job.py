"""What travels to the workers about an application."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from pyspark import cloudpickle

from millstream import StreamsBuilder
from millstream.topology.spark import job as jobs
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.failures import WorkerFailure, failure_from
from millstream.topology.spark.job import Job


def job(**more: Any) -> Job:
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().count().toStream().to("out")
    return Job(
        application_id="app",
        checkpoint_id="c",
        run_id="run",
        topology=b"",
        layout=compile_plan(builder.build().plan(), "app", {"in": 1}),
        sink_partitions={"out": 1},
        exactly_once=True,
        state_dir="",
        **more,
    )


@pytest.mark.parametrize("dumps", [pickle.dumps, cloudpickle.dumps])
def test_a_job_arrives_as_it_was(dumps: Any) -> None:
    sent = job(files=frozenset({"in"}), carried_bytes=7, client={"a": "b"})
    assert pickle.loads(dumps(sent)) == sent


@pytest.mark.parametrize("worker", ["00000000 0.2.0", "00000000", "{shape} 0.0.1"])
def test_a_worker_of_another_version_says_so(worker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pickled, shape = pickle.dumps(job()), jobs.job_shape().split()[0]
    monkeypatch.setattr(jobs, "job_shape", lambda: worker.format(shape=shape))
    with pytest.raises(WorkerFailure) as raised:
        pickle.loads(pickled)
    failure = failure_from(f"{raised.type.__module__}.{raised.value}")
    assert "different versions of millstream" in failure.getMessage()
    assert "start the application again" in failure.hint


def test_a_worker_that_does_not_know_its_number_compares_the_facts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pickled, shape = pickle.dumps(job()), jobs.job_shape().split()[0]
    monkeypatch.setattr(jobs, "job_shape", lambda: shape)
    assert pickle.loads(pickled) == job()


def test_another_version_is_told_before_anything_else_is_read() -> None:
    pickled = pickle.dumps(job())
    shape = pickled.index(b"_compared")
    assert shape < pickled.index(b"application_id")
