"""JSON of types: what is read equals what was written, and equal objects give equal bytes."""

from __future__ import annotations

import datetime as dt
import enum
import json
import pickle
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compat_tests.effort import LIGHT
from millstream import (
    ClassCastException,
    IllegalArgumentException,
    JsonDeserializer,
    JsonSerde,
    JsonSerializer,
    Serdes,
    SerializationException,
    StreamsBuilder,
    TimeWindowedSerde,
    TopologyTestDriver,
)
from millstream.core.serdes.identity import format_of, same_format
from millstream.core.windows import TimeWindow, Windowed

MANY = settings(max_examples=50 if LIGHT else 150, suppress_health_check=list(HealthCheck))


UserId = NewType("UserId", str)
T = TypeVar("T")


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: int
    y: float


class Place(TypedDict):
    name: str
    lat: float


class Visit(typing_extensions.TypedDict, Generic[T]):
    """Python 3.10 has neither generic ones nor fields that may be missing."""

    by: T
    note: typing_extensions.NotRequired[str]


class Struct(msgspec.Struct, frozen=True, tag=True):
    name: str


class OtherStruct(msgspec.Struct, frozen=True, tag=True):
    name: str


class Model(pydantic.BaseModel):
    name: str
    at: dt.datetime
    price: Decimal = Decimal("1.10")


@dataclass
class Inner:
    name: str
    rank: Rank = Rank.LOW


@dataclass
class Everything:
    id: int
    ratio: float
    sure: bool
    data: bytes
    at: dt.datetime
    day: dt.date
    clock: dt.time
    span: dt.timedelta
    key: uuid.UUID
    price: Decimal
    color: Color
    inner: Inner
    point: Point
    place: Place
    either: Struct | OtherStruct | None
    items: list[Inner] = field(default_factory=list)
    pair: tuple[int, str] = (1, "a")
    tags: frozenset[str] = frozenset()
    by_day: dict[dt.date, Inner] = field(default_factory=dict)
    plain: dict[str, Any] = field(default_factory=dict)
    note: str | None = None


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
inners = st.builds(Inner, texts, st.sampled_from(Rank))
everything = st.builds(
    Everything,
    id=st.integers(),
    ratio=st.floats(allow_nan=False, allow_infinity=False),
    sure=st.booleans(),
    data=st.binary(max_size=6),
    at=st.datetimes(timezones=st.sampled_from([None, dt.timezone.utc])),
    day=st.dates(),
    clock=st.times(),
    span=st.timedeltas(),
    key=st.uuids(),
    price=st.decimals(allow_nan=False),
    color=st.sampled_from(Color),
    inner=inners,
    point=st.builds(Point, st.integers(), st.just(0.5)),
    place=st.builds(lambda name: Place(name=name, lat=1.5), texts),
    either=st.none() | st.builds(Struct, texts) | st.builds(OtherStruct, texts),
    items=st.lists(inners, max_size=2),
    pair=st.tuples(st.integers(), texts),
    tags=st.frozensets(texts, max_size=3),
    by_day=st.dictionaries(st.dates(), inners, max_size=2),
    plain=st.dictionaries(texts, st.integers() | texts | st.none(), max_size=3),
)


def again(serde: JsonSerde[Any], value: Any) -> Any:
    data = serde.serializer().serialize("t", value)
    assert serde.serializer().serialize_column("t", [value, None]) == [data, None]
    found = serde.deserializer().deserialize("t", data)
    assert serde.deserializer().deserialize_column("t", [None, data]) == [None, found]
    return found


@MANY
@given(everything)
def test_a_dataclass_of_all_types_is_equal_after_writing_and_reading(value: Everything) -> None:
    found = again(JsonSerde.of(Everything), value)
    assert found == value
    assert type(found.inner) is Inner
    assert found.price.as_tuple() == value.price.as_tuple()


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (list[Inner], [Inner("a"), Inner("b", Rank.HIGH)]),
        (dict[str, Inner], {"k": Inner("a")}),
        (Color, Color.BLUE),
        (Place, {"name": "x", "lat": 1.0}),
        (Visit, {"by": "x"}),
        (Visit[int], {"by": 7, "note": "y"}),
        (Point, Point(1, 0.5)),
        (Struct, Struct("a")),
        (Struct | OtherStruct, OtherStruct("a")),
        (Model, Model(name="a", at=dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))),
        (list[Model], [Model(name="a", at=dt.datetime(2024, 1, 1), price=Decimal("0.10"))]),
        (dt.datetime, dt.datetime(2024, 1, 1, 0, 0, 0, 1)),
        (Decimal, Decimal("1.100")),
        (int, 2**80),
        (float, 5),
        (Any, {"a": [1, None]}),
        (Annotated[int, "positive"], 5),
        (Literal["a", "b"], "a"),
        (UserId, "u"),
    ],
)
def test_types_that_are_no_dataclass_work_alike(kind: Any, value: Any) -> None:
    serde = JsonSerde.of(kind)
    assert again(serde, value) == value
    assert again(pickle.loads(pickle.dumps(serde)), value) == value


