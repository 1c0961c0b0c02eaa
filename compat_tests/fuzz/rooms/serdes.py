"""Serdes: Kafka's own, windowed keys, lists, JSON, Avro, Protobuf, and those of internal topics."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from contextlib import suppress
from typing import Any, NamedTuple

from compat_tests.fuzz.decoder import Decoder, Maker
from compat_tests.serdes.proto_classes import order_class, required_class
from millstream import Headers, Serdes, Windowed
from millstream.core.records import Change
from millstream.core.serdes import JsonSerde, ListSerde, Serde
from millstream.core.serdes.base import deserialize_column, deserializer_call, serializer_call
from millstream.core.serdes.windowed import SessionWindowedSerde, TimeWindowedSerde
from millstream.core.windows.window import SessionWindow, TimeWindow
from millstream.serdes import AvroSerde, ProtobufSerde
from millstream.topology.deduplication.carried import Carried, CarriedSerde
from millstream.topology.graph.changed import ChangeSerde
from millstream.topology.operators.internal_serde import InnerSerde
from millstream.topology.operators.subscriptions import (
    Instruction,
    JoinResponse,
    ResponseSerde,
    Subscription,
    SubscriptionSerde,
)


class Colour(enum.Enum):
    """An enum."""

    RED = "red"
    BLUE = "blue"


class Pair(NamedTuple):
    """A NamedTuple."""

    left: int
    right: str


@dataclasses.dataclass
class Line:
    """A part of an order."""

    sku: str
    price: decimal.Decimal
    next: Line | None = None


@dataclasses.dataclass
class Order:
    """An object with fields of every kind."""

    id: uuid.UUID
    at: dt.datetime
    day: dt.date
    took: dt.timedelta
    colour: Colour
    lines: list[Line]
    tags: dict[str, int]
    pair: Pair
    raw: bytes
    note: str | None = None


def order() -> Order:
    """Return an order."""
    return Order(
        id=uuid.UUID(int=5),
        at=dt.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=dt.timezone.utc),
        day=dt.date(2026, 1, 2),
        took=dt.timedelta(seconds=5),
        colour=Colour.RED,
        lines=[Line("a", decimal.Decimal("1.50"), Line("b", decimal.Decimal(2)))],
        tags={"x": 1},
        pair=Pair(1, "r"),
        raw=b"\0\1",
        note="n",
    )


def of(serde: Serde[Any], *values: Any) -> Decoder:
    """Return the decoder of a serde: one by one, and by columns where it has them."""
    write, read = serializer_call(serde.serializer()), deserializer_call(serde.deserializer())
    samples = [write("t", Headers(), value) for value in values]

    def decode(data: bytes) -> object:
        found = read("t", Headers(), data)
        repr(found)
        # A column's error may be of any type: the source then reads one by one.
        with suppress(Exception):
            deserialize_column(serde.deserializer(), "t", [data, data])
        return found

    return Decoder([sample for sample in samples if sample is not None], decode)


AVRO = {
    "type": "record",
    "name": "Tree",
    "fields": [
        {"name": "name", "type": "string"},
        {"name": "raw", "type": "bytes"},
        {"name": "many", "type": {"type": "array", "items": "long"}},
        {"name": "nothing", "type": {"type": "array", "items": "null"}},
        {"name": "nested", "type": {"type": "array", "items": {"type": "array", "items": "null"}}},
        {"name": "map", "type": {"type": "map", "values": ["null", "double", "string"]}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "fixed", "type": {"type": "fixed", "name": "Four", "size": 4}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "big", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20}},
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "child", "type": ["null", "Tree"]},
    ],
}
"""A schema with all that Avro has, and with itself inside."""


def tree(child: Any = None) -> dict[str, Any]:
    """Return a value of AVRO."""
    return {
        "name": "é",
        "raw": b"\0\1",
        "many": [1, -1, 1 << 40],
        "nothing": [None, None],
        "nested": [[None], []],
        "map": {"a": None, "b": 0.5, "c": "x"},
        "kind": "B",
        "fixed": b"abcd",
        "day": dt.date(2026, 1, 2),
        "at": dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc),
        "big": decimal.Decimal(12345),
        "id": uuid.UUID(int=5),
        "child": child,
    }


def avro(*, single_object: bool) -> Decoder:
    """Avro, with or without the header of single objects."""
    return of(AvroSerde(AVRO, single_object=single_object), tree(), tree(tree()))


def protobuf() -> Decoder:
    """Protobuf messages with maps and nested messages."""
    kind = order_class()
    message = kind(user="u", count=3, tags={"a": 1})
    message.lines.add(sku="s")
    return of(ProtobufSerde(kind), message)


def required() -> Decoder:
    """Protobuf messages with fields that must be there."""
    return of(ProtobufSerde(required_class()), required_class()(id=1))


def subscription() -> Decoder:
    """Subscriptions of foreign-key joins."""
    serde = SubscriptionSerde(topic="t", key=Serdes.String()).within("app", Serdes.Long())
    values = (
        Subscription(bytes(16), Instruction.ANSWER_ALWAYS, 5, 3),
        Subscription(None, Instruction.DELETE_SILENTLY, 5, 0),
    )
    return of(serde, *values)


def response() -> Decoder:
    """Answers of foreign-key joins."""
    inners = InnerSerde.all_of(Serdes.Long())
    serde = dataclasses.replace(ResponseSerde(value=Serdes.Long()), inners=inners)
    return of(serde, JoinResponse(bytes(16), 5), JoinResponse(None, None))


def change() -> Decoder:
    """Updates of tables on repartition topics."""
    serde = ChangeSerde(Serdes.String())
    serde = dataclasses.replace(serde, inners=InnerSerde.all_of(Serdes.String()))
    return of(serde, Change("new", "old"), Change("new", None), Change(None, "old"))


def carried() -> Decoder:
    """Key and value in one."""
    serde = CarriedSerde(Serdes.String(), Serdes.Long())
    serde = dataclasses.replace(serde, inners=InnerSerde.all_of(serde.key, serde.value))
    return of(serde, Carried("k", 5), Carried(None, None))


WINDOWED = TimeWindowedSerde(Serdes.Long(), 5_000)

DECODERS: dict[str, Maker] = {
    "serde-long": lambda: of(Serdes.Long(), 1, -1),
    "serde-integer": lambda: of(Serdes.Integer(), 1),
    "serde-short": lambda: of(Serdes.Short(), 1),
    "serde-double": lambda: of(Serdes.Double(), 1.5),
    "serde-float": lambda: of(Serdes.Float(), 1.5),
    "serde-boolean": lambda: of(Serdes.Boolean(), True),
    "serde-string": lambda: of(Serdes.String(), "héllo"),
    "serde-bytes": lambda: of(Serdes.Bytes(), b"abc"),
    "serde-byte-buffer": lambda: of(Serdes.ByteBuffer(), b"abc"),
    "serde-uuid": lambda: of(Serdes.UUID(), uuid.UUID(int=7)),
    "serde-json": lambda: of(JsonSerde(), {"a": [1, 2.5, None, "x", {"b": True}]}),
    "serde-json-typed": lambda: of(JsonSerde.of(Order), order()),
    "serde-list-fixed": lambda: of(ListSerde(list, Serdes.Long()), [1, None, 3], []),
    "serde-list-variable": lambda: of(ListSerde(list, Serdes.String()), ["a", None, ""]),
    "serde-time-windowed": lambda: of(WINDOWED, Windowed(3, TimeWindow(0, 5_000))),
    "serde-time-windowed-changelog": lambda: changelog_windows(),
    "serde-session-windowed": lambda: of(
        SessionWindowedSerde(Serdes.String()), Windowed("k", SessionWindow(0, 5_000))
    ),
    "serde-avro": lambda: avro(single_object=False),
    "serde-avro-single-object": lambda: avro(single_object=True),
    "serde-avro-class": lambda: of(AvroSerde.of(Point), Point(3, "a", [Point(4, "b", [])])),
    "serde-protobuf": protobuf,
    "serde-protobuf-required": required,
    "serde-subscription": subscription,
    "serde-response": response,
    "serde-change": change,
    "serde-carried": carried,
}


@dataclasses.dataclass
class Point:
    """A record that holds others."""

    x: int
    name: str
    inside: list[Point]


def changelog_windows() -> Decoder:
    """Keys of a window store's changelog."""
    serde = TimeWindowedSerde(Serdes.Long(), 5_000).forChangelog(True)
    read = serde.deserializer()
    sample = bytes(8) + (5_000).to_bytes(8, "big") + bytes(4)
    return Decoder([sample], lambda data: read.deserialize("t", data))
