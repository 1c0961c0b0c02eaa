"""Many Avro records read field by field are those that are read one by one."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compat_tests.effort import LIGHT
from compat_tests.serdes.avro_schemas import schemas, values
from millstream import AvroSerde, SerializationException
from millstream.serdes.avro import avro_schema, column_decoder
from millstream.serdes.avro.column_decoder import ColumnDecoder

SLOW = settings(
    max_examples=100 if LIGHT else 300, suppress_health_check=list(HealthCheck), deadline=None
)
LEAVES = (
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "bytes",
    "string",
    {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]},
    {"type": "fixed", "name": "F", "size": 3},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3},
)


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_decoder, "FEWEST", 1)
    monkeypatch.setattr(column_decoder, "SLICE", 3)


@st.composite
def records(draw: st.DrawFn, depth: int = 2, names: Any = None) -> dict[str, Any]:
    """Draw a schema of a record that is read by columns."""
    names = itertools.count() if names is None else names
    fields: list[dict[str, Any]] = []
    for place in range(draw(st.integers(1, 4))):
        kind: Any = draw(st.sampled_from(LEAVES))
        if isinstance(kind, dict) and "name" in kind:
            kind = {**kind, "name": f"{kind['name']}{next(names)}"}
        form = draw(st.sampled_from(["plain", "nullable", "last", "array", "nullable array", "r"]))
        if form == "r" and depth:
            kind = draw(records(depth=depth - 1, names=names))
        elif "array" in form:
            kind = {"type": "array", "items": kind}
        if "nullable" in form:
            kind = ["null", kind]
        elif form == "last":
            kind = [kind, "null"]
        fields.append({"name": f"f{place}", "type": kind})
    return {"type": "record", "name": f"R{next(names)}", "fields": fields}


with_rows = records().flatmap(
    lambda schema: st.tuples(
        st.just(schema), st.lists(values(schema) | st.none(), min_size=1, max_size=9)
    )
)


def halves(schema: Any, wanted: Any = None) -> tuple[Any, ColumnDecoder]:
    parsed = avro_schema(schema)
    return AvroSerde(schema, wanted), ColumnDecoder(parsed, parsed, wanted)


@SLOW
@given(with_rows, st.integers(0, 5))
def test_records_of_usual_types_are_read_alike(drawn: tuple[Any, Any], start: int) -> None:
    schema, rows = drawn
    serde, columns = halves(schema)
    data = [serde.serializer().serialize("t", row) for row in rows]
    prefixed = [None if each is None else b"\xff" * start + each for each in data]
    expected = [serde.deserializer().deserialize("t", each) for each in data]
    assert repr(columns.decoded(prefixed, start)) == repr(expected)


@SLOW
@given(schemas().flatmap(lambda each: st.tuples(st.just(each), st.lists(values(each)))))
def test_any_schema_is_read_alike_or_left(drawn: tuple[Any, Any]) -> None:
    schema, rows = drawn
    serde, columns = halves(schema)
    data = [serde.serializer().serialize("t", row) for row in rows]
    expected = [serde.deserializer().deserialize("t", each) for each in data]
    found = columns.decoded(data)
    assert found is None or repr(found) == repr(expected)


@SLOW
@given(with_rows, st.data())
def test_damaged_bytes_are_left_to_those_who_tell_what_they_are(
    drawn: tuple[Any, Any], data: st.DataObject
) -> None:
    schema, rows = drawn
    serde, columns = halves(schema)
    good = [serde.serializer().serialize("t", row) for row in rows if row is not None]
    if not good:
        return
    place = data.draw(st.integers(0, len(good) - 1))
    damaged = bytearray(good[place])
    for _ in range(data.draw(st.integers(1, 3))):
        cut = data.draw(st.integers(0, len(damaged)))
        damaged[cut : cut + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=12))
    good[place] = bytes(damaged)
    read: Callable[..., Any] = serde.deserializer().deserialize
    try:
        expected = [read("t", each) for each in good]
    except SerializationException:
        assert columns.decoded(good) is None
        return
    found = columns.decoded(good)
    assert found is None or repr(found) == repr(expected)


class Color(enum.Enum):
    RED = "RED"
    BLUE = "BLUE"


@dataclasses.dataclass(frozen=True)
class Inner:
    at: dt.datetime
    color: Color | None = None


@dataclasses.dataclass
class Outer:
    name: str
    inner: Inner
    more: Inner | None = None
    words: list[str] = dataclasses.field(default_factory=list)


def test_objects_of_classes_are_made_alike() -> None:
    serde = AvroSerde.of(Outer)
    now = dt.datetime(2024, 1, 2, tzinfo=dt.timezone.utc)
    rows = [
        Outer(f"é{n}" if n % 3 else "e", Inner(now), Inner(now, Color.RED) if n % 2 else None)
        for n in range(300)
    ]
    for row in rows[::5]:
        row.words.extend(["a", "", "ü" * 200])
    data = serde.serializer().serialize_column("t", rows)
    _, columns = halves(serde.schema, Outer)
    assert columns.decoded(data) == rows == serde.deserializer().deserialize_column("t", data)


def test_lists_are_objects_of_their_own() -> None:
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "a", "type": {"type": "array", "items": "int"}}],
    }
    found = halves(schema)[1].decoded([b"\0"] * 4)
    assert found == [{"a": []}] * 4
    assert len({id(each["a"]) for each in found}) == 4


def test_several_blocks_and_many_items_are_left_and_then_no_more_tried() -> None:
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "a", "type": {"type": "array", "items": "boolean"}}],
    }
    serde, columns = halves(schema)
    blocks, sized, many = b"\2\1\2\0\0", b"\1\2\1\0", b"\x82\1" + b"\1" * 65 + b"\0"
    for data, count in ((blocks, 2), (sized, 1), (many, 65)):
        assert len(serde.deserializer().deserialize_column("t", [data] * 2)[1]["a"]) == count
        assert columns.decoded([data]) is None
    assert columns.decoded([b"\2\1\0"]) is None
    assert halves(schema)[1].decoded([b"\2\1\0"]) == [{"a": [True]}]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 9 + b"\x02",  # more than 64 bits
        b"\xff" * 10 + b"\x01",
        b"\x80" * 30,
        b"",
    ],
)
def test_numbers_that_are_none_are_left(data: bytes) -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "long"}]}
    serde, columns = halves(schema)
    with pytest.raises(SerializationException):
        serde.deserializer().deserialize("t", data)
    assert columns.decoded([b"\0", data, b"\2"]) is None
    most = b"\xff" * 9 + b"\x01"
    assert columns.decoded([most]) == [{"a": -(2**63)}]
