"""One run: fill a store, then watch batches without questions and with them, in turn."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from benchmarks.queries.sending import key
from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    KeyQuery,
    Materialized,
    QueryableStoreTypes,
    Serdes,
    StateQueryRequest,
    StoreQueryParameters,
    Stores,
    StreamsBuilder,
    Topology,
)

SOURCE, STORE = "queried", "counts"
RANGE = 100
"""Keys of a range."""
PATIENCE_S = 1800.0
FORGOTTEN_S = 65.0
"""Time after which a store does not count as asked for any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What to run."""

    bootstrap_servers: str
    directory: Path
    master: str
    partitions: int
    keys: int
    rate: int
    store: str
    guarantee: str
    batches: int
    rounds: int
    pause_ms: int


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as Spark reports it."""

    id: int
    ms: float
    records: int
    ended: float
    """Epoch seconds."""
    ends: dict[int, int]
    """Partition -> the offset after its last record."""


@dataclass(slots=True)
class Outcome:
    """What a run showed; times in milliseconds."""

    first_s: float = 0.0
    """The first question, which copies the store."""
    followed_s: float = 0.0
    """From the first question until the batches carried the changes."""
    gets: list[float] = field(default_factory=list)
    ranges: list[float] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)
    """Committed batches that an answer did not show yet."""
    quiet: list[Batch] = field(default_factory=list)
    asked: list[Batch] = field(default_factory=list)
    reads: int = 0
    """Reads of the checkpoint while questions were counted."""
    load: tuple[float, ...] = ()


def counts(store: str) -> Topology:
    """Return the topology: records counted by key."""
    text = Serdes.String()
    memory = store == "memory"
    supplier = (
        Stores.inMemoryKeyValueStore(STORE) if memory else Stores.persistentKeyValueStore(STORE)
    )
    builder = StreamsBuilder()
    stream = builder.stream(SOURCE, Consumed.with_(text, text))
    stream.groupByKey(Grouped.with_(text, text)).count(Materialized.as_(supplier))
    return builder.build()


def run(setting: Setting) -> Outcome:
    """Run once.

    Raises:
        RuntimeError: Something that must happen did not.
    """
    found = Outcome()
    with (
        _sending(setting) as wait_filled,
        KafkaStreams(counts(setting.store), _config(setting)) as app,
    ):
        app.start()
        wait_filled()
        _await("the filled store", lambda: _read(app) >= setting.keys)
        for number in range(setting.rounds):
            if number:
                time.sleep(FORGOTTEN_S)
            _watch(app, setting.batches, found.quiet, lambda: time.sleep(0.05))
            questions = Questions(app, setting, found)
            if not number:
                questions.first()
            questions.settle()
            _watch(app, setting.batches, found.asked, questions.ask)
            questions.judge(found.asked)
        found.load = os.getloadavg()
    return found


