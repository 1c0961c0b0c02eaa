"""The Avro serde in a program: classes, keys, workers, errors."""

from __future__ import annotations

import datetime as dt
import enum
import json
import pickle
import subprocess
import sys
import uuid
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple, Union

import msgspec
import pydantic
import pytest

from millstream import (
    AvroRecord,
    AvroSerde,
    ClassCastException,
    Consumed,
    Grouped,
    IllegalArgumentException,
    Materialized,
    Produced,
    Serdes,
    SerializationException,
    StreamsBuilder,
    TimeWindowedSerde,
    TimeWindows,
    TopologyTestDriver,
    avro_record_class,
)
from millstream.core.serdes.identity import format_of, same_format


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass
class Line:
    sku: str
    count: int = 1


@dataclass
class Everything:
    id: int
    ratio: float
    name: str
    sure: bool
    data: bytes
    at: dt.datetime
    day: dt.date
    clock: dt.time
    key: uuid.UUID
    color: Color
    lines: list[Line]
    pairs: tuple[int, ...]
    by_name: dict[str, Line]
    price: Decimal = field(
        metadata={"avro": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}}
    )
    best: Line | None = None
    either: Union[Line, str, None] = None  # noqa: UP007 - both notations are in use
    class_: str = "first"


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=list)


EVERYTHING = Everything(
    id=-(2**63),
    ratio=0.1,
    name="caf\u00e9",
    sure=True,
    data=b"\0\xff",
    at=dt.datetime(2024, 2, 29, 12, 30, 1, 234567, tzinfo=dt.timezone.utc),
    day=dt.date(1969, 7, 20),
    clock=dt.time(23, 59, 59, 999999),
    key=uuid.UUID(int=7),
    color=Color.BLUE,
    lines=[Line("a"), Line("b", 2)],
    pairs=(1, 2),
    by_name={"z": Line("c"), "a": Line("d")},
    price=Decimal("-12.50"),
    best=Line("e"),
    either=Line("f"),
)


def again(serde: AvroSerde[Any], value: Any) -> Any:
    data = serde.serializer().serialize("t", value)
    assert serde.serializer().serialize_column("t", [value]) == [data]
    assert serde.deserializer().deserialize_column("t", [data, None])[1] is None
    return serde.deserializer().deserialize("t", data)


def test_a_dataclass_with_all_types_is_equal_after_writing_and_reading() -> None:
    serde = AvroSerde.of(Everything, namespace="shop")
    assert serde.schema.name == "shop.Everything"
    assert again(serde, EVERYTHING) == EVERYTHING
    assert again(pickle.loads(pickle.dumps(serde)), EVERYTHING) == EVERYTHING


def test_a_recursive_dataclass_is_equal_after_writing_and_reading() -> None:
    tree = Tree(1, [Tree(2), Tree(3, [Tree(4)])])
    assert again(AvroSerde.of(Tree), tree) == tree


def test_the_schema_of_a_class_has_its_defaults() -> None:
    made = json.loads(AvroSerde.of(Line).schema.text)
    assert made["fields"][1] == {"name": "count", "type": "long", "default": 1}
    fields = {f["name"]: f for f in json.loads(AvroSerde.of(Everything).schema.text)["fields"]}
    assert fields["best"]["type"][0] == "null"
    assert fields["class"]["default"] == "first"


class Point(NamedTuple):
    x: int
    y: int = 0


class Struct(msgspec.Struct):
    x: int
    y: int = 0


class Model(pydantic.BaseModel):
    x: int
    y: int = 0


@dataclass(frozen=True)
class Slotted:
    __slots__ = ("x", "y")
    x: int
    y: int


@pytest.mark.parametrize("kind", [Point, Struct, Model, Slotted])
def test_other_record_classes_work_alike(kind: Any) -> None:
    serde = AvroSerde.of(kind)
    value = kind(x=3, y=4)
    assert again(serde, value) == value
    assert serde.serializer().serialize("t", value) == b"\x06\x08"
    assert again(AvroSerde(serde.schema), value) == {"x": 3, "y": 4}


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (int | Decimal, "Decimal"),
        (set[int], "set"),
        (list[Any], "Any"),
        (dict[int, str], "dict"),
        (object, "object"),
        (complex, "complex"),
    ],
)
def test_a_type_without_counterpart_is_refused(kind: Any, told: str) -> None:
    made: Any = dataclass(type("Made", (), {"__annotations__": {"it": kind}}))
    with pytest.raises(IllegalArgumentException, match=rf"Made.it.* {told}"):
        AvroSerde.of(made)


