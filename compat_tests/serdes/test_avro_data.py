"""Objects to Avro data and back, as the serdes of a schema registry use them."""

from __future__ import annotations

import dataclasses
import enum
import io
import pickle
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import avro.schema
import fastavro
import pytest

from millstream import AvroSerde
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.serdes.avro import avro_record_class, avro_schema, from_datum, to_datum
from millstream.serdes.avro.derive import schema_of_class

TEXT = """{"type": "record", "name": "Order", "namespace": "shop", "fields": [
    {"name": "id", "type": "long"},
    {"name": "items", "type": {"type": "array", "items":
        {"type": "record", "name": "Item", "fields": [
            {"name": "sku", "type": "string"}, {"name": "count", "type": "int", "default": 1}]}}},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "price", "type":
        {"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}},
    {"name": "from", "type": ["null", "Item"], "default": null},
    {"name": "extra", "default": null, "type": ["null", "long", "string", "Item",
        {"type": "record", "name": "Gift", "fields": [
            {"name": "sku", "type": "string"}, {"name": "count", "type": "int"}]}]}
]}"""
SCHEMA = avro_schema(TEXT)
DECIMAL: Any = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3}
Order = avro_record_class(TEXT)
Item = avro_record_class(TEXT, "Item")
Gift = avro_record_class(TEXT, "shop.Gift")


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


@dataclasses.dataclass
class Line:
    sku: str
    count: int = 1


@dataclasses.dataclass(frozen=True)
class Node:
    """What may be missing: a record, of this class and of another, an enum, a list of records."""

    label: str
    next: Node | None = None
    line: Line | None = None
    color: Color | None = None
    lines: list[Line] | None = None
    weight: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", len(self.label))


@dataclasses.dataclass
class Basket:
    id: int
    lines: list[Line]
    color: Color
    best: Line | None = None
    from_: dict[str, Line] = dataclasses.field(default_factory=dict)


BASKET = """{"type": "record", "name": "Basket", "fields": [
    {"name": "id", "type": "long"},
    {"name": "lines", "type": {"type": "array", "items":
        {"type": "record", "name": "Line", "fields": [
            {"name": "sku", "type": "string"}, {"name": "count", "type": "int"}]}}},
    {"name": "color", "type": {"type": "enum", "name": "Color", "symbols": ["RED", "BLUE"]}},
    {"name": "best", "type": ["null", "Line"]},
    {"name": "from", "type": {"type": "map", "values": "Line"}}
]}"""


def order(**changes: Any) -> Any:
    fields = {
        "id": 1,
        "items": [Item("a"), Item(sku="b", count=2)],
        "at": datetime(2024, 2, 29, 12, 0, 0, 5000, tzinfo=timezone.utc),
        "price": Decimal("-1.28"),
    }
    return Order(**{**fields, **changes})


def again(value: Any, kind: Any, text: str = TEXT) -> Any:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, avro_schema(text).root, to_datum(value, text))
    buffer.seek(0)
    read = fastavro.schemaless_reader(
        buffer,
        avro_schema(text).root,
        None,
        return_record_name=True,
        return_record_name_override=True,
    )
    return from_datum(read, kind)


def test_a_record_of_a_class_from_a_schema_is_equal_after_writing_and_reading() -> None:
    written = order(from_=Item("x"), extra=Gift(sku="g", count=3))
    read = again(written, Order)
    assert read == written
    assert type(read.items[0]) is Item
    assert type(read.extra) is Gift


def test_dicts_read_from_a_union_of_records_are_written_as_the_same_record() -> None:
    written = order(extra=Gift(sku="g", count=3))
    read = again(written, None)
    assert read["extra"] == {"sku": "g", "count": 3}
    assert again(again(read, None), Order) == written
    assert again(pickle.loads(pickle.dumps(read)), Order) == written


def test_dataclasses_with_enums_lists_maps_and_nothing_are_equal_after_reading() -> None:
    for best in (None, Line("c")):
        basket = Basket(7, [Line("a"), Line("b", 2)], Color.BLUE, best, {"k": Line("d")})
        assert again(basket, Basket, BASKET) == basket


def test_records_enums_and_lists_that_are_missing_are_none_after_reading() -> None:
    serde = AvroSerde.of(Node)
    short = Node("b")
    for node in (short, Node("a", short, Line("x"), Color.RED, [Line("y")])):
        data = serde.serializer().serialize("t", node)
        assert serde.deserializer().deserialize("t", data) == node


def test_a_field_that_init_does_not_take_is_what_was_written() -> None:
    serde = AvroSerde.of(Node)
    node = Node("long")
    object.__setattr__(node, "weight", 7)
    data = serde.serializer().serialize("t", node)
    assert serde.deserializer().deserialize("t", data) == node
    assert from_datum(to_datum(node, schema_of_class(Node)), Node) == node


