"""The prototype of a continuous host, without Spark, and the check of its results."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from benchmarks.continuous.job import ContinuousJob, OffsetsMode, job_of
from benchmarks.continuous.load import keys, sent
from benchmarks.continuous.measure import Found, Kill
from benchmarks.continuous.outputs import Result, Verdict, first_after, percentile, verdict
from benchmarks.continuous.processes import descendants
from benchmarks.continuous.report import latency_table, starts_table
from benchmarks.continuous.task import ContinuousTask
from benchmarks.vs_kafka_streams.preload import create_topic
from benchmarks.vs_kafka_streams.topologies import build
from compat_tests.kafka.fixture import KafkaServer
from millstream.core.config import StreamsConfig
from millstream.core.errors import UnsupportedOperationException

KEYS = [b"k%d" % (number % 7) for number in range(60)]


def result(
    key: bytes, number: int, *, seen: float = 0.0, due: int = 0, partition: int = 0
) -> Result:
    return Result(seen, due, partition, key, number)


def test_the_check_finds_nothing_where_numbers_rise_to_what_was_sent() -> None:
    found = verdict({b"a": 3, b"b": 1}, [result(b"a", 1), result(b"b", 1), result(b"a", 3)])

    assert found == Verdict(lost=0, twice=0, repeated=0)
    assert found.is_clean


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([("a", 1)], Verdict(lost=1, twice=0, repeated=0)),
        ([("a", 3)], Verdict(lost=0, twice=1, repeated=0)),
        ([("a", 1), ("a", 1), ("a", 2)], Verdict(lost=0, twice=0, repeated=1)),
        ([("a", 2), ("b", 1)], Verdict(lost=0, twice=1, repeated=0)),
        ([], Verdict(lost=2, twice=0, repeated=0)),
    ],
)
def test_the_check_finds_what_is_lost_counted_twice_or_repeated(
    results: list[tuple[str, int]], expected: Verdict
) -> None:
    assert verdict({b"a": 2}, [result(key.encode(), n) for key, n in results]) == expected


def test_a_recovery_ends_when_every_partition_has_a_newer_result() -> None:
    old, one = result(b"a", 1, seen=9, due=5), result(b"a", 2, seen=12, due=8)
    other = result(b"b", 1, seen=20, due=9, partition=1)

    assert first_after([old, one], 6) is None
    assert first_after([old, one, other], 6) == 20


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(number) for number in range(100)]

    assert [percentile(values, share) for share in (0.5, 0.99, 1.0)] == [50, 99, 99]


class Bench:
    """A topic of one word a record, and the tasks that count it, one after the other."""

    def __init__(self, servers: str, folder: Path, mode: OffsetsMode = "transaction") -> None:
        self.servers = servers
        name = f"continuous-{uuid.uuid4().hex[:8]}"
        self.source, self.target = f"{name}-in", f"{name}-out"
        for topic in (self.source, self.target):
            create_topic(servers, topic)
        self._config: dict[str, Any] = {
            "application.id": name,
            "bootstrap.servers": servers,
            "processing.guarantee": "exactly_once_v2",
            "state.dir": str(folder),
        }
        self._mode: OffsetsMode = mode
        self._tasks: list[ContinuousTask] = []
        self.sent = 0

    def job(self, workload: str = "count") -> ContinuousJob:
        topology = build(workload, [self.source], self.target)
        return job_of(topology, StreamsConfig(self._config), self._mode)

    def send(self, keys: list[bytes]) -> None:
        producer = Producer({"bootstrap.servers": self.servers})
        for key in keys:
            producer.produce(self.source, b"x", key, partition=0, timestamp=1_000 + self.sent)
            self.sent += 1
        assert producer.flush(30) == 0

    def task(self) -> ContinuousTask:
        task = ContinuousTask(self.job(), 0)
        self._tasks.append(task)
        return task

    def take(self, task: ContinuousTask, count: int) -> None:
        for _ in range(300):
            count -= task.step(0.1)
            if count <= 0:
                break
        assert count == 0

    def lose(self, task: ContinuousTask) -> None:
        """Leave a task as a kill would: its transaction stays open."""
        task._host.close()

    def results(self) -> list[Result]:
        settings: dict[str, Any] = {"group.id": "results", "isolation.level": "read_committed"}
        settings |= {"bootstrap.servers": self.servers, "enable.auto.commit": False}
        consumer: Any = Consumer({**settings, "enable.partition.eof": True})
        consumer.assign([TopicPartition(self.target, 0, 0), TopicPartition(self.target, 1, 0)])
        found, left = list[Result](), self.ends()
        while left:
            message = consumer.poll(30)
            assert message is not None
            if (error := message.error()) is not None:
                assert error.code() == KafkaError._PARTITION_EOF
                if message.offset() >= left.get(message.partition(), 0):
                    left.pop(message.partition(), None)
                continue
            (number,) = struct.unpack(">q", message.value())
            found.append(result(message.key(), number))
        consumer.close()
        return found

    def ends(self) -> dict[int, int]:
        """Return the ends of the target's partitions, of what is not committed, too.

        A commit is answered before the broker has written its markers: until then a reader of
        what is committed finds an end that is too early.
        """
        settings: dict[str, Any] = {"group.id": "ends", "bootstrap.servers": self.servers}
        reader: Any = Consumer({**settings, "isolation.level": "read_uncommitted"})
        try:
            parts = [TopicPartition(self.target, number) for number in range(2)]
            return {each.partition: reader.get_watermark_offsets(each)[1] for each in parts}
        finally:
            reader.close()

    def close(self) -> None:
        for task in self._tasks:
            task._output.close()
            task._consumer.close()


@pytest.fixture
def bench(kafka: KafkaServer, tmp_path: Path) -> Iterator[Bench]:
    found = Bench(kafka.bootstrap_servers, tmp_path)
    yield found
    found.close()


def interrupted(bench: Bench) -> Verdict:
    """Commit some records, leave a task in the middle of a transaction, go on with another one."""
    bench.send(KEYS)
    task = bench.task()
    bench.take(task, len(KEYS))
    task.commit()
    bench.send(KEYS[:20])
    bench.take(task, 20)
    bench.lose(task)
    bench.send(KEYS[:10])
    task = bench.task()
    task.step(1)
    while task.step(1):
        pass
    task.commit()
    bench.lose(task)
    return verdict(Counter(KEYS + KEYS[:20] + KEYS[:10]), bench.results())


def test_a_task_goes_on_from_its_last_transaction(bench: Bench) -> None:
    assert interrupted(bench).is_clean
    # Its local copy was at the committed offsets.
    assert bench._tasks[1].facts["restored"] == {}


@pytest.mark.parametrize("mode", ["early", "late"])
def test_offsets_apart_from_the_transaction_lose_or_repeat(
    kafka: KafkaServer, tmp_path: Path, mode: OffsetsMode
) -> None:
    bench = Bench(kafka.bootstrap_servers, tmp_path, mode)
    try:
        found = interrupted(bench)
    finally:
        bench.close()
    assert (found.lost > 0, found.twice > 0) == (mode == "early", mode == "late")


def test_a_task_without_its_files_restores_the_changelog_topic(
    bench: Bench, tmp_path: Path
) -> None:
    bench.send(KEYS)
    task = bench.task()
    bench.take(task, len(KEYS))
    task.commit()
    bench.lose(task)
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    bench.send(KEYS)

    task = bench.task()
    bench.take(task, len(KEYS))
    task.commit()
    bench.lose(task)

    # With a cache, the first commit has one change of each key.
    assert task.facts["restored"] == {"counts": len(set(KEYS))}
    assert verdict(Counter(KEYS * 2), bench.results()).is_clean


def test_a_predecessor_that_still_runs_cannot_commit(bench: Bench, tmp_path: Path) -> None:
    bench.send(KEYS)
    old = bench.task()
    bench.take(old, len(KEYS))
    old._host.close()

    new = bench.task()
    with pytest.raises(Exception, match=r"FENCED|fenced|newer"):
        old._output.commit(old._offsets(), old._consumer.consumer_group_metadata())
    bench.take(new, len(KEYS))
    new.commit()
    bench.lose(new)

    assert verdict(Counter(KEYS), bench.results()).is_clean


def test_the_prototype_refuses_what_it_cannot_run(bench: Bench) -> None:
    with pytest.raises(UnsupportedOperationException, match="one sub-topology"):
        bench.job("repartition-count")


def test_the_report_shows_each_side_with_its_kills() -> None:
    found = Found(
        side="continuous",
        commit_ms=100,
        first_s=4.25,
        results=1000,
        p50_ms=61.4,
        p99_ms=120.0,
        max_ms=200.0,
        cpu_share=0.5,
        kills=(Kill(what="worker", seconds=0.52), Kill(what="worker", seconds=None)),
        verdict=Verdict(lost=0, twice=2, repeated=1),
        starts=({"task": "0_0", "initialised_ms": 3, "restored_ms": 7, "restored": {"a": 5}},),
        load=(1.0, 2.5),
    )

    _, _, row = latency_table([found]).splitlines()
    *_, start = starts_table([found]).splitlines()

    assert row == (
        "| continuous | 100 | 61 | 120 | 200 | 1000 | 0.50 | 4.2 | 0.5, never | - | 0 | 2 | 1 "
        "| 1.0 to 2.5 |"
    )
    assert start == "| 0_0 | 3 | 7 | 5 |"


def test_what_was_sent_is_drawn_again_from_its_seed() -> None:
    drawn = [key for key, _ in zip(keys(5, 3), range(20), strict=False)]

    assert sent(20, 5, 3) == Counter(drawn) + Counter(b"k%d" % number for number in range(5))


def test_only_the_same_process_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        (own,) = [each for each in descendants(os.getpid()) if each.pid == child.pid]

        own._replace(started="0").kill()
        assert child.poll() is None
        own.kill()
        assert child.wait(60) == -signal.SIGKILL
    own.kill()
