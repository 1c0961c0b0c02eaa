"""Partition counts that partitioners see while a topic gets more partitions."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compat_tests.spark.worker.test_live_task import job
from millstream import StreamsException
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker import task_host
from millstream.topology.spark.worker.task_host import SparkTaskHost
from millstream.topology.spark.worker.topics import TopicSizes, max_age_s


class Sizes(TopicSizes):
    """Counts of a broker that is a dict."""

    def __init__(self, job: Job) -> None:
        self.now = 0.0
        self.broker: dict[str, int] = {"out": 1}
        super().__init__(job, lambda: self.now)

    def _ask(self, topic: str) -> int:
        if topic not in self.broker:
            raise StreamsException("no answer")
        return self.broker[topic]


def with_broker(root: Path, **client: Any) -> Job:
    entries = {"bootstrap.servers": "localhost:1", **client}
    return replace(job(root, "e", "in_memory"), client=entries)


def test_a_count_is_asked_for_again_when_it_is_old(tmp_path: Path) -> None:
    sizes = Sizes(with_broker(tmp_path))
    assert sizes.count("out") == 1
    sizes.broker["out"] = 3
    sizes.now = 299.0
    assert sizes.count("out") == 1
    sizes.now = 301.0
    assert sizes.count("out") == 3


def test_an_old_count_stays_while_no_broker_answers(tmp_path: Path) -> None:
    sizes = Sizes(with_broker(tmp_path, **{"metadata.max.age.ms": 10_000}))
    assert sizes.count("out") == 1
    del sizes.broker["out"]
    sizes.now = 11.0
    assert (sizes.count("out"), sizes.count("other", 2)) == (1, 2)
    sizes.broker |= {"out": 3, "other": 3}
    assert (sizes.count("out"), sizes.count("other", 2)) == (1, 2)
    sizes.now = 22.0
    assert (sizes.count("out"), sizes.count("other", 2)) == (3, 3)
    with pytest.raises(StreamsException, match="no answer"):
        sizes.count("unknown")


def test_a_batch_has_one_count_and_a_later_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = iter([3, 4])
    monkeypatch.setattr(task_host, "partition_count", lambda job, topic, first: next(counts))
    now = [0.0]
    monkeypatch.setattr(task_host, "time", SimpleNamespace(monotonic=lambda: now[0]))
    host = SparkTaskHost(with_broker(tmp_path, **{"metadata.max.age.ms": 50}), {}, "0_0")
    assert host.partition_count("out") == 1
    now[0] = 0.06
    assert host.partition_count("out") == 1
    host.begin(5)
    assert [host.partition_count("out") for _ in range(2)] == [3, 3]
    host.begin(6)
    assert host.partition_count("out") == 4


def test_without_a_broker_the_counts_are_those_of_the_start(tmp_path: Path) -> None:
    assert max_age_s(job(tmp_path, "e", "in_memory")) == math.inf
