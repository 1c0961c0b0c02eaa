"""Schemas that have changed: what was written with the old one is read with the new one."""

from __future__ import annotations

import dataclasses
import io
import json
import pickle
from datetime import datetime, timezone
from typing import Any

import avro.errors
import avro.io
import avro.schema
import pytest

from millstream.core.errors import IllegalArgumentException, SerializationException
from millstream.core.serdes.identity import format_of
from millstream.serdes.avro import AvroSerde, avro_record_class

E_AB = {"type": "enum", "name": "E", "symbols": ["A", "B"]}


def record(*fields: Any, name: str = "R", **more: Any) -> dict[str, Any]:
    named = [
        each if isinstance(each, dict) else dict(zip(KEYS, each, strict=False)) for each in fields
    ]
    return {"type": "record", "name": name, "fields": named, **more}


KEYS = ("name", "type", "default")
INNER = record(("x", "int"), name="Inner")

PAIRS: list[tuple[str, Any, Any, Any, Any]] = [
    ("int to long", "int", "long", 5, 5),
    ("int to float", "int", "float", 5, 5.0),
    ("long to double", "long", "double", 2**40, 2.0**40),
    ("float to double", "float", "double", 1.5, 1.5),
    ("string to bytes", "string", "bytes", "a\u20ac", b"a\xe2\x82\xac"),
    ("bytes to string", "bytes", "string", b"abc", "abc"),
    ("no union to union", "int", ["null", "string", "long"], 5, 5),
    ("exact before promoted", "int", ["double", "int"], 5, 5),
    ("union to no union", ["null", "int"], "long", 5, 5),
    ("union to wider union", ["null", "int"], ["null", "long", "string"], 5, 5),
    (
        "field left out",
        record(("a", {"type": "array", "items": INNER}), ("b", "string")),
        record(("b", "string")),
        {"a": [{"x": 1}], "b": "x"},
        {"b": "x"},
    ),
    (
        "field added",
        record(("a", "int")),
        record(("a", "int"), ("b", "string", "x")),
        {"a": 1},
        {"a": 1, "b": "x"},
    ),
    (
        "list added",
        record(("a", "int")),
        record(("b", {"type": "array", "items": "int"}, [1, 2]), ("a", "long")),
        {"a": 1},
        {"a": 1, "b": [1, 2]},
    ),
    (
        "map added",
        record(),
        record(("b", {"type": "map", "values": "int"}, {"k": 1})),
        {},
        {"b": {"k": 1}},
    ),
    ("record added", record(), record(("b", INNER, {"x": 3})), {}, {"b": {"x": 3}}),
    ("union added", record(), record(("b", ["null", "string"], None)), {}, {"b": None}),
    ("bytes added", record(), record(("b", "bytes", "\u00ff")), {}, {"b": b"\xff"}),
    (
        "alias of a field",
        record(("a", "int")),
        record({"name": "b", "type": "long", "aliases": ["a"]}),
        {"a": 1},
        {"b": 1},
    ),
    (
        "other name of a record",
        record(("a", "int")),
        record(("a", "long"), name="S"),
        {"a": 1},
        {"a": 1},
    ),
    ("other name in a union", INNER, ["null", {**INNER, "name": "Other"}], {"x": 1}, {"x": 1}),
    (
        "alias of a record",
        record(("a", "int")),
        record(("a", "int"), name="S", aliases=["R"]),
        {"a": 1},
        {"a": 1},
    ),
    (
        "order changed",
        record(("a", "int"), ("b", "int")),
        record(("b", "int"), ("a", "int")),
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
    ),
    ("symbol with default", E_AB, {**E_AB, "symbols": ["A", "C"], "default": "C"}, "B", "C"),
    (
        "inner record",
        record(("i", {"type": "array", "items": INNER})),
        record(
            ("i", {"type": "array", "items": record(("x", "long"), ("y", "int", 7), name="Inner")})
        ),
        {"i": [{"x": 1}, {"x": 2}]},
        {"i": [{"x": 1, "y": 7}, {"x": 2, "y": 7}]},
    ),
    (
        "items of a map",
        {"type": "map", "values": ["null", "int"]},
        {"type": "map", "values": ["null", "double"]},
        {"a": None, "b": 2},
        {"a": None, "b": 2.0},
    ),
    (
        "logical type added",
        "long",
        {"type": "long", "logicalType": "timestamp-millis"},
        0,
        datetime(1970, 1, 1, tzinfo=timezone.utc),
    ),
]


