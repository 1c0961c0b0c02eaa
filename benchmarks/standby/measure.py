"""One run: fill a task's store, send a burst, kill the task's executor, watch the next one join."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from benchmarks.cluster.running import Running, running
from benchmarks.cluster.sending import Sender
from benchmarks.cluster.site import EXECUTORS, Site
from benchmarks.standby.program import FILL

PROGRAM = "benchmarks.standby.program"
TASKS = 3
LATE_S = 0.4
"""How long a committed result takes to its reader, at most."""
BALANCE_S = 90.0
"""How long to wait for a task on the new executor, which copies its state first."""
SMALL = 1_000
"""Keys of the other tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Site):
    """What to run."""

    entries: dict[str, Any]
    """Entries of the configuration in which the ways differ."""
    keys: int
    """Keys in the store of the task whose executor is killed."""
    burst: int
    """Records sent at once, to see the throughput."""
    rate: int
    """Records a second, from then on."""
    batches: int
    """Batches to watch before the kill and at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run showed; times in seconds."""

    burst: int
    """Records of the burst."""
    burst_s: float
    """Until its results were there."""
    ordinary_s: float
    """Median of the batches before the kill."""
    next_output_s: float
    """From the kill until a further result of the lost task."""
    first_output_s: float
    """From the kill until a result of the lost task for a record that was sent after the kill: of
    the batch after the one that the kill disturbed."""
    restored: int
    """Entries of the lost task's store that a worker had to restore."""
    longest_after_kill_s: float
    """Longest batch from the kill until Spark had a new executor, and the one of that result."""
    joined_s: float
    """From the kill until Spark had a new executor."""
    moving_s: float
    """Longest of all later batches."""
    added_s: float
    """Longest batch from the moment when Spark had an executor more, until a task was there. The
    batches before had one executor less than at first."""
    before_s: float
    """Median of those."""
    ended_s: float
    """Longest batch while Spark ended the executor before that, as where an application shrinks."""
    wrong: int
    """Results that were lost, repeated or wrong."""
    balanced: bool
    """Whether all executors had a task in the end."""
    load: tuple[float, ...] = field(default=())
    """The machine's load at the kill: averages of 1, 5 and 15 minutes."""


def run(setting: Setting) -> Outcome:
    """Run once.

    Raises:
        RuntimeError: The application failed, or something that must happen did not.
    """
    sender, results = KeysByTask(setting), Results(setting)
    sender.fill()
    with results.reading(), running(setting, PROGRAM, setting.entries) as app:
        app.wait_for("the filled store", lambda: results.count >= sender.count)
        with sender.going_on():
            app.wait_for("all executors", lambda: len(app.executors()) == EXECUTORS)
            app.wait_for_batches(setting.batches)
            if setting.entries.get("num.standby.replicas"):
                app.wait_for("the standby", lambda: _has_standby(setting))
        burst_s = _burst(setting, app, sender, results)
        with sender.going_on():
            app.wait_for_batches(setting.batches)
            before = list(app.batches)
            lost, load = app.owner(), os.getloadavg()
            killed = app.kill_executor(lost)
            results.await_from(killed)
            app.wait_for("a result of the lost task", lambda: results.first_at is not None)
            app.wait_for("the loss", lambda: lost not in app.executors())
            app.wait_for("a new executor", lambda: len(app.executors()) == EXECUTORS)
            joined = time.time()
            steers = setting.entries.get("millstream.steer.tasks", True)
            balanced = _watch_balance(app, BALANCE_S if steers else BALANCE_S / 6)
            app.wait_for_batches(3)
            batches = list(app.batches)[len(before) :]
            ended_s, before_s, added_s = _add_executor(app, setting.batches)
        app.wait_for("all results", lambda: results.count >= sender.count)
        app.close()
    assert results.first_at is not None
    assert results.next_at is not None
    recovered = max(joined, results.first_at)
    later = [each for each in batches if each["at"] - each["ms"] / 1000 > recovered]
    # The batch in which Spark got the new executor may be the one of that result.
    later += [each for each in batches if joined > results.first_at and each["at"] > joined]
    first = [each for each in batches if each not in later]
    return Outcome(
        burst=setting.burst // TASKS * TASKS,
        burst_s=burst_s,
        ordinary_s=median(each["ms"] for each in before[-setting.batches :]) / 1000,
        restored=sum(
            each["entries"]
            for each in app.restored
            if each["restored"] == 0 and killed < each["at"] < results.first_at + 1
        ),
        next_output_s=results.next_at - killed,
        first_output_s=results.first_at - killed,
        longest_after_kill_s=max((each["ms"] for each in first), default=0) / 1000,
        joined_s=joined - killed,
        moving_s=max(each["ms"] for each in later) / 1000,
        added_s=added_s,
        before_s=before_s,
        ended_s=ended_s,
        wrong=results.wrong + results.count - sender.count,
        balanced=balanced,
        load=load,
    )