@pytest.mark.parametrize(
    ("branches", "value", "name"),
    [
        ([DECIMAL, "int"], 0, "int"),
        ([DECIMAL, "int"], Decimal(0), "bytes"),
        ([DECIMAL, "string"], 0, "bytes"),
        (["double", "int", "long"], 5, "int"),
        (["double", "int", "long"], 1 << 40, "long"),
        (["double", "int"], 1 << 40, "double"),
        (["double", "string"], 5, "double"),
    ],
)
def test_a_whole_number_goes_to_a_whole_numbers_branch_if_there_is_one(
    branches: list[Any], value: Any, name: str
) -> None:
    """As in Java, where an Integer belongs to "int", whatever stands before that."""
    schema = ["null", *branches]
    data = AvroSerde(schema).serializer().serialize("t", value)
    assert data is not None
    names = ["bytes" if each is DECIMAL else each for each in schema]
    assert (to_datum(value, schema)[0], names[data[0] // 2]) == (name, name)


def test_equal_maps_give_equal_data_in_any_order_of_insertion() -> None:
    schema = {"type": "map", "values": "long"}
    one, other = to_datum({"a": 1, "b": 2}, schema), to_datum({"b": 2, "a": 1}, schema)
    assert list(one) == list(other)


@pytest.mark.parametrize("schema", [TEXT, avro.schema.parse(TEXT), SCHEMA, SCHEMA.root])
def test_a_schema_may_be_given_in_each_form(schema: Any) -> None:
    assert avro_record_class(schema).avro_name == "shop.Order"


def test_a_schema_may_be_the_path_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "order.avsc"
    path.write_text(TEXT)
    assert avro_schema(path) == avro_schema(str(path)) == SCHEMA


def test_record_classes_and_their_objects_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Order)) is Order
    assert pickle.loads(pickle.dumps(Item)) is Item
    assert pickle.loads(pickle.dumps(order())) == order()
    assert Order.from_dict(order(extra=Gift("g", 1)).to_dict()) == order(extra=Gift("g", 1))


def test_records_show_their_fields_and_refuse_others() -> None:
    assert repr(Item("a")) == "Item(sku='a', count=1)"
    assert Item("a") != Gift("a", 1)
    with pytest.raises(TypeError, match='needs a value for "sku"'):
        Item()
    with pytest.raises(TypeError, match="no such field"):
        Item("a", weight=5)
    with pytest.raises(AttributeError, match="has no field 'weight'; it has sku, count"):
        _ = Item("a").weight


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"id": "x"}, r'cannot write a str as shop.Order: the field "id" must be a long'),
        ({"id": True}, "a bool"),
        ({"id": 2**63}, "from -9223372036854775808 to"),
        ({"items": [Item("a"), {"sku": 5}]}, r'the field "items\[1\].sku" must be a string'),
        ({"items": [{}]}, r'"items\[0\].sku" is missing'),
        ({"items": [{"sku": "a", "skuu": "b"}]}, r'"items\[0\].skuu" is not in the schema'),
        ({"items": [{"sku": "\ud800"}]}, "without single surrogates"),
        ({"items": {"a", "b"}}, "an array: a list or a tuple"),
        ({"price": Decimal("1.234")}, "a decimal of scale 2"),
        ({"price": Decimal("1234567.5")}, "a decimal of 8 digits"),
        ({"price": Decimal("NaN")}, "a finite decimal"),
        ({"price": 1.5}, "an object of decimal.Decimal"),
        ({"at": datetime(2024, 1, 1)}, "a datetime with a zone"),
        ({"from_": {"sku": None}}, '"from.sku" must be a string'),
        ({"extra": {"sku": "a", "count": 1}}, "fits shop.Item and shop.Gift"),
        ({"extra": 1.5}, "null, long, string, shop.Item, shop.Gift"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ClassCastException, match=told) as caught:
        to_datum(order(**changes), TEXT, topic="orders")
    assert 'the topic is "orders"' in str(caught.value)


def test_a_class_that_lacks_what_the_bytes_have_is_refused() -> None:
    with pytest.raises(SerializationException, match="cannot make a Line of the fields"):
        from_datum({"sku": "a", "weight": 5}, Line)


@pytest.mark.parametrize(
    "source", ["{", '{"type": "record", "name": "R"}', "nothing", 5, "/nowhere/x.avsc"]
)
def test_what_is_no_schema_is_refused(source: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="schema"):
        avro_schema(source)


def test_a_type_of_another_schema_is_asked_for() -> None:
    line = {"type": "record", "name": "Line", "fields": [{"name": "n", "type": "int"}]}
    order = {"type": "record", "name": "Order", "fields": [{"name": "line", "type": "Line"}]}
    with pytest.raises(IllegalArgumentException) as raised:
        avro_record_class(order)
    assert "a list of the schemas" in str(raised.value)
    made = avro_record_class([line, order], "Order")
    assert made(line=avro_record_class([line, order], "Line")(n=1)).line.n == 1


@dataclasses.dataclass
class Scaled:
    amount: int
    scale: dataclasses.InitVar[int]
    scaled: int = dataclasses.field(init=False, default=0)

    def __post_init__(self, scale: int) -> None:
        self.scaled = self.amount * scale


@dataclasses.dataclass
class Parsed:
    amount: int

    def __init__(self, text: str) -> None:
        self.amount = int(text)


@pytest.mark.parametrize(("cls", "argument"), [(Scaled, "scale"), (Parsed, "text")])
def test_a_class_that_its_fields_do_not_make_is_refused(cls: type, argument: str) -> None:
    with pytest.raises(IllegalArgumentException, match=f"its __init__ wants '{argument}'"):
        AvroSerde.of(cls)


def test_a_class_that_its_fields_do_not_make_can_be_written() -> None:
    fields = [{"name": name, "type": "long"} for name in ("amount", "scaled")]
    serde = AvroSerde[Any]({"type": "record", "name": "Scaled", "fields": fields})
    data = serde.serializer().serialize("t", Scaled(2, 3))
    assert serde.deserializer().deserialize("t", data) == {"amount": 2, "scaled": 6}


@dataclasses.dataclass
class Doubled:
    amount: int
    scale: dataclasses.InitVar[int] = 2
    scaled: int = dataclasses.field(init=False, default=0)

    def __post_init__(self, scale: int) -> None:
        self.scaled = self.amount * scale


def test_a_field_that_init_does_not_take_is_read_as_it_was_written() -> None:
    serde = AvroSerde.of(Doubled)
    data = serde.serializer().serialize("t", Doubled(1, 5))
    assert serde.deserializer().deserialize("t", data) == Doubled(1, 5)