@pytest.mark.parametrize(
    ("written", "wanted", "value", "expected"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS]
)
def test_old_bytes_are_read_as_the_specification_says(
    written: Any, wanted: Any, value: Any, expected: Any
) -> None:
    serde = AvroSerde(written, reader_schema=wanted)
    data = serde.serializer().serialize("t", value)
    assert data is not None
    found = serde.deserializer().deserialize("t", data)
    assert found == expected
    assert type(found) is type(expected)
    assert serde.deserializer().deserialize_column("t", [data]) == [expected]


# The avro package lacks aliases, some promotions, defaults of enums, and reads bytes as UTF-8.
KNOWN = [
    p
    for p in PAIRS
    if p[0].split()[0] not in ("string", "bytes", "alias", "symbol", "logical", "other")
]


@pytest.mark.parametrize(
    ("written", "wanted", "value", "expected"), [p[1:] for p in KNOWN], ids=[p[0] for p in KNOWN]
)
def test_the_reference_reads_the_same(written: Any, wanted: Any, value: Any, expected: Any) -> None:
    data = AvroSerde(written).serializer().serialize("t", value)
    old, new = avro.schema.parse(json.dumps(written)), avro.schema.parse(json.dumps(wanted))
    decoder = avro.io.BinaryDecoder(io.BytesIO(data or b""))
    try:
        assert avro.io.DatumReader(old, new).read(decoder) == expected
    except avro.errors.SchemaResolutionException:
        assert isinstance(written, list)


REFUSED: list[tuple[Any, Any, Any, str]] = [
    ("long", "int", 5, "long was written"),
    (["null", "string"], "string", None, "null was written"),
    (["null", "string", "int"], ["null", "int"], "a", "string was written"),
    (record(), record(("b", "int")), {}, 'the field "b" of R was not written'),
    (E_AB, {**E_AB, "symbols": ["A"]}, "B", "the reader has no symbol B"),
    ("string", ["null", {**INNER, "name": "Other"}], "a", "string was written"),
    (
        {"type": "fixed", "name": "F", "size": 1},
        {"type": "fixed", "name": "F", "size": 2},
        b"a",
        "F was written",
    ),
]


@pytest.mark.parametrize(("written", "wanted", "value", "told"), REFUSED)
def test_what_has_no_place_in_the_new_schema_is_refused(
    written: Any, wanted: Any, value: Any, told: str
) -> None:
    serde = AvroSerde(written, reader_schema=wanted)
    data = serde.serializer().serialize("t", value)
    if data is None:
        data = b"\0"
    with pytest.raises(SerializationException, match=told):
        serde.deserializer().deserialize("t", data)


def test_a_default_that_may_change_is_made_anew_for_each_record() -> None:
    wanted = record(("b", {"type": "array", "items": INNER}, [{"x": 1}]))
    half = AvroSerde(record(), reader_schema=wanted).deserializer()
    one: Any = half.deserialize("t", b"")
    one["b"].append({"x": 2})
    one["b"][0]["x"] = 9
    assert half.deserialize("t", b"") == {"b": [{"x": 1}]}
    made = avro_record_class(wanted)
    record_half = AvroSerde(record(), made, reader_schema=wanted).deserializer()
    found = record_half.deserialize("t", b"")
    assert found is not None
    assert found.b[0].x == 1
    assert found == made()


@dataclasses.dataclass
class R:
    a: int
    b: str = "x"


def test_single_objects_of_older_schemas_are_read_as_objects_of_the_new_one() -> None:
    old, new = record(("a", "int")), record(("a", "long"), ("b", "string", "x"))
    before = AvroSerde(old, single_object=True)
    now = AvroSerde(new, R, single_object=True, writer_schemas=[old])
    data = before.serializer().serialize("t", {"a": 7})
    assert data is not None
    for half in (now.deserializer(), pickle.loads(pickle.dumps(now.deserializer()))):
        assert half.deserialize("t", data) == R(7)
        assert half.deserialize_column("t", [data, None]) == [R(7), None]
    assert format_of(before) == format_of(now)
    with pytest.raises(SerializationException, match="of a schema with fingerprint"):
        before.deserializer().deserialize("t", now.serializer().serialize("t", R(7)))
    with pytest.raises(SerializationException, match="bytes of none"):
        before.deserializer().deserialize("t", b"\0\0\0\0\1\2")


def test_the_fingerprint_of_a_single_object_is_the_specifications() -> None:
    data = AvroSerde("int", single_object=True).serializer().serialize("t", 1)
    assert data == b"\xc3\x01" + bytes.fromhex("8f5c393f1ad57572") + b"\x02"


def test_older_schemas_without_headers_are_refused() -> None:
    with pytest.raises(IllegalArgumentException, match="writer_schemas need single_object"):
        AvroSerde("int", writer_schemas=["long"])
