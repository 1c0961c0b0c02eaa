"""Attempts of workers at one task's batches, each in a process of its own that a record may kill.

``python -m compat_tests.spark.worker.attempts STATE_DIR FATAL...``: FATAL are values of records;
the process dies at each, in the mapper or (with ``decode:`` before it) in the deserializer. With
``flush`` it dies when the store is flushed; with ``anywhere`` at another record in each attempt.
Prints JSON: how each attempt ended, what was sent to each topic, and how many were left out.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from millstream import Consumed, Materialized, Produced, Serdes, StreamsBuilder, StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.topology.spark.arrow_headers import headers_column, headers_list
from millstream.topology.spark.compile import compile_plan
from millstream.topology.spark.isolation import Isolating
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import (
    RECORDS,
    binary_column,
    decode_chunk,
    encode_chunk,
    to_list,
)
from millstream.topology.spark.worker.worker_cache import Application
from millstream.topology.spark.worker.worker_task import Arrived, WorkerTask

VALUES = [b"a", b"b", b"fatal", b"c", b"fatal2", b"d"]
MOST_ATTEMPTS = 12


class Segments(dict[int, bytes]):
    """A task's segments."""

    def put(self, seq: int, segment: bytes) -> None:
        self[seq] = segment

    def remove(self, seq: int) -> None:
        self.pop(seq, None)


class Program:
    """The application: it counts records, and dies at some."""

    def __init__(self, fatal: set[str]) -> None:
        self.fatal = fatal
        self.attempt = 0
        self.seen = 0

    def mapped(self, value: str) -> str:
        self.seen += 1
        anywhere = "anywhere" in self.fatal and self.seen == 1 + self.attempt % len(VALUES)
        if value in self.fatal or anywhere:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    def decoded(self, topic: str, data: bytes) -> str:
        value = data.decode()
        if f"decode:{value}" in self.fatal:
            os._exit(3)
        return value

    def flushed(self, value: int) -> int:
        if "flush" in self.fatal:
            os._exit(4)
        return value

    def plan(self, config: StreamsConfig) -> Any:
        text = Serdes.String()
        values = Serdes.serdeFrom(text.serializer(), self.decoded)
        builder = StreamsBuilder()
        stream = builder.stream("in", Consumed.with_(text, values)).mapValues(self.mapped)
        counts = stream.groupByKey().count(Materialized.as_("counts"))
        counts.toStream().mapValues(self.flushed).to("out", Produced.with_(text, Serdes.Long()))
        return builder.build().plan()


def main() -> None:
    state_dir, *fatal = sys.argv[1:]
    program = Program(set(fatal))
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "localhost:1",
            "default.key.serde": Serdes.String(),
            "default.value.serde": Serdes.String(),
            "default.dsl.store": "in_memory",
            "errors.dead.letter.queue.topic.name": "dead",
            "statestore.cache.max.bytes": 1 << 20 if "flush" in fatal else 0,
        }
    )
    plan = program.plan(config)
    settings = TaskSettings.of(config)
    layout = compile_plan(plan, "app", {"in": 1})
    job = Job(
        application_id="app",
        checkpoint_id="c",
        run_id="run",
        topology=b"",
        layout=layout,
        sink_partitions={"out": 1, "dead": 1},
        exactly_once=True,
        state_dir=state_dir,
        isolating=Isolating(id="i", most=2),
    )
    owner = Application("run", plan, settings, config)
    answer = Path(state_dir) / "answer.json"
    ends: list[str] = []
    while len(ends) < MOST_ATTEMPTS and (not ends or ends[-1].startswith("died")):
        program.attempt = len(ends)
        child = os.fork()
        if not child:
            _attempt(job, owner, answer)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        ends.append("ended" if status == 0 else f"died {status}")
    found = json.loads(answer.read_text()) if answer.exists() else {}
    print(json.dumps({"ends": ends, **found}))


def _attempt(job: Job, owner: Application, answer: Path) -> None:
    """Run two batches in a child process, which ends."""
    try:
        task = WorkerTask(job, job.layout.stages[0], 0, owner)
        segments, sent = Segments(), dict[str, list[Any]]()
        manifest, rows = task.run(_arrived(0, VALUES), None, segments)
        _add(sent, rows)
        told = [each.tally for each in task.recorded() if each.family == "poisoned-records"]
        counted = sum(tally.total for tally in told if tally is not None)
        _, rows = task.run(_arrived(len(VALUES), [b"e"]), manifest, segments)
        _add(sent, rows)
        found: dict[str, Any] = {"sent": sent, "poisoned": counted}
    except StreamsException as error:
        found = {"error": f"{type(error).__name__}: {error}", "task": str(error.taskId())}
    answer.write_text(json.dumps(found))
    os._exit(0)


def _arrived(first: int, values: list[bytes]) -> Arrived:
    count = len(values)
    blob = encode_chunk(
        offsets=pa.array(range(first, first + count), pa.int64()),
        timestamps=pa.array([100] * count, pa.int64()),
        keys=binary_column([b"k"] * count),
        values=binary_column(values),
        headers=headers_column([None] * count),
    )
    row = SimpleNamespace(topic="in", partition=0, seq=first, blob=blob)
    return Arrived([row], [], [], 1000)


def _add(sent: dict[str, list[Any]], rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["kind"] != RECORDS:
            sent.setdefault("offsets", []).append(row["seq"])
            continue
        columns = decode_chunk(row["blob"])
        headers = headers_list(columns.get("headers")) or [None] * len(columns["keys"])
        for value, own in zip(to_list(columns["values"]), headers, strict=True):
            names = {h.key().rpartition(".")[2]: (h.value() or b"").decode() for h in own or ()}
            shown = value.decode("latin-1") if row["topic"] == "dead" else value[-1]
            sent.setdefault(row["topic"], []).append(
                [shown, names.get("offset")] if names else shown
            )


if __name__ == "__main__":
    main()
