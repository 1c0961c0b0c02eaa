"""Files beside Spark's in a checkpoint, and what a group's committed offsets carry."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from confluent_kafka import TopicPartition

from compat_tests.folders import folder
from compat_tests.fuzz.decoder import Decoder, Maker
from millstream.core.errors import StreamsException
from millstream.core.processor import TaskId
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.checkpoint.log import CheckpointLog
from millstream.topology.spark.checkpoint.origin import ORIGIN, POINTER, Origin, read_origin
from millstream.topology.spark.checkpoint.store_notes import StoreNote
from millstream.topology.spark.failures import WorkerFailure, failure_from, trace_from
from millstream.topology.spark.generations.pointer import Pointer, read_pointer
from millstream.topology.spark.migration.offset_metadata import OffsetMetadata, metadata_of
from millstream.topology.spark.ownership import Claim, Mark, claim_of, committed_of
from millstream.topology.spark.placement.facts import Executor, Move, TaskPlace
from millstream.topology.spark.placement.record import FILE, PlacementRecord, read_record
from millstream.topology.spark.state.standby_files import (
    PLAN,
    REPORTS,
    CopyReport,
    ExecutorReport,
    StandbyFiles,
    StandbyPlan,
)

DESCRIPTION = """Topologies:
   Sub-topology: 0
    Source: KSTREAM-SOURCE-0000000000 (topics: [in])
      --> KSTREAM-SINK-0000000001
    Sink: KSTREAM-SINK-0000000001 (topic: out)
      <-- KSTREAM-SOURCE-0000000000

"""


def note() -> StoreNote:
    """Return the note of a window store."""
    return StoreNote(
        type="window",
        values="timestamped",
        kind="rocksdb",
        layout={"segment interval": 60_000, "order by time": True},
        sizes={"window": 5000},
        serdes={"key": "StringSerde()", "value": "LongSerde()"},
    )


def description() -> bytes:
    """Return the description of a checkpoint."""
    found = new_checkpoint(
        DESCRIPTION,
        {"0": 2},
        {"S": ["a", "b"]},
        "DEFAULT",
        {"sums": note()},
        {"in": 2},
        ("w",),
        True,
    )
    return found.to_json().encode()


def in_file(name: str, read: Callable[[LocalFiles], object]) -> Callable[[bytes], object]:
    """Return what writes bytes to a file of a checkpoint and reads it."""
    root = folder("fuzz-")

    def decode(data: bytes) -> object:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return read(LocalFiles(root))

    return decode


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def descriptions() -> Decoder:
    """``millstream.json``, and what a start makes of it."""

    def decode(data: bytes) -> object:
        found = Checkpoint.from_json(_text(data), "/checkpoint")
        return found.to_json(), sum(found.tasks.values()), {**found.partitions}

    return Decoder([description()], decode)


def origins() -> Decoder:
    """``millstream-origin.json``."""
    sample = Origin(source="savepoint", location="/s", positions={"in": {0: 12}}).to_json()
    return Decoder(
        [sample.encode()], in_file(ORIGIN, lambda files: read_origin(files, "/checkpoint"))
    )


def pointers() -> Decoder:
    """``millstream-generation.json``."""
    sample = Pointer(number=2, highest=3, abandoned=("x",)).to_json()
    return Decoder(
        [sample.encode()], in_file(POINTER, lambda files: read_pointer(files, "/checkpoint"))
    )


def logs(name: str, samples: list[bytes]) -> Decoder:
    """Spark's logs of batches."""
    root = folder("fuzz-")
    head = b'v1\n{"batchWatermarkMs":0,"batchTimestampMs":5,"conf":{}}\n'
    good = {
        "offsets/3": head + b'{"in":{"0":7}}\n-',
        "offsets/2": head + b'{"in":{"0":5}}\n-',
        "commits/2": b'v1\n{"nextBatchWatermarkMs":0}',
        "metadata": b'{"id":"561e2bc0-58a0-4d45-b2e4-820f25454e4a"}',
    }
    for path, data in good.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)

    def decode(data: bytes) -> object:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
        return CheckpointLog(LocalFiles(root), "/checkpoint").progress()

    return Decoder(samples or [good[name]], decode)


def first_offsets() -> Decoder:
    """Where Spark's sources began."""
    root = folder("fuzz-")
    (root / "sources" / "0").mkdir(parents=True)

    def decode(data: bytes) -> object:
        (root / "sources" / "0" / "0").write_bytes(data)
        return CheckpointLog(LocalFiles(root), "/checkpoint").beginning()

    return Decoder([b'\0v1\n{"in":{"0":7}}'], decode)