def test_a_class_that_does_not_fit_the_schema_is_refused() -> None:
    schema = AvroSerde.of(Line).schema
    with pytest.raises(IllegalArgumentException, match="Point does not fit the record Line"):
        AvroSerde(schema, Point)
    with pytest.raises(IllegalArgumentException, match="int cannot stand for the record Line"):
        AvroSerde(schema, int)


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "other"


class Key(str, enum.Enum):
    A = "a"


@pytest.mark.parametrize(
    ("schema", "value", "plain"),
    [
        ("string", Text("a"), "a"),
        ("string", Key.A, "a"),
        ("long", Color.RED.value, 1),
        ("long", enum.IntEnum("Rank", "LOW").LOW, 1),  # type: ignore[attr-defined]
        ("double", 5, 5.0),
        ("bytes", bytearray(b"a"), b"a"),
        ("bytes", memoryview(b"a"), b"a"),
        ({"type": "map", "values": "int"}, OrderedDict([(Key.A, 1), (Text("b"), 2)]), None),
        ({"type": "array", "items": "int"}, (1, 2), [1, 2]),
        (AvroSerde.of(Line).schema, defaultdict(str, sku="a"), {"sku": "a", "count": 1}),
        (AvroSerde.of(Line).schema, MappingProxyType({"sku": "a"}), {"sku": "a", "count": 1}),
    ],
)
def test_subclasses_and_relatives_are_written_as_what_they_stand_for(
    schema: Any, value: Any, plain: Any
) -> None:
    found = again(AvroSerde(schema), value)
    assert found == ({"a": 1, "b": 2} if plain is None else plain)


def test_what_an_object_itself_raises_is_told() -> None:
    class Broken(Line):
        def __getattribute__(self, name: str) -> Any:
            if name == "sku":
                raise OSError("no disk")
            return super().__getattribute__(name)

    with pytest.raises(SerializationException, match="OSError: no disk"):
        AvroSerde({"type": "map", "values": AvroSerde.of(Line).schema.root}).serializer().serialize(
            "t", {"k": Broken.__new__(Broken)}
        )


@pytest.mark.parametrize(("kind", "value"), [(list[Line], [Line("a")]), (dict[str, Line], {})])
def test_types_of_records_have_a_serde_too(kind: Any, value: Any) -> None:
    assert again(AvroSerde.of(kind), value) == value


def test_a_value_that_holds_itself_is_refused() -> None:
    loop = Tree(1)
    loop.children.append(loop)
    with pytest.raises(SerializationException, match="nested too deeply"):
        AvroSerde.of(Tree).serializer().serialize("t", loop)


def test_null_is_null_and_no_union_is_needed() -> None:
    serde = AvroSerde("string")
    assert serde.serializer().serialize("t", None) is None
    assert serde.deserializer().deserialize("t", None) is None


def test_a_value_that_does_not_fit_is_refused_with_its_path_and_topic() -> None:
    half = AvroSerde.of(Everything).serializer()
    wrong = Everything(**{**vars(EVERYTHING), "lines": [Line("a"), Line("b", "two")]})  # type: ignore[arg-type]
    for call in (
        lambda: half.serialize("orders", wrong),
        lambda: half.serialize_column("orders", [EVERYTHING, wrong]),
    ):
        with pytest.raises(ClassCastException, match=r'"lines\[1\].count" must be a long') as e:
            call()
        assert 'the topic is "orders"' in str(e.value)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "They end too early"),
        (b"\x02", "bytes are announced"),
        (b"\x06ab", "3 bytes are announced, 2 left"),
        (b"\x01", "-1 bytes are announced"),
        (b"\x02\xff\x02", "can't decode byte"),
        (b"\x02a" + b"\xff" * 11, "more than 64 bits"),
        (b"\x02a\x02\x02", "1 bytes are left over"),
        (b"\0\0\0\0\7\x02a\x02", "a schema registry"),
    ],
)
def test_bytes_of_something_else_are_refused(data: bytes, told: str) -> None:
    half = AvroSerde.of(Line).deserializer()
    with pytest.raises(SerializationException, match=told) as caught:
        half.deserialize("orders", data)
    assert 'the topic is "orders"' in str(caught.value)
    with pytest.raises(SerializationException, match=told):
        half.deserialize_column("orders", [data])


