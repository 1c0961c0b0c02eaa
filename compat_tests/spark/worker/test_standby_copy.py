"""Standby copies: whatever happens to batches, workers and files, a copy has what was committed."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from millstream.core.processor import TaskId
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.mirror import HEAD, OLDER_PER_BATCH
from millstream.topology.spark.state.slots import DirectoryLock
from millstream.topology.spark.state.standby_files import StandbyFiles, StandbyPlan
from millstream.topology.spark.worker.mirroring import Mirroring
from millstream.topology.spark.worker.standby_copy import StandbyCopy

KIND, STORE, RUN = "memory", "counts", "run"
TASK = TaskId(0, 0)


class Log(dict[int, bytes]):
    """Segments of one batch, which Spark forgets if the batch fails."""

    def put(self, seq: int, segment: bytes) -> None:
        self[seq] = segment

    def remove(self, seq: int) -> None:
        self.pop(seq, None)


class Worker:
    """A worker that runs the task when it is told to."""

    def __init__(self, files: StandbyFiles) -> None:
        self.changelog = Changelog(lambda store, kind: MemoryStore.open(Path(), {}))
        self.mirroring = Mirroring(files, RUN, TASK)
        self.step = b""


class Host:
    """The stores of a copy."""

    def __init__(self, place: DirectoryLock | None = None) -> None:
        self.anew = 0
        self.left = False
        self.own_place = place
        self._open()

    def _open(self) -> None:
        self.changelog = Changelog(lambda store, kind: MemoryStore.open(Path(), {}))

    def discard_stores(self) -> None:
        self.anew += 1
        self._open()

    def close(self) -> None:
        self.left = True
        if self.own_place is not None:
            self.own_place.release()


class Task:
    """A task on a cluster: what Spark has committed, and who has it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = StandbyFiles(root)
        self.segments: dict[int, bytes] = {}
        self.saved: bytes | None = None
        self.expected: dict[bytes, bytes] = {}
        self.plan("1")

    def plan(self, *executors: str) -> None:
        copies = {each: (repr(TASK),) for each in executors}
        StandbyFiles(self.root).write_plan(StandbyPlan(instance=RUN, copies=copies))

    @property
    def manifest(self) -> Manifest:
        return Manifest() if self.saved is None else Manifest.decode(self.saved)

    def worker(self) -> Worker:
        return Worker(StandbyFiles(self.root))

    def batch(
        self, worker: Worker, changes: dict[bytes, bytes | None], *, fails: bool = False
    ) -> None:
        log, manifest = Log(self.segments), self.manifest
        worker.changelog.catch_up(manifest, log)
        own = worker.step == manifest.step
        segments = worker.mirroring.log_for(manifest, self.saved, log, own=own)
        worker.changelog.working_copy(STORE, KIND).put_all(changes)
        following = worker.changelog.commit(manifest, segments, snapshot=b"", arrivals={})
        worker.step = following.step
        if fails:
            return
        self.segments, self.saved = dict(log), following.encode()
        for key, value in changes.items():
            if value is None:
                self.expected.pop(key, None)
            else:
                self.expected[key] = value

    def copy(self) -> tuple[StandbyCopy, Any]:
        host: Any = Host()
        return StandbyCopy(repr(TASK), host, self.files.mirror(TASK)), host

    def contents(self, changelog: Changelog) -> dict[bytes, bytes]:
        """Return a store after a worker with these copies has begun the next batch."""
        changelog.catch_up(self.manifest, Log(self.segments))
        return dict(changelog.working_copy(STORE, KIND).scan(None, None))


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(tmp_path)