class KeysByTask(Sender):
    """Sends the keys of each task in turn; the first letter of a key tells its task."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, setting.rate)
        self._keys = setting.keys

    def send_next(self, number: int) -> None:
        keys = self._keys if number % TASKS == 0 else SMALL
        self._send(number % TASKS, number * 7919 % keys)

    def fill(self) -> None:
        """Have the store of the first task filled, and send each key of the others once."""
        self.send(f"{FILL}{self._keys}".encode(), 0)
        self.burst(0, SMALL)

    def burst(self, large: int, small: int) -> None:
        """Send so many records to the first task, and to each of the others; wait for them."""
        for number in range(large):
            self._send(0, number * 7919 % self._keys)
        for task in range(1, TASKS):
            for number in range(small):
                self._send(task, number % SMALL)
        self.flush()

    def _send(self, task: int, number: int) -> None:
        self.send(f"{'abc'[task]}{number}".encode(), task)


class Results:
    """Reads committed results all the time."""

    def __init__(self, setting: Setting) -> None:
        self.count = 0
        self.wrong = 0
        """Results that do not follow the one before of their key: lost, repeated or wrong ones."""
        self._counts: dict[bytes, int] = {}
        self.first_at: float | None = None
        """When the first awaited result was there."""
        self.next_at: float | None = None
        """When there was any result of the first task, after the moment of waiting."""
        self._from_ms: float | None = None
        self._consumer = Consumer(
            {
                "bootstrap.servers": setting.bootstrap_servers,
                "group.id": f"{setting.application_id}-reader",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
            }
        )
        places = [TopicPartition(setting.target, number, 0) for number in range(TASKS)]
        self._consumer.assign(places)

    def await_from(self, time_s: float) -> None:
        """Note when there is a result of the first task for a record sent after a time."""
        self._from_ms = time_s * 1000

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read while the block runs."""
        stop = threading.Event()
        thread = threading.Thread(target=self._read, args=(stop,))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            self._consumer.close()

    def _check(self, found: list[Any]) -> None:
        for each in found:
            key, count = each.key(), each.value()
            if count and int(count) != self._counts.get(key, 0) + 1:
                self.wrong += 1
            self._counts[key] = int(count or 0)

    def _read(self, stop: threading.Event) -> None:
        while not stop.is_set():
            found = [each for each in self._consumer.consume(20_000, 0.01) if not each.error()]
            self.count += len(found)
            self._check(found)
            if self._from_ms is None or self.first_at is not None:
                continue
            since, now = self._from_ms, time.time()
            of_task = [m for m in found if (m.key() or b"")[:1] == b"a"]
            # What was committed before the kill may arrive a little later.
            if self.next_at is None and of_task and now > since / 1000 + LATE_S:
                self.next_at = now
            if any(m.timestamp()[1] > since for m in of_task):
                self.first_at, self.next_at = now, self.next_at or now


def _burst(setting: Setting, app: Running, sender: KeysByTask, results: Results) -> float:
    app.wait_for("the results so far", lambda: results.count >= sender.count)
    sender.burst(setting.burst // TASKS, setting.burst // TASKS)
    began = time.time()
    app.wait_for("the results of the burst", lambda: results.count >= sender.count)
    return time.time() - began


def _has_standby(setting: Setting) -> bool:
    """Return whether some executor has a copy of the first task."""
    reports = setting.directory.glob("*/checkpoint/millstream-standbys/*/reports/*.json")
    copies = [copy for each in reports for copy in json.loads(each.read_bytes())["copies"]]
    return any(copy["task"] == "0_0" and copy["ready"] for copy in copies)


def _add_executor(app: Running, batches: int) -> tuple[float, float, float]:
    """End an executor, and add another later.

    Returns:
        The longest batch until the end of the first, the median batch then, the longest one after.
    """
    count = len(app.batches)
    app.resize("fewer")
    app.wait_for("an executor less", lambda: len(app.executors()) == EXECUTORS - 1)
    app.wait_for_batches(2)
    ended = max(each["ms"] for each in list(app.batches)[count:])
    app.wait_for_batches(2 * batches)
    before = median(each["ms"] for each in list(app.batches)[-batches:])
    app.resize("more")
    app.wait_for("an executor more", lambda: len(app.executors()) == EXECUTORS)
    added, count = time.time(), len(app.batches)
    _watch_balance(app, BALANCE_S)
    app.wait_for_batches(3)
    later = [each["ms"] for each in list(app.batches)[count:] if each["at"] > added]
    return ended / 1000, before / 1000, max(later) / 1000


def _watch_balance(app: Running, seconds: float) -> bool:
    """Wait until all executors have a task, but not for longer than some seconds."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        app.wait_for_batches(1)
        record = app.record()
        owners = {each.executor for each in record.tasks} if record is not None else set()
        # The record names a lost executor until its task has run elsewhere.
        if len(owners & app.executors()) == EXECUTORS:
            return True
    return False
