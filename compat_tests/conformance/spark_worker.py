"""What a bundle of scenarios does in Spark's workers.

All scenarios of a bundle share one query and two topics. A record's headers say which topic of
which scenario it is on; the group key of a task says whose it is.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import Row

from compat_tests.conformance.spark_mux import CONTROL, plain_headers, with_place
from millstream.topology.spark.failures import WorkerFailure, failure_from
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import (
    ARROW_ROW,
    GLOBAL,
    RECORDS,
    TICK,
    decode_chunk,
    encode_chunk,
)
from millstream.topology.spark.worker.pack import PACKED_ARROW, SOURCE_COLUMNS, packed
from millstream.topology.spark.worker.sink import sink_rows, sinker
from millstream.topology.spark.worker.stage import StageProcessor
from millstream.topology.spark.worker.worker_cache import application, cached, discard

ASK = 16
"""A kind of row that the line does not know: what the judge asks of a task."""

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleJob:
    """What the workers know of a bundle."""

    whole: Job
    """The query as an application: its sink, and what is kept between batches."""
    members: Mapping[int, Job]
    """The scenarios' applications by the group keys of their tasks."""
    input: str
    output: str
    results: str
    """A folder for what the judge wants to know."""
    global_topics: Mapping[str, frozenset[str]]
    """What fills global stores, by application."""
    code: str
    """Where the tests can be imported from."""

    def failed(self, member: Job) -> Path:
        return Path(self.results) / f"{member.application_id}-failed.json"


class _Kept(dict[str, int]):
    """Numbers that a worker keeps."""

    def close(self) -> None:
        """Nothing to do."""


def bundle_packer(bundle: BundleJob) -> Callable[[Batches], Batches]:
    """The first step of the line: what the shared topic carries, task by task."""

    def pack(batches: Batches) -> Batches:
        for batch in batches:
            by_place: dict[tuple[int, str], list[Any]] = {}
            for record in batch.to_pylist():
                place, fields = plain_headers(record)
                by_place.setdefault(place, []).append(fields)
            for (key, topic), records in by_place.items():
                member = bundle.members[key]
                if topic == CONTROL:
                    yield _control_rows(member, records)
                else:
                    yield _packed(bundle, member, topic, records)

    return pack


def _control_rows(member: Job, records: list[Any]) -> pa.RecordBatch:
    rows = []
    for record in records:
        clock = json.loads(record["value"]).get("clock")
        for stage in member.layout.stages:
            for task in range(stage.tasks):
                rows.append(
                    {
                        "key": member.layout.keys[task],
                        "stage": stage.index,
                        "kind": ASK if clock is None else TICK,
                        "partition": task,
                        "seq": 0,
                        "clock": clock or 0,
                        "blob": record["value"],
                    }
                )
    return pa.RecordBatch.from_pylist(rows, schema=ARROW_ROW)


def _packed(bundle: BundleJob, member: Job, topic: str, records: list[Any]) -> pa.RecordBatch:
    offsets = cached(bundle.whole, "offsets", lambda _: _Kept())
    name = f"{member.application_id} {topic}"
    first = offsets.get(name, 0)
    offsets[name] = first + len(records)
    for offset, record in enumerate(records, first):
        record |= {"topic": topic, "partition": 0, "offset": offset}
    fields = [{column: record[column] for column in SOURCE_COLUMNS} for record in records]
    batch = pa.RecordBatch.from_pylist(fields, schema=_SOURCE)
    *origin, blob = packed(batch)
    chunk = (*origin, blob.to_pybytes())
    places = _places(bundle, member, topic)
    rows = [dict(zip(PACKED_ARROW.names, (*place, *chunk), strict=True)) for place in places]
    return pa.RecordBatch.from_pylist([{**row, "clock": 0} for row in rows], schema=ARROW_ROW)


def _places(bundle: BundleJob, member: Job, topic: str) -> list[tuple[int, int, int]]:
    """The tasks that read a topic: group key, stage and kind of row."""
    layout = member.layout
    if topic in bundle.global_topics[member.application_id]:
        tasks = [(stage.index, task) for stage in layout.stages for task in range(stage.tasks)]
        kept = {stage.index for stage in layout.stages if stage.has_globals}
        return [(layout.keys[task], stage, GLOBAL) for stage, task in tasks if stage in kept]
    stage = next(stage.index for stage in layout.stages if topic in stage.topics)
    return [(layout.keys[0], stage, RECORDS)]


