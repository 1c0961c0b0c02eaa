"""Bytes that the fuzzer has found: each was answered with an error of Python's, or with a crash."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable
from typing import Any, cast

import pyarrow as pa
import pytest

from compat_tests.fuzz.rooms import DECODERS
from compat_tests.fuzz.rooms.rows import BETWEEN, version_rows
from compat_tests.fuzz.rooms.spark import from_head, segment_samples, with_segment_checksum
from millstream import Headers
from millstream.core.engine import snapshots
from millstream.core.errors import (
    MillstreamError,
    SerializationException,
    TaskCorruptedException,
)
from millstream.serdes import AvroSerde, GenericAvroSerde
from millstream.serdes.avro.wire import MOST_EMPTY_ITEMS
from millstream.serdes.registry.framing import VALUE_HEADER, HeaderSchemaIdSerializer
from millstream.serdes.registry.generic_record import GenericRecord
from millstream.serdes.registry.halves import MOST_KNOWN
from millstream.topology.operators.stream_time import SavesStreamTime
from millstream.topology.spark.failures import failure_from, trace_from
from millstream.topology.spark.wire import binary_column, decode_chunk, encode_chunk

POINT = '{"type": "record", "name": "Point", "fields": [{"name": "x", "type": "int"}]}'
DEEP = b"[" * 20_000
_HEAD = b'{"seq":0,"id":"","step":"","first":0,"oldest":0,"live":0,"state":0,"round":%s,"stores":%s'
_HEAD += b',"arrivals":{}}'


def segment(raw: bytes, *, length: int | None = None, codec: int = 0) -> bytes:
    """Return a segment whose checksum fits."""
    size = len(raw) if length is None else length
    return with_segment_checksum(struct.pack("<BBII", 1, codec, size, 0) + raw)


def u32(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


NAMED = b"\0" + u32(1) + b"s"
"""The beginning of a section of changes, for store s."""
EMPTY = bytes(32) + NAMED

FOUND: dict[str, tuple[str, bytes]] = {
    "a chunk of no bytes": ("chunk", b""),
    "a chunk whose metadata has no bytes": ("chunk", b"\xff\xff\xff\xff\0\0\0\1"),
    "a segment of nothing": ("segment", segment(b"")),
    "a segment of an unknown codec": ("segment", segment(b"x", codec=7)),
    "a segment of 4 GiB in 9 bytes": ("segment", segment(b"\x80" * 9, length=0xFFFF_FFF0, codec=1)),
    "a segment that LZ4 cannot read": ("segment", segment(b"\xff" * 50, length=200, codec=1)),
    "a name longer than the segment": ("segment", segment(bytes(33) + u32(1 << 31))),
    "a name that is no text": ("segment", segment(bytes(33) + u32(1) + b"\xff" + bytes(30))),
    "more ranges than bytes": ("segment", segment(EMPTY + u32(1 << 31))),
    "more keys than bytes": ("segment", segment(EMPTY + u32(0, 1 << 31))),
    "lengths beyond the bytes": ("segment", segment(EMPTY + u32(0, 1, 9, 1) + b"k" + u32(0, 0))),
    "a key without a value": ("segment", segment(EMPTY + u32(0, 1, 1, 1) + b"k" + u32(0, 0))),
    "a key that is deleted": ("segment", segment(EMPTY + u32(0, 1, 0xFFFF_FFFF, 0, 1, 0, 0))),
    "a manifest without fields": ("manifest", from_head(b"{}")),
    "a manifest that is nested deeply": ("manifest", from_head(DEEP + b"}")),
    "a manifest with a number for a name": ("manifest", from_head(_HEAD % (b"null", b'{"s":1}'))),
    "a manifest with half a round": ("manifest", from_head(_HEAD % (b'[1,"down"]', b"{}"))),
    "a snapshot of no bytes": ("snapshot", b""),
    "a snapshot that is no JSON": ("snapshot", b"\1\xff"),
    "a snapshot that is nested deeply": ("snapshot", b"\1" + DEEP),
    "a snapshot of another shape": ("snapshot", b"\1[]"),
    "global snapshots of no bytes": ("snapshot-of-globals", b""),
    "a global snapshot that is cut off": ("snapshot-of-globals", b"\1" + u32(1, 1 << 31)),
    "a description that is nested deeply": ("description", DEEP),
    "a description with a number as a store": ("description", b'{"version":1,"stores":5}'),
    "an origin that is nested deeply": ("origin", DEEP),
    "a pointer that is nested deeply": ("pointer", DEEP),
    "offsets that are nested deeply": ("log-offsets", b"v1\n{}\n" + DEEP),
    "a query's id that is nested deeply": ("log-metadata", DEEP),
    "a placement that is no text": ("placement", b"\xff"),
    "a placement that is a list": ("placement", b"[]"),
    "a savepoint that is nested deeply": ("savepoint-manifest", DEEP),
    "a number without an end": ("headers", b"\x80" * 30_000),
    "a number of more than 32 bits": ("varint", b"\xff\xff\xff\xff\x1f"),
    "old versions of no bytes": ("row-of-versions", b""),
    "old versions that are cut off": ("row-of-versions", version_rows()[0][:20]),
    "old versions that overlap": ("row-of-versions", struct.pack(">qqqi", 9, 5, 5, 99)),
    "a buffered row of no bytes": ("row-of-suppress", b""),
    "a buffered row that is cut off": ("row-of-suppress", bytes(20)),
    "a logged entry of no bytes": ("log-of-suppress", b""),
    "a place of no bytes": ("place-of-suppress", b"\2"),
    "a waiting record of no bytes": ("row-of-waiting", b""),
    "a bucket that is cut off": ("bucket-of-lmdb", b"\1"),
    "a bucket with a long key": ("bucket-of-lmdb", u32(1 << 31, 0)),
    "a changelog's entry of no bytes": ("changelog-record-suppression", b"k" + BETWEEN),
    "a savepoint's row of no bytes": ("savepoint-records-suppression", b"\2" + BETWEEN),
    "a subscription of no bytes": ("serde-subscription", b""),
    "a subscription with no such instruction": ("serde-subscription", b"\x81\xff" + bytes(12)),
    "a subscription that is cut off": ("serde-subscription", b"\x81\0\0"),
    "an answer of no bytes": ("serde-response", b""),
    "an answer without its hash": ("serde-response", b"\0"),
    "a change of no bytes": ("serde-change", b""),
    "a change with a long value": ("serde-change", b"\x7f\2"),
    "a carried record that is cut off": ("serde-carried", b"\0\0\0\1"),
}


@pytest.mark.parametrize("what", FOUND)
def test_hostile_bytes_are_refused_with_what_is_wrong(what: str) -> None:
    name, data = FOUND[what]
    with pytest.raises(MillstreamError) as failure:
        DECODERS[name]().decode(data)
    assert failure.value.problem
    assert failure.value.detail


def test_every_segment_sample_can_be_cut_anywhere() -> None:
    decode = DECODERS["segment"]().decode
    whole = segment_samples()[0][10:]
    for size in range(len(whole)):
        if size != 32:  # A segment without sections.
            with pytest.raises(MillstreamError):
                decode(segment(whole[:size]))


ONE = {"keys": binary_column([b"k"]), "values": binary_column([b"v"])}
WRONG: dict[str, Callable[[], bytes]] = {
    "a time is null": lambda: encode_chunk(**ONE, timestamps=pa.nulls(1, pa.int64())),
    "no times": lambda: encode_chunk(**ONE),
    "text as keys": lambda: _stream(keys=pa.array(["k"]), values=pa.array([b"v"])),
}


def _stream(**columns: pa.Array) -> bytes:
    times = pa.array([1], pa.int64())
    batch = pa.RecordBatch.from_pydict({**columns, "timestamps": times})
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)
    return out.getvalue().to_pybytes()  # type: ignore[no-any-return]


@pytest.mark.parametrize("what", WRONG)
def test_a_chunk_with_other_columns_is_refused(what: str) -> None:
    with pytest.raises(MillstreamError, match="chunk of records"):
        decode_chunk(WRONG[what]())


def test_a_chunk_whose_lengths_lie_is_refused_before_it_is_read() -> None:
    values = b"value" * 20
    times = pa.array([1, 2], pa.int64())
    keys = binary_column([b"k", b"l"])
    blob = encode_chunk(keys=keys, values=binary_column([values, values]), timestamps=times)
    at = blob.index(struct.pack("<iii", 0, 100, 200))
    lying = blob[:at] + struct.pack("<iii", 0, 1 << 30, 200) + blob[at + 12 :]
    with pytest.raises(MillstreamError, match="chunk of records"):
        decode_chunk(lying)


def test_a_file_of_a_savepoint_whose_columns_have_no_text_as_names_is_refused() -> None:
    decoder = DECODERS["savepoint-file"]()
    for sample in decoder.samples:
        with pytest.raises(MillstreamError, match="cannot read partition 0"):
            decoder.decode(sample.replace(b"value", b"\x80alue"))


def test_headers_that_go_on_behind_a_schemas_id_do_not_fill_the_memory() -> None:
    serde: Any = GenericAvroSerde()
    configs = {"schema.registry.url": "mock://bounded"}
    serde.configure(configs | {"value.schema.id.serializer": HeaderSchemaIdSerializer()}, False)
    headers = Headers()
    payload = serde.serializer().serialize("t", headers, GenericRecord(POINT, {"x": 3}))
    name = headers.lastHeader(VALUE_HEADER).value() or b""
    reader = serde.deserializer()
    for number in range(MOST_KNOWN + 5):
        own = Headers().add(VALUE_HEADER, name + b"%d" % number)
        assert reader.deserialize("t", own, payload) == {"x": 3}
    assert len(reader._known()) <= MOST_KNOWN


def test_what_a_processor_has_saved_is_refused_when_tasks_are_joined() -> None:
    one = snapshots.Snapshot(
        stream_time=1,
        partition_times={},
        stream_punctuations=[],
        clock_punctuations=[],
        processors={"KSTREAM-JOIN-1": b"\1"},
    )
    times = SavesStreamTime.combine
    with pytest.raises(TaskCorruptedException, match="KSTREAM-JOIN-1"):
        snapshots.merged([one, one], lambda _, saved: times(cast("SavesStreamTime", None), saved))


def test_an_error_that_quotes_a_record_cannot_stand_for_the_workers_own() -> None:
    own = base64.b64encode(
        zlib.compress(
            b'{"errors":[{"module":"m","name":"E","text":"own","args":[],"whole":true,'
            b'"problem":"the true one"}],"frames":[],"trace":"t"}'
        )
    ).decode()
    bomb = base64.b64encode(zlib.compress(bytes(1 << 27))).decode()
    quoted = f"ValueError: [[millstream:AAAA]] [[millstream:{bomb}]]"
    assert failure_from(f"{quoted}\n[[millstream:{own}]]\n\tat java").problem == "the true one"
    assert "AAAA" in failure_from(quoted).detail
    assert trace_from(quoted) == quoted


def test_few_bytes_of_avro_cannot_announce_gigabytes_of_nothing() -> None:
    lists = {"type": "array", "items": {"type": "array", "items": "null"}}
    read = AvroSerde(lists).deserializer().deserialize
    announced: Any = AvroSerde("long").serializer().serialize("t", MOST_EMPTY_ITEMS)
    assert announced is not None
    inner = announced + b"\0"
    found: Any = read("t", b"\2" + inner + b"\0")
    assert len(found[0]) == MOST_EMPTY_ITEMS
    with pytest.raises(SerializationException, match="items are announced"):
        read("t", b"\4" + inner + inner + b"\0")
    # The next datum is counted by itself.
    assert read("t", b"\2" + inner + b"\0") == found
