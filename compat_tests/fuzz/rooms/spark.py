"""What crosses Spark or lies in its state: chunks, segments, manifests, snapshots of tasks."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from compat_tests.fuzz.decoder import Decoder, Maker
from millstream.core.engine import snapshots
from millstream.core.headers import Headers
from millstream.topology.spark.arrow_headers import headers_column
from millstream.topology.spark.state.manifest import ChangelogPosition, Manifest, Round
from millstream.topology.spark.state.segment_files import SegmentFiles
from millstream.topology.spark.state.segments import (
    CHANGES,
    SLICE,
    Section,
    decode_segment,
    encode_segments,
)
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.worker.feedback import true_times
from millstream.topology.spark.worker.global_tables import pack, unpack
from millstream.topology.spark.worker.inbox import arrived_runs, raw_chunks, source_runs

_SEGMENT_HEAD, _MANIFEST_HEAD = struct.Struct("<BBII"), struct.Struct("<BII")


def chunk_samples() -> list[bytes]:
    """Return chunks with and without nulls, headers, offsets and partitions."""
    found = []
    for count in (1, 3, 200):
        keys = [None if n % 5 == 4 else f"k{n}".encode() for n in range(count)]
        values = [bytes([n % 256]) * (n % 50) for n in range(count)]
        headers = [
            Headers().add("h", b"1").add("none", None) if n % 2 else None for n in range(count)
        ]
        times = pa.array(range(count), pa.int64())
        columns = {
            "keys": binary_column(keys),
            "values": binary_column(values),
            "timestamps": times,
        }
        found.append(encode_chunk(**columns, offsets=times))
        found.append(encode_chunk(**columns, offsets=times, headers=headers_column(headers)))
        partitions = pa.array([None if n % 3 == 2 else n % 3 for n in range(count)], pa.int32())
        found.append(encode_chunk(**columns, partitions=partitions))
    return found


def chunks() -> Decoder:
    """Rows from a source and from an earlier stage."""

    def decode(blob: bytes) -> object:
        row = SimpleNamespace(topic="t", partition=0, seq=0, blob=blob)
        return [
            (each.keys, each.values, each.timestamps, each.headers, each.offsets)
            for each in raw_chunks(source_runs([row]))
        ]

    return Decoder([each for n, each in enumerate(chunk_samples()) if n % 3 != 2], decode)


def repartitioned() -> Decoder:
    """Rows from two earlier senders, one of which is well."""
    good = chunk_samples()

    def decode(blob: bytes) -> object:
        rows = [
            SimpleNamespace(topic="t", partition=n, seq=0, blob=each)
            for n, each in enumerate((blob, good[1]))
        ]
        return [(each.keys, each.headers) for each in raw_chunks(arrived_runs(rows, 0, {}))]

    return Decoder(good, decode)


def feedback() -> Decoder:
    """Chunks whose headers tell the time of a record."""
    kind: Any = headers_column([Headers().add("h", b"1"), None])
    marked = [[{"key": "__millstream.at.zero", "value": b""}], None]
    headers = pa.array(marked, kind.type)
    keys = binary_column([b"a", b"b"])
    times = pa.array([5, 6], pa.int64())
    sample = encode_chunk(keys=keys, values=keys, timestamps=times, headers=headers)

    def decode(blob: bytes) -> object:
        from millstream.topology.spark.wire import decode_chunk

        columns = decode_chunk(blob)
        if "headers" not in columns or "timestamps" not in columns:
            return None
        return true_times(columns["timestamps"], columns["headers"])

    return Decoder([sample], decode)


def segment_samples() -> list[bytes]:
    """Return segments with changes, deletions, ranges and a slice; some compressed."""
    parent, own = bytes(16), bytes(range(16))
    few = Section(store="sums", kind=CHANGES, keys=[b"a", b"b"], values=[b"1", None])
    many = [f"key-{n:05}".encode() for n in range(300)]
    large = Section(store="counts", kind=SLICE, keys=many, values=many, dropped=((b"a", b"z"),))
    return [
        *encode_segments(parent, own, [few]),
        *encode_segments(parent, own, [few, large]),
        *encode_segments(parent, own, [large]),
    ]


def with_segment_checksum(blob: bytes) -> bytes:
    """Return a segment whose checksum fits."""
    if len(blob) < _SEGMENT_HEAD.size:
        return blob
    version, codec, length, _ = _SEGMENT_HEAD.unpack_from(blob)
    payload = blob[_SEGMENT_HEAD.size :]
    head = _SEGMENT_HEAD.pack(version, codec, length, 0)
    return (
        _SEGMENT_HEAD.pack(version, codec, length, zlib.crc32(payload, zlib.crc32(head))) + payload
    )


def _segment(blob: bytes) -> object:
    return decode_segment(blob, "segment 1")


def segment_files() -> Decoder:
    """Names of segments' files, as Spark's state has them; one file is there."""
    directory = TemporaryDirectory()
    files = SegmentFiles(Path(directory.name))
    sample = files.write(1, segment_samples()[0])

    def decode(blob: bytes) -> object:
        # The directory lives as long as this function.
        assert directory.name
        return files.resolved(1, blob)

    return Decoder([sample], decode)


def manifest_samples() -> list[bytes]:
    """Return manifests of a first batch, and of one within a round."""
    snapshot = snapshot_samples()[0]
    return [
        Manifest().encode(),
        Manifest(
            position=ChangelogPosition(7, bytes(range(16))),
            step=b"12",
            first=2,
            oldest=1,
            live=1000,
            state=900,
            round=Round(first=3, store="sums", before=b"k", slices=2, total=70),
            stores={"sums": "rocksdb"},
            arrivals={"app-x-repartition": 12},
            snapshot=snapshot,
        ).encode(),
    ]


def with_manifest_checksum(blob: bytes) -> bytes:
    """Return a manifest whose checksum fits, and its length if there is a head."""
    if len(blob) < _MANIFEST_HEAD.size:
        return blob
    version, _, length = _MANIFEST_HEAD.unpack_from(blob)
    body = blob[_MANIFEST_HEAD.size :]
    return _MANIFEST_HEAD.pack(version, zlib.crc32(body), length) + body


def from_head(text: bytes) -> bytes:
    """Return a manifest with a head of one's own."""
    return _MANIFEST_HEAD.pack(1, zlib.crc32(text), len(text)) + text