def metadata(read: Callable[[TopicPartition], object], text: str) -> Decoder:
    """Metadata of a committed offset, as a client gives it."""

    class Place:
        topic, partition, offset = "t", 0, 5

        def __init__(self, data: bytes) -> None:
            self._data = data

        @property
        def metadata(self) -> str:
            return self._data.decode()

    def decode(data: bytes) -> object:
        place: Any = Place(data)
        return read(place)

    return Decoder([text.encode(), text.encode() + b"\xff\0x"], decode)


def placements() -> Decoder:
    """``placement.json``, as ``millstream tasks`` reads it."""
    move = Move(source=None, target="1", batch=3, at_ms=5, reason="new")
    place = TaskPlace(task=TaskId(0, 1), executor="1", wanted="2", moved=move)
    record = PlacementRecord(
        application_id="app",
        assignor="sticky",
        remark="",
        batch=3,
        written_ms=7,
        executors=(Executor(id="1", host="h"),),
        tasks=(place, TaskPlace(task=TaskId(0, 0), executor=None, wanted=None, moved=None)),
    )
    sample = json.dumps(asdict(record), indent=1, default=repr).encode()
    root = folder("fuzz-")

    def decode(data: bytes) -> object:
        (root / FILE).write_bytes(data)
        return read_record(root)

    return Decoder([sample], decode)


def standby_plans() -> Decoder:
    """``plan.json`` of standby copies, as workers read it; what is damaged counts as absent."""
    plan = StandbyPlan(instance="i", copies={"1": ("0_1", "0_2"), "2": ()})
    root = folder("fuzz-")

    def decode(data: bytes) -> object:
        (root / PLAN).write_bytes(data)
        return StandbyFiles(root).plan().of("1")

    return Decoder([json.dumps(asdict(plan)).encode()], decode)


def standby_reports() -> Decoder:
    """What an executor reports of its copies, as the driver reads it."""
    copy = CopyReport(task="0_1", seq=3, end=5, ready=True, entries={"sums": 7})
    report = ExecutorReport(instance="i", executor="1", copies=(copy,))
    root = folder("fuzz-")
    (root / REPORTS).mkdir()

    def decode(data: bytes) -> object:
        (root / REPORTS / "1.0.json").write_bytes(data)
        return [each.tasks() for each in StandbyFiles(root).reports("i")]

    return Decoder([json.dumps(asdict(report)).encode()], decode)


CLAIM = Claim(number=5, checkpoint="c", instance="i", host="h x", machine="m", location="/l m")


def failures() -> Decoder:
    """The text of a worker's error, as Spark passes it to the driver; it may quote records."""

    def failed() -> str:
        try:
            try:
                raise ValueError("of a user")
            except ValueError as error:
                raise StreamsException("x", detail="y", task_id=TaskId(0, 1)) from error
        except StreamsException as error:
            return str(WorkerFailure(error))

    def decode(data: bytes) -> object:
        text = data.decode("utf-8", "replace")
        return str(failure_from(text)), trace_from(text)

    quoted = base64.b64encode(zlib.compress(bytes(1 << 26))).decode()
    samples = [failed(), f"[[millstream:{quoted}]]", "[[millstream:AAAA]]", "Job aborted"]
    samples += [f"[[millstream:AAAA]] {failed()}"]
    return Decoder([each.encode() for each in samples], decode)


def failure_bodies() -> Decoder:
    """The same, with odd facts behind compression."""
    head, tail = "ValueError: of a user\n[[millstream:", "]]"
    text = failures().samples[0].decode()
    sample = zlib.decompress(
        base64.b64decode(text.rpartition("[[millstream:")[2].removesuffix(tail))
    )

    def decode(data: bytes) -> object:
        told = head + base64.b64encode(zlib.compress(data)).decode() + tail
        return str(failure_from(told)), trace_from(told)

    return Decoder([sample], decode)


DECODERS: dict[str, Maker] = {
    "worker-failure": failures,
    "worker-failure-facts": failure_bodies,
    "description": descriptions,
    "origin": origins,
    "pointer": pointers,
    "log-offsets": lambda: logs("offsets/3", []),
    "log-commits": lambda: logs("commits/2", []),
    "log-metadata": lambda: logs("metadata", []),
    "log-operators": lambda: logs("state/0/_metadata/v2/2", [b'v2\n{"a":1}']),
    "log-sources": first_offsets,
    "offset-metadata": lambda: metadata(metadata_of, OffsetMetadata(12, {"sums": 7}).text()),
    "mark": lambda: metadata(committed_of, Mark("c1", "w1").text()),
    "claim": lambda: metadata(claim_of, CLAIM.text()),
    "placement": placements,
    "standby-plan": standby_plans,
    "standby-report": standby_reports,
}
