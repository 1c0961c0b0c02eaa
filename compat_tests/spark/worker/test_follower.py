"""The thread that keeps standby copies: what it follows, reports and gives to tasks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compat_tests.spark.worker.test_standby_copy import Host, Task, filled
from millstream.core.processor import TaskId
from millstream.testing.broker import wait_for
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.state.standby_files import StandbyFiles, StandbyPlan
from millstream.topology.spark.worker import follower as follower_module
from millstream.topology.spark.worker import handover as handover_module
from millstream.topology.spark.worker.executor_id import executor_id
from millstream.topology.spark.worker.follower import Follower
from millstream.topology.spark.worker.handover import Handover

STAGE = Stage(index=0, subtopology=0, tasks=3, topics=("in",), internal=())


class Cluster:
    """Workers of executor 1, and what they have opened."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = StandbyFiles(root / "shared")
        self.kind = "rocksdb"
        self.hosts: list[tuple[int, Host, Path]] = []
        self.followers: list[Follower] = []
        self.left: list[int] = []
        """Partitions of which a follower wanted the stores that the task left."""

    def worker(self) -> Follower:
        job: Any = SimpleNamespace(
            standbys=str(self.root / "shared"),
            instance="run",
            state_dir=str(self.root),
            application_id="app",
            checkpoint_id="ck",
            kinds={"counts": self.kind},
        )

        def make(partition: int, place: Any) -> Any:
            host = Host(place)
            self.hosts.append((partition, host, place.directory))
            return host

        self.followers.append(Follower(job, STAGE, make, self.left.append))
        return self.followers[-1]

    def plan(self, *tasks: int) -> None:
        names = tuple(repr(TaskId(0, number)) for number in tasks)
        self.files.write_plan(StandbyPlan(instance="run", copies={"1": names}))

    def reported(self) -> dict[str, bool]:
        found = self.files.reports("run")
        return {copy.task: copy.ready for report in found for copy in report.copies}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.setattr(follower_module, "executor_id", lambda: "1")
    monkeypatch.setattr(follower_module, "POLL_S", 0.001)
    made = Cluster(tmp_path)
    yield made
    for each in made.followers:
        each.close()


def test_a_planned_task_is_followed_and_given_to_the_task(cluster: Cluster) -> None:
    task = Task(cluster.root / "shared")
    worker = task.worker()
    cluster.plan(0)
    filled(task, worker, 5)
    follower = cluster.worker()
    wait_for(lambda: cluster.reported() == {"0_0": True}, 10)
    assert follower.partitions() == {0}
    assert follower.take(1) is None
    taken: Any = follower.take(0)
    assert taken is cluster.hosts[0][1]
    assert task.contents(taken.changelog) == task.expected
    assert follower.take(0) is None
    wait_for(lambda: cluster.reported() == {}, 10)
    assert len(cluster.hosts) == 1


def test_a_task_that_the_plan_has_again_is_followed_again(cluster: Cluster) -> None:
    task = Task(cluster.root / "shared")
    filled(task, task.worker(), 5)
    cluster.plan(0)
    follower = cluster.worker()
    wait_for(lambda: cluster.reported() == {"0_0": True}, 10)
    assert follower.take(0) is not None
    cluster.plan()
    cluster.plan(2)
    wait_for(lambda: follower.partitions() == {2}, 10)
    cluster.plan(0)
    wait_for(lambda: cluster.reported() == {"0_0": True}, 10)


def test_a_copy_that_is_not_planned_any_more_is_closed(cluster: Cluster) -> None:
    cluster.plan(0, 2)
    follower = cluster.worker()
    wait_for(lambda: follower.partitions() == {0, 2}, 10)
    cluster.plan(2)
    wait_for(lambda: follower.partitions() == {2}, 10)
    wait_for(lambda: [host.left for n, host, _ in cluster.hosts if n == 0] == [True], 10)


def test_one_worker_of_an_executor_follows(cluster: Cluster) -> None:
    cluster.plan(0)
    first = cluster.worker()
    wait_for(lambda: first.partitions() == {0}, 10)
    second = cluster.worker()
    assert second.partitions() == set()
    first.close()
    wait_for(lambda: second.partitions() == {0}, 10)


def test_a_copy_on_disk_goes_to_the_worker_that_runs_the_task(cluster: Cluster) -> None:
    task = Task(cluster.root / "shared")
    filled(task, task.worker(), 5)
    cluster.plan(0)
    first = cluster.worker()
    wait_for(lambda: cluster.reported() == {"0_0": True}, 10)
    second = cluster.worker()
    assert second.take(0) is None
    taken: Any = second.take(0, new=True)
    assert [directory for _, _, directory in cluster.hosts] == [taken.own_place.directory] * 2
    assert cluster.hosts[0][1].left
    assert first.partitions() == set()
    assert first.take(0) is None


def test_a_copy_in_memory_stays_with_its_worker(cluster: Cluster) -> None:
    cluster.kind = "memory"
    task = Task(cluster.root / "shared")
    filled(task, task.worker(), 5)
    cluster.plan(0)
    first = cluster.worker()
    wait_for(lambda: cluster.reported() == {"0_0": True}, 10)
    assert cluster.worker().take(0, new=True) is None
    assert first.partitions() == {0}


def test_a_task_does_not_wait_for_a_worker_that_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handover_module, "PATIENCE_S", 0.01)
    assert Handover(tmp_path, "1").ask("0_0") is None
    assert not Handover(tmp_path, "1").wanted("0_0")


def test_the_plan_of_another_instance_counts_for_nothing(cluster: Cluster) -> None:
    cluster.plan(1)
    follower = cluster.worker()
    wait_for(lambda: follower.partitions() == {1}, 10)
    cluster.files.write_plan(StandbyPlan(instance="other", copies={"1": ("0_1",)}))
    wait_for(lambda: follower.partitions() == set(), 10)


def test_a_task_is_ended_for_its_copy_between_two_batches_only(cluster: Cluster) -> None:
    follower = cluster.worker()
    assert follower.take(1) is None
    cluster.plan(0)
    wait_for(lambda: follower.partitions() == {0}, 10)
    assert cluster.left == []
    follower.rest()
    cluster.plan(0, 2)
    wait_for(lambda: follower.partitions() == {0, 2}, 10)
    assert cluster.left == [2]


def test_one_process_tells_the_executors_of_several_jvms(monkeypatch: pytest.MonkeyPatch) -> None:
    # The fork server asks for itself before it makes the workers of all executors.
    assert executor_id() is None
    for wanted in ("1", "2"):
        command = [sys.executable, "-c", "input('started')", "--executor-id", wanted]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as jvm:
            assert jvm.stdout is not None
            assert jvm.stdout.read(7) == b"started"
            monkeypatch.setenv("MILLSTREAM_JVM", str(jvm.pid))
            assert executor_id() == wanted
            jvm.kill()


def test_outside_an_executor_nothing_is_followed(tmp_path: Path) -> None:
    assert executor_id() is None
    follower = Cluster(tmp_path).worker()
    assert follower.partitions() == set()
    follower.close()