def filled(task: Task, worker: Worker, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        task.batch(worker, {b"%d" % (number % 7): b"%d" % number})


def test_a_copy_has_the_batch_before_the_last_one_and_reads_only_that_one(task: Task) -> None:
    worker = task.worker()
    filled(task, worker, 5)
    copy, _ = task.copy()
    assert copy.follow()
    filled(task, worker, 3, 5)
    assert copy.follow()
    assert not copy.follow()
    host: Any = copy.take()
    assert host.changelog.first_missing(task.manifest) == task.manifest.position.seq - 1
    assert task.contents(host.changelog) == task.expected


def test_a_copy_never_has_a_batch_that_failed(task: Task) -> None:
    first, second = task.worker(), task.worker()
    filled(task, first, 3)
    task.batch(first, {b"wrong": b"1"}, fails=True)
    copy, _ = task.copy()
    copy.follow()
    task.batch(second, {b"right": b"2"})
    task.batch(second, {b"more": b"3"})
    copy.follow()
    host: Any = copy.take()
    assert task.contents(host.changelog) == task.expected
    assert b"wrong" not in task.expected
    assert host.anew == 0


def test_a_mirror_that_begins_late_is_filled_a_little_in_each_batch(task: Task) -> None:
    task.plan()
    worker = task.worker()
    filled(task, worker, 3 * OLDER_PER_BATCH)
    task.plan("1")
    copy, _ = task.copy()
    directory = task.files.mirror_directory(TASK)
    sizes = []
    while not copy.follow():
        filled(task, worker, 1)
        sizes.append(len(list(directory.iterdir())))
    steps = [after - before for before, after in zip([0, *sizes], sizes, strict=False)]
    assert len(sizes) > 2
    assert max(steps) <= OLDER_PER_BATCH + 2
    host: Any = copy.take()
    assert task.contents(host.changelog) == task.expected


def test_a_mirror_that_nobody_follows_is_deleted(task: Task) -> None:
    worker = task.worker()
    filled(task, worker, 3)
    assert (task.files.mirror_directory(TASK) / HEAD).exists()
    task.plan()
    filled(task, worker, 1)
    assert not task.files.mirror_directory(TASK).exists()


def test_old_segments_leave_the_mirror_when_the_rewrite_has_left_them(task: Task) -> None:
    worker = task.worker()
    big = Random(5).randbytes(60_000)
    for number in range(60):
        task.batch(worker, {b"%d" % (number % 3): big + b"%d" % number})
    task.batch(worker, {})
    numbers = [int(each.name) for each in task.files.mirror_directory(TASK).glob("[0-9]*")]
    assert task.manifest.oldest > 0
    assert min(numbers) >= task.manifest.oldest - 2
    copy, _ = task.copy()
    copy.follow()
    host: Any = copy.take()
    assert task.contents(host.changelog) == task.expected


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_to_files_and_workers_a_copy_is_right_or_is_given_up(
    task: Task, seed: int
) -> None:
    random = Random(seed)
    workers = [task.worker(), task.worker()]
    copy, host = task.copy()
    directory = task.files.mirror_directory(TASK)
    for number in range(80):
        changes: dict[bytes, bytes | None] = {
            b"%d" % random.randrange(20): random.choice([None, b"%d" % number])
        }
        worker = workers[0] if random.random() < 0.8 else workers[1]
        task.batch(worker, changes, fails=random.random() < 0.2)
        if random.random() < 0.1:
            workers[random.randrange(2)] = task.worker()
        if random.random() < 0.15 and directory.exists():
            harm(random, sorted(directory.iterdir()))
        if random.random() < 0.5:
            copy.follow()
        if random.random() < 0.1:
            taken: Any = copy.take()
            if taken is not None:
                assert task.contents(taken.changelog) == task.expected
            else:
                assert host.left
            copy, host = task.copy()
    for number in range(12):
        task.batch(workers[0], {b"last": b"%d" % number})
        copy.follow()
    last: Any = copy.take()
    assert last is not None
    assert task.contents(last.changelog) == task.expected


def harm(random: Random, files: list[Path]) -> None:
    if not files:
        return
    file = random.choice(files)
    way = random.randrange(3)
    data = bytearray(file.read_bytes())
    if way == 0 or not data:
        file.unlink()
    elif way == 1:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        file.write_bytes(data)
    else:
        file.write_bytes(data[: random.randrange(len(data))])


def test_a_copy_that_is_not_ready_does_not_make_a_task_wait(task: Task) -> None:
    copy, host = task.copy()
    assert not copy.follow()
    assert copy.take() is None
    assert host.left


def test_the_report_tells_how_far_a_copy_is(task: Task) -> None:
    worker = task.worker()
    filled(task, worker, 4)
    copy, _ = task.copy()
    assert (copy.report().seq, copy.report().ready) == (0, False)
    copy.follow()
    report = copy.report()
    assert (report.seq, report.end, report.ready) == (3, 3, True)
    assert report.entries == {STORE: 3}


def test_a_copy_that_warms_up_tells_how_much_it_lacks(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    filled(task, task.worker(), 20)
    host: Any = Host()
    lags: list[tuple[int, bool]] = []

    def note() -> None:
        report = copy.report()
        lags.append((report.end - report.seq, report.ready))

    copy = StandbyCopy(repr(TASK), host, task.files.mirror(TASK), note)
    assert copy.follow()
    assert lags == [(lag, False) for lag in range(len(lags), 0, -1)]
    assert len(lags) > 10
    report = copy.report()
    assert (report.end - report.seq, report.ready) == (0, True)


def test_a_mirror_that_cannot_be_written_fails_no_batch(
    task: Task, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "mirrors").write_text("a file in the way")
    worker = task.worker()
    filled(task, worker, 3)
    assert task.contents(worker.changelog) == task.expected
    assert len([r for r in caplog.records if "mirror not written" in r.getMessage()]) == 1


def test_files_that_are_damaged_count_as_absent(tmp_path: Path) -> None:
    files = StandbyFiles(tmp_path)
    assert files.plan() == StandbyPlan()
    (tmp_path / "plan.json").write_text('{"copies": 5}')
    assert files.plan() == StandbyPlan()
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "1.0.json").write_bytes(b"\xff{")
    assert files.reports(RUN) == []