def test_equal_objects_give_equal_bytes() -> None:
    half = JsonSerde.of(dict[str, int]).serializer()
    assert half.serialize("t", {"b": 1, "a": 2}) == b'{"a":2,"b":1}'
    inner = JsonSerde.of(Inner).serializer()
    assert inner.serialize("t", Inner("a")) == b'{"name":"a","rank":1}'


def test_fields_may_come_and_go() -> None:
    half = JsonSerde.of(Inner).deserializer()
    assert half.deserialize("t", b'{"name":"a","more":[1]}') == Inner("a")
    with pytest.raises(SerializationException, match="missing required field `name`") as caught:
        half.deserialize("orders", b"{}")
    assert 'the topic is "orders"' in str(caught.value)
    assert "an Inner" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"5", b'{"name":5}', b"\xff", b"[" * 5000, b"null"])
def test_bytes_of_something_else_are_refused(data: bytes) -> None:
    half = JsonSerde.of(Inner).deserializer()
    with pytest.raises(SerializationException, match="bytes that are not an Inner"):
        half.deserialize("t", data)
    with pytest.raises(SerializationException, match="bytes that are not an Inner"):
        half.deserialize_column("t", [data])


@pytest.mark.parametrize("value", [{"name": "a"}, "a", 5, Struct("a"), Inner])
def test_an_object_of_another_class_is_refused(value: Any) -> None:
    half = JsonSerde.of(Inner).serializer()
    with pytest.raises(ClassCastException, match="JsonSerde of Inner cannot serialize"):
        half.serialize("t", value)
    with pytest.raises(ClassCastException, match="JsonSerde of Inner cannot serialize"):
        half.serialize_column("t", [value])


class Mixed(enum.Enum):
    A = "a"
    B = 1


@pytest.mark.parametrize("kind", [Inner("a"), None, "Inner", Mixed, Inner | Everything])
def test_what_json_cannot_stand_for_is_refused_at_once(kind: Any) -> None:
    with pytest.raises(IllegalArgumentException):
        JsonSerde.of(kind)


def test_the_identity_has_the_type() -> None:
    assert format_of(JsonSerde.of(Inner)) == "TypedJson(Inner)"
    assert not same_format(format_of(JsonSerde.of(Inner)), format_of(JsonSerde.of(Color)))
    assert format_of(JsonSerde()) == "Json"
    assert format_of(JsonSerde(sort_keys=True)) != "Json"


def test_keys_of_dicts_are_sorted_where_asked_or_where_the_serde_is_for_keys() -> None:
    one, other = {"b": 1, "a": {"d": 1, "c": 2}}, {"a": {"c": 2, "d": 1}, "b": 1}
    in_order = b'{"a":{"c":2,"d":1},"b":1}'
    assert JsonSerializer().serialize("t", one) == b'{"b":1,"a":{"d":1,"c":2}}'
    assert JsonSerializer(sort_keys=True).serialize("t", one) == in_order
    for_keys = JsonSerde()
    for_keys.configure({}, True)
    for half in (for_keys.serializer(), pickle.loads(pickle.dumps(for_keys)).serializer()):
        assert half.serialize("t", one) == half.serialize("t", other) == in_order
    for_values = JsonSerde()
    for_values.configure({}, False)
    assert for_values.serializer().serialize("t", other) == b'{"a":{"c":2,"d":1},"b":1}'
    assert for_values.serializer().serialize("t", one) != in_order
    chosen = JsonSerde(sort_keys=False)
    chosen.configure({}, True)
    assert chosen.serializer().serialize("t", one) != in_order


