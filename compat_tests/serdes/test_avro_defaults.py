"""Defaults of classes in the schemas that are made from them, and what older bytes become."""

from __future__ import annotations

import enum
import json
import uuid
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
import pydantic
import pytest

from millstream import AvroSerde, SpecificAvroSerde

NEW_YEAR = datetime(2024, 1, 1, tzinfo=timezone.utc)
CENTS: Any = {"avro": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}}
MILLIS: Any = {"avro": {"type": "long", "logicalType": "timestamp-millis"}}


class Colour(enum.Enum):
    RED = "red"


class Word(str, enum.Enum):
    YES = "yes"


@dataclass
class Data:
    id: int
    mark: bytes = b"\xff"
    at: datetime = NEW_YEAR
    day: date = NEW_YEAR.date()
    key: uuid.UUID = uuid.UUID(int=7)
    price: Decimal = field(default=Decimal("1.50"), metadata=CENTS)
    sent: Any = field(default=0, metadata=MILLIS)
    sizes: tuple[int, ...] = ()
    names: None | list[str] = field(default_factory=list)
    colour: None | Colour = Colour.RED
    again: None | Colour = Colour.RED
    word: str = Word.YES
    weight: None | float = 5
    last: datetime | None = NEW_YEAR


class Struct(msgspec.Struct):
    id: int
    count: int = 1
    names: list[str] = []


class Model(pydantic.BaseModel):
    id: int
    count: int = 1
    names: list[str] = []
    note: str | None = None


class Row(NamedTuple):
    id: int
    number: int = 1


SENT: dict[str, Any] = {"sent": datetime(1970, 1, 1, tzinfo=timezone.utc)}


@pytest.mark.parametrize(("kind", "given"), [(Data, SENT), (Struct, {}), (Model, {}), (Row, {})])
def test_bytes_from_before_a_field_give_its_default(kind: Any, given: dict[str, Any]) -> None:
    old = make_dataclass(kind.__name__, [("id", int)])
    data = AvroSerde.of(old).serializer().serialize("t", old(3))
    own = AvroSerde.of(kind).schema
    serde = AvroSerde(AvroSerde.of(old).schema, kind, reader_schema=own)
    expected = kind(id=3, **given)
    found = serde.deserializer().deserialize("t", data)
    assert found == expected
    assert AvroSerde.of(kind).serializer().serialize("t", found) == AvroSerde.of(
        kind
    ).serializer().serialize("t", expected)


def test_a_registry_takes_a_new_field_with_a_default_of_any_class() -> None:
    kinds: Any = ((Data, SENT), (Struct, {}), (Model, {}))
    for kind, given in kinds:
        old = make_dataclass(kind.__name__, [("id", int)])
        for each, made in ((old, old(3)), (kind, kind(id=4, **given))):
            serde: Any = SpecificAvroSerde(each)
            serde.configure({"schema.registry.url": "mock://avro-defaults"}, False)
            data = serde.serializer().serialize(kind.__name__, made)
        assert serde.deserializer().deserialize(kind.__name__, data) == made


def test_the_type_of_a_default_comes_first_in_its_union() -> None:
    fields = {f["name"]: f for f in json.loads(AvroSerde.of(Data).schema.text)["fields"]}
    assert fields["names"]["type"][1] == "null"
    assert fields["weight"] == {"name": "weight", "type": ["double", "null"], "default": 5}
    assert (fields["colour"]["default"], fields["again"]["default"]) == ("RED", "RED")
    assert fields["again"]["type"] == ["Colour", "null"]


def test_a_default_that_is_another_one_each_time_is_none_of_the_schema() -> None:
    @dataclass
    class Fresh:
        id: uuid.UUID = field(default_factory=uuid.uuid4)

    assert AvroSerde.of(Fresh).schema.root["fields"][0].get("default") is None