def test_what_is_nested_too_deeply_is_refused_both_ways() -> None:
    serde = AvroSerde.of(Tree)
    deep = Tree(0)
    for _ in range(3000):
        deep = Tree(0, [deep])
    with pytest.raises(SerializationException, match="nested too deeply"):
        serde.serializer().serialize("t", deep)
    with pytest.raises(SerializationException, match="nested too deeply"):
        serde.deserializer().deserialize("t", b"\0\x02" * 30000 + b"\0\0" + b"\0" * 30000)


def test_a_collection_of_nothing_does_not_fill_the_memory() -> None:
    half = AvroSerde({"type": "array", "items": "null"}).deserializer()
    assert half.deserialize("t", b"\x06\0") == [None] * 3
    with pytest.raises(SerializationException, match="items are announced"):
        half.deserialize("t", b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f")


def test_the_identity_has_the_schema_and_not_the_class() -> None:
    text = format_of(AvroSerde.of(Line))
    assert text == format_of(AvroSerde(AvroSerde.of(Line).schema))
    assert text.startswith("Avro(Line, ")
    other = AvroSerde({"type": "record", "name": "Line", "fields": [
        {"name": "sku", "type": "string"}, {"name": "count", "type": "int"}]})  # fmt: skip
    documented = json.loads(AvroSerde.of(Line).schema.text)
    documented["doc"] = "A line."
    assert not same_format(text, format_of(other))
    assert same_format(text, format_of(AvroSerde(documented)))


ORDER = """{"type": "record", "name": "Order", "fields": [
    {"name": "user", "type": "string"},
    {"name": "tags", "type": {"type": "map", "values": "int"}}]}"""
KEY = avro_record_class(ORDER)


@pytest.mark.parametrize("store", ["in_memory", "rocksDB"])
def test_records_are_keys_of_tables_and_windows(store: str) -> None:
    serde: AvroSerde[AvroRecord] = AvroSerde(ORDER, KEY)
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(serde, Serdes.String()))
    grouped = stream.groupByKey(Grouped.with_(serde, Serdes.String()))
    grouped.count(Materialized.as_("counts")).toStream().to("counts-out")
    windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(dt.timedelta(seconds=1))).count()
    windowed.toStream().to(
        "windows-out",
        Produced.with_(TimeWindowedSerde(serde, 1000), Serdes.Long()),
    )
    one, same, other = KEY("a", {"x": 1, "y": 2}), KEY("a", {"y": 2, "x": 1}), KEY("b", {})
    with TopologyTestDriver(builder.build(), {"default.dsl.store": store}) as driver:
        topic = driver.createInputTopic("in", serde.serializer(), Serdes.String().serializer())
        for place, key in enumerate((one, other, same)):
            topic.pipeInput(key, "v", place)
        counts = driver.createOutputTopic(
            "counts-out", serde.deserializer(), Serdes.Long().deserializer()
        )
        pairs = [(pair.key, pair.value) for pair in counts.readKeyValuesToList()]
        assert pairs == [(one, 1), (other, 1), (one, 2)]
        found: Any = driver.getKeyValueStore("counts")
        assert found.get(same) == 2
        with found.all() as entries:
            first: Any = next(entries)
        first.key.user = "changed"
        assert found.get(one) == 2
        windows = driver.createOutputTopic(
            "windows-out",
            TimeWindowedSerde(serde, 1000).deserializer(),
            Serdes.Long().deserializer(),
        )
        keys: list[Any] = [pair.key for pair in windows.readKeyValuesToList()]
        assert [each.key() for each in keys] == [one, other, one]


def test_millstream_alone_does_not_import_the_formats() -> None:
    code = "import millstream, sys; print([m for m in ('avro', 'fastavro', 'msgspec', 'pydantic', "
    code += "'google.protobuf') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