def test_equal_dicts_are_one_key_with_the_default_serde() -> None:
    builder = StreamsBuilder()
    builder.stream("in").groupByKey().count().toStream().to("out")
    configs = {"default.key.serde": JsonSerde, "default.value.serde": Serdes.String}
    with TopologyTestDriver(builder.build(), configs) as driver:
        json_half = JsonSerde(sort_keys=True)
        topic = driver.createInputTopic("in", json_half.serializer(), Serdes.String().serializer())
        topic.pipeInput({"a": 1, "b": 2}, "x")
        topic.pipeInput({"b": 2, "a": 1}, "x")
        counts = driver.createOutputTopic(
            "out", json_half.deserializer(), Serdes.Long().deserializer()
        )
        assert [pair.value for pair in counts.readKeyValuesToList()] == [1, 2]


def test_windowed_keys_over_a_typed_serde() -> None:
    serde = TimeWindowedSerde(JsonSerde.of(Inner), 10)
    key = Windowed(Inner("a"), TimeWindow(20, 30))
    data = serde.serializer().serialize("t", key)
    assert serde.deserializer().deserialize("t", data) == key


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def outcome(call: Any) -> tuple[str, Any]:
    try:
        return "value", repr(call())
    except (ValueError, RecursionError, SerializationException):
        return "refused", None


@MANY
@given(documents, st.booleans(), st.integers(0, 30), st.binary(max_size=2))
def test_plain_json_is_read_as_pythons_decoder_reads_it(
    document: Any, ascii_only: bool, place: int, damage: bytes
) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "surrogatepass")
    assert_read_as_by_python(data)
    assert_read_as_by_python(data[:place] + damage + data[place + 1 :])


def assert_read_as_by_python(data: bytes) -> None:
    half = JsonDeserializer()
    expected = outcome(lambda: json.loads(data.decode("utf-8-sig")))
    assert outcome(lambda: half.deserialize("t", data)) == expected
    assert outcome(lambda: half.deserialize_column("t", [data])[0]) == expected


@pytest.mark.parametrize(
    "text",
    ["-0", "-0.0", "1e400", "NaN", "-Infinity", '"\\ud800"', '{"a":1,"a":2}', " [1] ", "\ufeff1"]
    + [
        "123456789012345678901234567890",
        "5e-324",
        "2.2250738585072011e-308",
        "01",
        "[1,]",
        '"a\tb"',
    ],
)
def test_odd_documents_are_read_as_pythons_decoder_reads_them(text: str) -> None:
    assert_read_as_by_python(text.encode())


def test_classes_of_a_main_module_travel_with_the_types_of_their_fields() -> None:
    program = Path(__file__).parent / "main_program.py"
    ended = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True
    )
    equal = [f"equal {name}" for name in ("Outer", "Point", "Model") for _ in ("json", "avro")]
    *shown, one, other = ended.stdout.splitlines()
    assert shown == equal
    assert "the msgspec Struct __main__.Struct cannot travel with its code" in one
    assert one == other


class Plain:
    def __init__(self, page: str) -> None:
        self.page = page


@pytest.mark.parametrize("wanted", [Plain, list[Plain], dict[str, Plain]])
def test_a_plain_class_is_refused_where_the_serde_is_made(wanted: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="objects of Plain have no JSON form") as e:
        JsonSerde.of(wanted)
    assert "dataclass" in e.value.hint


@attrs.define
class Noted:
    id: int
    _note: str = ""


@attrs.define
class Counted:
    id: int
    _count: int = attrs.field(init=False, default=0)


@dataclass
class Notes:
    pages: list[dict[str, Noted | None]]


@pytest.mark.parametrize("kind", [Noted, Notes, list[Noted]])
def test_private_attributes_of_attrs_that_would_not_be_written_are_refused(kind: Any) -> None:
    with pytest.raises(IllegalArgumentException, match=r"Noted\._note would not be written"):
        JsonSerde.of(kind)
    serde = JsonSerde.of(Counted)
    data = serde.serializer().serialize("t", Counted(7))
    assert serde.deserializer().deserialize("t", data) == Counted(7)


def test_an_object_of_a_class_that_was_defined_anew_is_told_so() -> None:
    first: Any = dataclass(type("Order", (), {"__annotations__": {"id": int}}))
    anew: Any = dataclass(type("Order", (), {"__annotations__": {"id": int}}))
    with pytest.raises(ClassCastException, match="of another class with that name"):
        JsonSerde.of(first).serializer().serialize("t", anew(1))