class BundleStage(StageProcessor):
    """A stage of every scenario; the failure of one is noted and does not stop the others."""

    def __init__(self, bundle: BundleJob, stage: int) -> None:
        super().__init__(next(iter(bundle.members.values())), stage)
        self._bundle = bundle

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Run one task's batch, then answer what is asked about it."""
        self._job = self._bundle.members[key[0]]
        failed = self._bundle.failed(self._job)
        if failed.exists():
            return
        logging.getLogger("millstream").setLevel(logging.CRITICAL)
        timed = self._at_its_time(rows)
        mine = [row for row in timed if (row.stage, row.kind) == (self._index, ASK)]
        asked = [json.loads(row.blob) for row in mine]
        if any(each.get("forget") for each in asked):
            self._forget(mine)
        try:
            yield from list(super().handleInputRows(key, iter(timed), timerValues))
        except WorkerFailure as error:
            failed.write_text(str(error), encoding="utf-8")
            return
        for each in asked:
            if "stores" in each:
                self._answer(self._job.layout.keys.index(key[0]), each)

    def _at_its_time(self, rows: Iterator[Any]) -> list[Any]:
        """The rows, with the time that the scenario has set."""
        clock = cached(self._job, "clock", lambda _: _Kept())
        arrived = list(rows)
        clock["ms"] = now = max(clock.get("ms", 0), *(row.clock for row in arrived))
        return [Row(**{**row.asDict(), "clock": now}) for row in arrived]

    def _forget(self, rows: list[Any]) -> None:
        """Drop what the worker has of the task, which has to be rebuilt from the changelog."""
        for partition in {row.partition for row in rows}:
            discard(self._job, ("task", self._index, partition))

    def _answer(self, partition: int, asked: dict[str, Any]) -> None:
        import sys

        if self._bundle.code not in sys.path:
            sys.path.append(self._bundle.code)
        from compat_tests.conformance.spark_answers import answered

        name = ("task", self._index, partition)
        live: Any = application(self._job).entries.get(name)
        if live is None or live._task is None:
            return
        behind = () if live._globals is None else live._globals.tasks
        answer = answered(asked, live._task, *behind)
        number = f"{asked['number']}-{self._index}-{partition}"
        file = Path(self._bundle.results) / f"{self._job.application_id}-{number}.json"
        file.write_text(json.dumps(answer), encoding="utf-8")
        if asked.get("last"):
            discard(self._job, name)


def bundle_sinker(bundle: BundleJob) -> Callable[[Batches], Batches]:
    """The last step of the line: what the scenarios sent, on the shared topic."""

    def sink(batches: Batches) -> Batches:
        rows = [row for batch in batches for row in sink_rows(batch)]
        rows = [row for row in rows if row["kind"] == RECORDS]
        sent = [each for row in rows for each in _sent(bundle, row)]
        relabelled = pa.RecordBatch.from_pylist(sent, schema=ARROW_ROW)
        yield from sinker(bundle.whole)(iter([relabelled]))

    return sink


def _sent(bundle: BundleJob, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    member = bundle.members[row["key"]]
    if bundle.failed(member).exists():
        # What a failed batch has sent is not written.
        return
    columns, key, topic = decode_chunk(row["blob"]), member.layout.keys[0], row["topic"]
    blob = encode_chunk(**with_place(columns, key, topic, with_time=False))
    yield {**row, "topic": bundle.output, "blob": blob}
    if any(topic in stage.topics for stage in member.layout.stages):
        blob = encode_chunk(**with_place(columns, key, topic, with_time=True))
        yield {**row, "topic": bundle.input, "blob": blob}


def failure_of(file: Path) -> Exception:
    """The failure that a worker noted, as the application's user would see it."""
    return failure_from(file.read_text(encoding="utf-8"))


_HEADER = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
_SOURCE = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", _HEADER),
    ]
)
