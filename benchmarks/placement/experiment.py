"""One run of the experiment: start, kill an executor, wait for the next, read the output."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from benchmarks.cluster.running import PATIENCE_S, Running, running
from benchmarks.cluster.sending import Sender
from benchmarks.cluster.site import EXECUTORS, Site

TASKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Site):
    """What to run."""

    steer: bool
    keys: int = 600
    """Keys whose state is there before the executor is killed."""
    rate: int = 200
    """Records a second while it runs."""
    wait: str = "3s"
    """How long Spark waits for a task's executor: its ``spark.locality.wait.process``."""
    batches: int = 6
    """Batches to wait for before the kill, and after the new executor has its tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run showed; executors by what their workers wrote into the results."""

    lost: str
    owners: dict[int, list[str]]
    """The executors of each task since just before the kill, in order."""
    wrong: list[str]
    """Keys whose counts are not 1, 2, 3 …"""
    records: int
    joined_s: float
    """From the kill until Spark had a new executor."""
    balanced_s: float | None
    """From the new executor until all had equally many tasks; None if that was never seen."""
    batch_ms: dict[str, float]
    """Batches: median before, longest from the kill to balance or end, median of the last ones."""

    def moved(self) -> dict[int, int]:
        """Return how many times each task changed its executor."""
        return {task: len(names) - 1 for task, names in self.owners.items()}

    def needless(self) -> list[int]:
        """Return the tasks that moved though their executor was not lost."""
        return [t for t, names in self.owners.items() if len(names) > 1 and names[0] != self.lost]

    def balance(self) -> list[int]:
        """Return how many tasks each executor had in the end."""
        counts = Counter(names[-1] for names in self.owners.values())
        return sorted(counts.values(), reverse=True) + [0] * (EXECUTORS - len(counts))


def run(setting: Setting) -> Outcome:
    """Run the experiment once.

    Raises:
        RuntimeError: The application failed, or something that must happen did not.
    """
    sent = KeysInTurn(setting)
    sent.every_key_once()
    entries = {
        "millstream.steer.tasks": setting.steer,
        "spark.locality.wait.process": setting.wait,
    }
    with running(setting, "benchmarks.placement.program", entries) as app:
        with sent.going_on():
            app.wait_for("a full house", lambda: _full(app))
            app.wait_for_batches(setting.batches)
            if setting.steer:
                app.wait_for("balance at the start", lambda: _balanced(app))
                app.wait_for_batches(2)
            marks = _ends(setting)
            lost = app.owner()
            before = list(app.batches)
            killed = app.kill_executor(lost)
            app.wait_for("the loss", lambda: lost not in app.executors())
            app.wait_for("a new executor", lambda: _full(app))
            joined = time.time()
            balanced = _wait_for_balance(app, setting)
            app.wait_for_batches(setting.batches)
        results = _results(setting, sent.count)
        app.close()
        batches = list(app.batches)
    return Outcome(
        lost=lost,
        owners=_owners(results, marks),
        wrong=_wrong(results),
        records=sent.count,
        joined_s=joined - killed,
        balanced_s=None if balanced is None else balanced - joined,
        batch_ms={
            "before": median(each["ms"] for each in before[-setting.batches :]),
            "longest": max(each["ms"] for each in batches[len(before) :]),
            "after": median(each["ms"] for each in batches[-setting.batches :]),
        },
    )


class KeysInTurn(Sender):
    """Sends the keys in turn."""

    def __init__(self, setting: Setting) -> None:
        # As Kafka's own producer does, so that a key's task has the partition's number.
        super().__init__(setting, setting.rate, {"partitioner": "murmur2_random"})
        self._keys = setting.keys

    def send_next(self, number: int) -> None:
        self.send(f"key{self.count % self._keys}".encode())

    def every_key_once(self) -> None:
        """Send each key once, and wait until all have arrived."""
        for number in range(self._keys):
            self.send_next(number)
        self.flush()


def _full(app: Running) -> bool:
    return len(app.executors()) == EXECUTORS


def _balanced(app: Running) -> bool:
    record = app.record()
    if record is None:
        return False
    present = {executor.id for executor in record.executors}
    counts = Counter(place.executor for place in record.tasks if place.executor in present)
    return len(counts) == EXECUTORS and set(counts.values()) == {TASKS // EXECUTORS}


def _wait_for_balance(app: Running, setting: Setting) -> float | None:
    """Return when there was balance; without steering, wait only for as long as it may take."""
    if setting.steer:
        app.wait_for("balance", lambda: _balanced(app))
        return time.time()
    for _ in range(3 * setting.batches):
        app.wait_for_batches(1)
        if _balanced(app):
            return time.time()
    return None


def _ends(setting: Setting) -> dict[int, int]:
    consumer = Consumer({"bootstrap.servers": setting.bootstrap_servers, "group.id": "unused"})
    try:
        return {
            number: consumer.get_watermark_offsets(TopicPartition(setting.target, number))[1]
            for number in range(TASKS)
        }
    finally:
        consumer.close()


def _results(setting: Setting, count: int) -> list[Any]:
    """Return all committed results by partition and offset; a little more is waited for."""
    consumer = Consumer(
        {
            "bootstrap.servers": setting.bootstrap_servers,
            "group.id": f"{setting.application_id}-reader",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "fetch.queue.backoff.ms": 5,
        }
    )
    consumer.assign([TopicPartition(setting.target, number, 0) for number in range(TASKS)])
    found: list[Any] = []
    give_up = time.monotonic() + PATIENCE_S
    while len(found) < count and time.monotonic() < give_up:
        found += consumer.consume(10_000, 0.2)
    stop = time.monotonic() + 1
    while time.monotonic() < stop:
        found += consumer.consume(10_000, 0.2)
    consumer.close()
    return sorted(found, key=lambda each: (each.partition(), each.offset()))


def _owners(results: list[Any], marks: dict[int, int]) -> dict[int, list[str]]:
    """Return who made the results of each partition; a key's task has the partition's number."""
    found: dict[int, list[str]] = {}
    for task, mine in groupby(results, key=lambda each: each.partition()):
        makers = [(each.offset(), each.value().split()[1].decode()) for each in mine]
        start = max((i for i, (at, _) in enumerate(makers) if at < marks[task]), default=0)
        found[task] = [name for name, _ in groupby(name for _, name in makers[start:])]
    return found


def _wrong(results: list[Any]) -> list[str]:
    """Return the keys that lost or repeated a result."""
    counts: dict[bytes, int] = {}
    wrong = []
    for each in results:
        counts[each.key()] = expected = counts.get(each.key(), 0) + 1
        if int(each.value().split()[0]) != expected:
            wrong.append(each.key().decode())
    return wrong
