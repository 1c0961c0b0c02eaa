"""JSON with a schema registry: what is written can be read, and nothing is lost on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypedDict

import msgspec
import pytest

from millstream import JsonSerde, KafkaJsonSchemaSerde, SerializationException

UNKNOWN = "json.fail.unknown.properties"


@dataclass
class Item:
    id: int
    price: Decimal = Decimal(0)


class Note(TypedDict):
    text: str


class Tagged(msgspec.Struct, tag=True):
    id: int


class Other(msgspec.Struct, tag=True):
    name: str


@dataclass
class Basket:
    items: list[Item] = field(default_factory=list)
    by_shelf: dict[int, Item] = field(default_factory=dict)
    best: Item | None = None
    either: Tagged | Other | None = None
    pair: tuple[int, Item] | None = None
    note: Note | None = None
    inner: Basket | None = None
    more: dict[str, Any] | int | None = None


@dataclass
class Measured:
    value: Any
    note: str | None = None
    unit: str | None = None


def serde_of(kind: Any, **entries: Any) -> KafkaJsonSchemaSerde[Any]:
    serde: KafkaJsonSchemaSerde[Any] = KafkaJsonSchemaSerde(kind)
    serde.configure({"schema.registry.url": "mock://json-values", **entries}, False)
    return serde


def read(kind: Any, text: str, **entries: Any) -> Any:
    any_json: KafkaJsonSchemaSerde[Any] = KafkaJsonSchemaSerde(schema={"type": "object"})
    any_json.configure({"schema.registry.url": "mock://json-values"}, False)
    prefix = any_json.serializer().serialize("json", {})
    assert prefix is not None
    return serde_of(kind, **entries).deserializer().deserialize("json", prefix[:5] + text.encode())


@pytest.mark.parametrize(
    "value",
    [
        Tagged(1),
        Basket(by_shelf={7: Item(1, Decimal("1.10"))}),
        Basket(either=Other("a"), pair=(1, Item(2)), note={"text": "x"}),
        Basket(inner=Basket(items=[Item(1)]), more={"any": {"thing": 1}}),
    ],
)
def test_what_is_written_is_read(value: Any) -> None:
    serde, topic = serde_of(type(value)), type(value).__name__
    data = serde.serializer().serialize(topic, value)
    assert serde.deserializer().deserialize(topic, data) == value


def test_a_number_keeps_the_digits_that_a_float_has_not() -> None:
    found = read(Item, '{"id": 1, "price": 12345678901234567890.10}')
    assert str(found.price) == "12345678901234567890.10"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"colour": 1}', 'Unrecognized field "colour" (Basket)'),
        ('{"items": [{"id": 1}, {"id": 1, "size": 2}]}', 'Unrecognized field "size" (Item)'),
        ('{"by_shelf": {"7": {"id": 1, "size": 2}}}', 'Unrecognized field "size" (Item)'),
        ('{"best": {"id": 1, "size": 2}}', 'Unrecognized field "size" (Item)'),
        ('{"either": {"type": "Other", "name": "a", "id": 1}}', "Unrecognized field"),
        ('{"pair": [1, {"id": 1, "size": 2}]}', 'Unrecognized field "size" (Item)'),
        ('{"note": {"text": "a", "size": 2}}', 'Unrecognized field "size" (Note)'),
        ('{"inner": {"inner": {"colour": 1}}}', 'Unrecognized field "colour" (Basket)'),
    ],
)
def test_a_field_that_a_class_has_not_is_refused_at_any_depth(text: str, name: str) -> None:
    with pytest.raises(SerializationException) as caught:
        read(Basket, text)
    assert name in str(caught.value)
    assert isinstance(read(Basket, text, **{UNKNOWN: False}), Basket)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_json_has_no_number_for_is_refused_and_not_null(bad: float) -> None:
    serializer = serde_of(Measured).serializer()
    for value in (Measured(bad), Measured([1.0, {"k": bad}], "null")):
        with pytest.raises(SerializationException, match="JSON has no"):
            serializer.serialize("measured", value)
    data = serializer.serialize("measured", Measured(None, "null"))
    assert data is not None
    assert data[5:] == JsonSerde.of(Measured).serializer().serialize("t", Measured(None, "null"))