def manifest_heads() -> Decoder:
    """Manifests whose head is odd JSON, and whose length and checksum fit."""
    samples = []
    for blob in manifest_samples():
        length = _MANIFEST_HEAD.unpack_from(blob)[2]
        samples.append(blob[_MANIFEST_HEAD.size : _MANIFEST_HEAD.size + length])
    return Decoder(samples, lambda text: Manifest.decode(from_head(text)))


def snapshot_samples() -> list[bytes]:
    """Return snapshots of tasks."""
    full = snapshots.encode(
        stream_time=12,
        partition_times={("t", 0): 12, ("u", 3): -1},
        stream_punctuations=[("N", 0, 15, False)],
        clock_punctuations=[("N", 1, 16, True)],
        processors={"KSTREAM-AGGREGATE-1": struct.pack(">qq", 3, 4)},
    )
    empty = snapshots.encode(
        stream_time=-1,
        partition_times={},
        stream_punctuations=[],
        clock_punctuations=[],
        processors={},
    )
    return [full, empty]


def snapshot_bodies() -> Decoder:
    """Snapshots whose JSON is odd."""
    samples = [each[1:] for each in snapshot_samples()]
    return Decoder(samples, lambda text: snapshots.decode(b"\1" + text))


DECODERS: dict[str, Maker] = {
    "chunk": chunks,
    "chunk-repartitioned": repartitioned,
    "chunk-feedback-time": feedback,
    "segment": lambda: Decoder(segment_samples(), _segment),
    "segment-behind-checksum": lambda: Decoder(segment_samples(), _segment, with_segment_checksum),
    "segment-in-a-file": segment_files,
    "manifest": lambda: Decoder(manifest_samples(), Manifest.decode),
    "manifest-behind-checksum": lambda: Decoder(
        manifest_samples(), Manifest.decode, with_manifest_checksum
    ),
    "manifest-head": manifest_heads,
    "changelog-position": lambda: Decoder(
        [ChangelogPosition(3, bytes(16)).encode()], ChangelogPosition.decode
    ),
    "snapshot": lambda: Decoder(snapshot_samples(), snapshots.decode),
    "snapshot-body": snapshot_bodies,
    "snapshot-of-globals": lambda: Decoder([pack([b"one", b"", b"three"]), pack([])], unpack),
}
