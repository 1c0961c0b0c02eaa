"""Names of serdes on the command line, and values as text."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from millstream.cli.serde_names import as_json, as_text, named_serde, of_serde
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers

ID = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("string", "ä", "ä".encode()),
        ("long", "-1", b"\xff" * 8),
        ("Integer", "258", b"\0\0\1\2"),
        ("int", "258", b"\0\0\1\2"),
        ("short", "1", b"\0\1"),
        ("double", "1.5", b"\x3f\xf8" + bytes(6)),
        ("boolean", "true", b"\1"),
        ("uuid", ID, ID.encode()),
        ("bytes", "0x00ff", b"\0\xff"),
        ("bytes", "text", b"text"),
        ("json", '{"a": [1]}', b'{"a":[1]}'),
    ],
)
def test_a_text_becomes_bytes_and_again_the_text(name: str, text: str, data: bytes) -> None:
    serde = named_serde(name, {}, is_key=False)
    assert serde.write("t", Headers(), serde.parse(text)) == data
    assert as_text(serde.read("t", Headers(), data)) == text
    given = json.loads(text) if name == "json" else text
    assert serde.write("t", Headers(), serde.of_json(given)) == data
    assert serde.of_json(None) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [("long", "x"), ("boolean", "yes"), ("uuid", "x"), ("void", "x"), ("json", "{")],
)
def test_a_wrong_text_is_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError):
        named_serde(name, {}, is_key=True).parse(text)


def test_avro_has_its_schema_from_a_file_or_the_registry(tmp_path: Path) -> None:
    schema = tmp_path / "point.avsc"
    fields = [{"name": "x", "type": "int"}, {"name": "b", "type": "bytes"}]
    schema.write_text(json.dumps({"type": "record", "name": "Point", "fields": fields}))
    registry = {"schema.registry.url": "mock://command"}
    writer = named_serde(f"avro:{schema}", registry, is_key=False)
    data = writer.write("points", Headers(), {"x": 3, "b": b"\xff"})
    reader = named_serde("avro", registry, is_key=False)
    assert as_json(reader.read("points", Headers(), data)) == {"x": 3, "b": "0xff"}
    with pytest.raises(IllegalArgumentException, match="cannot read the schema"):
        named_serde(f"avro:{tmp_path}/none.avsc", registry, is_key=False)


@dataclass
class Point:
    x: int
    name: str | None = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"text", "text"),
        (b"two\nlines", "0x74776f0a6c696e6573"),
        (b"0x00", "0x30783030"),
        ((1, [b"\xff"]), [1, ["0xff"]]),
        (uuid.UUID(ID), ID),
        (Point(1), {"x": 1, "name": None}),
        (datetime(2026, 1, 31, tzinfo=timezone.utc), "2026-01-31T00:00:00Z"),
        ({1: None}, {"1": None}),
        (object, "<class 'object'>"),
    ],
)
def test_every_value_can_be_shown(value: Any, expected: Any) -> None:
    assert as_json(value) == expected
    json.dumps(as_json(value))


class Lambdas:
    """A serde of a program whose halves are functions, as lambdas are in Java."""

    def serializer(self) -> Any:
        return lambda topic, data: None if data is None else data.upper().encode()

    def deserializer(self) -> Any:
        return lambda topic, data: None if data is None else data.decode().lower()


def test_halves_of_a_serde_may_be_functions() -> None:
    serde: Any = Lambdas()
    for named in (named_serde(f"{__name__}:Lambdas", {}, is_key=True), of_serde(serde)):
        assert named.write("t", None, "a") == b"A"
        assert named.read("t", None, b"A") == "a"