class Questions:
    """Asks, and notes how long an answer takes and which offsets it shows."""

    def __init__(self, app: KafkaStreams, setting: Setting, found: Outcome) -> None:
        self._app = app
        self._keys = setting.keys
        self._pause_s = setting.pause_ms / 1000
        self._found = found
        self._random = random.Random(11)
        self._number = 0
        self._answers: list[tuple[float, dict[int, int]]] = []
        """When a question was asked, and the offsets of its answer."""
        kind = QueryableStoreTypes.keyValueStore()
        self._parameters = StoreQueryParameters.fromNameAndType(STORE, kind)
        self._view: Any = None

    def first(self) -> None:
        """Ask for the first time."""
        began = time.perf_counter()
        self._app.store(self._parameters).get(key(0))
        self._found.first_s = time.perf_counter() - began

    def settle(self) -> None:
        """Ask until three batches in a row needed no read of the checkpoint."""
        began = time.perf_counter()
        self._view = self._app.store(self._parameters)
        queries: Any = self._app._queries
        carrying = self._app._runner.carrying
        # From the first batch on that carried everything and that the copies have.
        _await("the changes", lambda: self._is_followed(queries, carrying))
        self._found.followed_s = self._found.followed_s or time.perf_counter() - began
        committed = queries._committed
        manifests = committed.manifests

        def counted(*arguments: Any) -> Any:
            self._found.reads += 1
            return manifests(*arguments)

        committed.manifests = counted

    def ask(self) -> None:
        """Ask once, and pause."""
        self._number += 1
        number = self._random.randrange(self._keys - RANGE)
        began = time.perf_counter()
        if self._number % 10 == 0:
            assert len(list(self._view.range(key(number), key(number + RANGE - 1)))) == RANGE
            self._found.ranges.append((time.perf_counter() - began) * 1000)
        elif self._number % 10 == 5:
            self._ask_for_a_position(number)
        else:
            assert self._view.get(key(number)) >= 1
            self._found.gets.append((time.perf_counter() - began) * 1000)
        time.sleep(self._pause_s)

    def judge(self, batches: list[Batch]) -> None:
        """Note how many committed batches each answer did not show."""
        for at, offsets in self._answers:
            ended = [each for each in batches if each.ended <= at]
            missed = [
                each
                for each in ended
                if any(offsets.get(number, 0) < end for number, end in each.ends.items())
            ]
            if ended:
                self._found.behind.append(len(missed))

    def _ask_for_a_position(self, number: int) -> None:
        query: Any = KeyQuery.withKey(key(number))
        at = time.time()
        answer = self._app.query(StateQueryRequest.inStore(STORE).withQuery(query))
        shown = answer.getPosition().getPartitionPositions(SOURCE)
        # A position is that of the last record.
        self._answers.append((at, {each: offset + 1 for each, offset in shown.items()}))

    def _is_followed(self, queries: Any, carrying: Any) -> bool:
        self._view.get(key(0))
        return bool(0 <= carrying.newest() <= queries.oldest({0}))


def _watch(app: KafkaStreams, count: int, batches: list[Batch], do: Callable[[], None]) -> None:
    """Do something until so many more batches have ended; note them."""
    # The batch that runs began before.
    first = _last(app) + 2
    give_up = time.monotonic() + PATIENCE_S
    while _last(app) < first + count - 1:
        if time.monotonic() > give_up:
            raise RuntimeError(f"{count} batches took more than {PATIENCE_S:.0f} s")
        do()
    batches += [each for each in _batches(app) if first <= each.id < first + count]


def _batches(app: KafkaStreams) -> list[Batch]:
    return [_batch(each) for each in app._runner.recent_progress() if each["numInputRows"]]


def _batch(progress: dict[str, Any]) -> Batch:
    ms = float(progress["durationMs"]["triggerExecution"])
    began = datetime.fromisoformat(progress["timestamp"].replace("Z", "+00:00")).timestamp()
    ends: dict[int, int] = {}
    for source in progress["sources"]:
        offset = source["endOffset"]
        if isinstance(offset, dict) and SOURCE in offset:
            ends = {int(number): int(end) for number, end in offset[SOURCE].items()}
    return Batch(progress["batchId"], ms, progress["numInputRows"], began + ms / 1000, ends)


def _last(app: KafkaStreams) -> int:
    report = app._runner.last_report()
    return -1 if report is None else report[0]


def _read(app: KafkaStreams) -> int:
    batches = _batches(app)
    return sum(batches[-1].ends.values()) if batches else 0


def _config(setting: Setting) -> dict[str, Any]:
    return {
        "application.id": "queried",
        "bootstrap.servers": setting.bootstrap_servers,
        "state.dir": str(setting.directory),
        "processing.guarantee": setting.guarantee,
        "spark.master": setting.master,
        "spark.log.level": "ERROR",
        "spark.sql.streaming.numRecentProgressUpdates": "10000",
    }


@contextmanager
def _sending(setting: Setting) -> Iterator[Callable[[], object]]:
    """Send input while the block runs; the block gets what waits for the filling."""
    admin = AdminClient({"bootstrap.servers": setting.bootstrap_servers})
    for created in admin.create_topics([NewTopic(SOURCE, setting.partitions, 1)]).values():
        created.result(30)
    arguments = (setting.bootstrap_servers, SOURCE, str(setting.keys), str(setting.rate))
    command = (sys.executable, "-m", "benchmarks.queries.sending", *arguments)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as sender:
        assert sender.stdin is not None
        assert sender.stdout is not None
        try:
            yield sender.stdout.readline
        finally:
            sender.stdin.close()
            sender.wait(60)


def _await(what: str, happened: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > give_up:
            raise RuntimeError(f"waited for {what} for {PATIENCE_S:.0f} s")
        time.sleep(0.2)
