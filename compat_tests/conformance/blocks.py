"""Runs a scenario's records in blocks on a bare Task, by chunks or one record at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from compat_tests.conformance.hosts import RawRecord
from compat_tests.conformance.replay import build, raw_record, scenario_config
from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.engine.output import Sent
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.errors import MillstreamError
from millstream.core.headers import Headers
from millstream.core.processor import TaskId
from millstream.testing.driver_host import DriverHost

Json = dict[str, Any]
Log = dict[str, list[tuple[Any, ...]]]


def run_in_blocks(scenario: Json, size: int, *, by_chunks: bool) -> tuple[Log, str | None]:
    """What each topic got, changelogs included, and the name of the error that ended the run.

    The records of a block are all queued before the first of them is processed, and there is one
    commit after them. A query ends a block, and so does a step of the wall clock.
    """
    config = scenario_config(scenario)
    plan = build(scenario, config).plan()
    settings = TaskSettings.of(StreamsConfig(config))
    host = DriverHost("app", settings.configs, scenario.get("wallClock", 0))
    log: Log = defaultdict(list)
    task = None
    try:
        task = Task(plan, plan.subtopologies, TaskId(0, 0), settings, host, by_chunks=by_chunks)
        world = _World(task, host, log)
        world.commit()
        for block in _blocks(scenario, size):
            world.take(block)
    except MillstreamError as error:
        return log, type(error).__name__
    finally:
        if task is not None:
            task.close()
        host.close()
    return log, None


def _blocks(scenario: Json, size: int) -> Iterator[list[RawRecord] | int]:
    for piped, events in groupby(scenario["events"], lambda event: "pipe" in event):
        if piped:
            records = [raw_record(scenario, event) for event in events]
            yield from (records[at : at + size] for at in range(0, len(records), size))
        else:
            yield from (
                event["advanceWallClock"] for event in events if "advanceWallClock" in event
            )


class _World:
    """The broker around the task: topics that are read are fed back to it."""

    def __init__(self, task: Task, host: DriverHost, log: Log) -> None:
        self.task = task
        self.host = host
        self.log = log
        self.offsets: dict[str, int] = defaultdict(int)

    def take(self, block: list[RawRecord] | int) -> None:
        if isinstance(block, int):
            self.host.advance(block)
            self.task.punctuations.run_wall_clock()
        else:
            self.add([_sent(record) for record in block])
            self.task.run()
        self.commit()

    def commit(self) -> None:
        self.task.commit()
        self.host.apply()
        while self.host.sent:
            sent, self.host.sent = self.host.sent, []
            for record in sent:
                self.log[record.topic].append(_comparable(record))
            self.add([record for record in sent if self.task.reads(record.topic)])
            self.task.run()
            self.task.commit()
            self.host.apply()

    def add(self, records: list[Sent]) -> None:
        for topic in dict.fromkeys(record.topic for record in records):
            own = [record for record in records if record.topic == topic]
            first = self.offsets[topic]
            self.offsets[topic] += len(own)
            headers = [record.headers for record in own]
            self.task.add(
                RawChunk(
                    topic,
                    0,
                    range(first, first + len(own)),
                    [record.timestamp for record in own],
                    [record.key for record in own],
                    [record.value for record in own],
                    headers if any(headers) else None,
                )
            )


def _sent(record: RawRecord) -> Sent:
    headers = Headers()
    for name, value in record.headers:
        headers.add(name, value)
    shared = headers if record.headers else None
    return Sent(record.topic, record.key, record.value, record.timestamp, shared)


def _comparable(record: Sent) -> tuple[Any, ...]:
    headers = tuple((header.key(), header.value()) for header in record.headers or ())
    return (record.key, record.value, record.timestamp, headers)
