"""What a serde may be made of, and what is refused with the words to write."""

from __future__ import annotations

import json
from typing import Any

import pytest
from confluent_kafka.serialization import StringSerializer

from millstream import (
    Consumed,
    Deserializer,
    Headers,
    Produced,
    Serdes,
    Serializer,
    StreamsBuilder,
)
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.core.serdes.base import deserialize_column, serialize_column, serializer_call
from millstream.core.serdes.identity import format_of
from millstream.testing import TopologyTestDriver


def write(topic: str, data: Any) -> bytes:
    return json.dumps(data).encode()


def read(topic: str, data: bytes) -> Any:
    return json.loads(data)


def test_functions_of_topic_and_data_make_a_serde() -> None:
    serde = Serdes.serdeFrom(write, read)
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(Serdes.String(), serde))
    stream.mapValues(lambda v: [v["n"]]).to("out", Produced.with_(Serdes.String(), serde))
    with TopologyTestDriver(builder.build()) as driver:
        text = Serdes.String()
        source = driver.createInputTopic("in", text.serializer(), serde.serializer())
        target = driver.createOutputTopic("out", text.deserializer(), serde.deserializer())
        source.pipeInput("k", {"n": 7})
        assert target.readValue() == [7]


def test_a_function_may_take_headers_too() -> None:
    def with_headers(topic: str, headers: Headers, data: Any) -> bytes:
        headers.add("by", b"function")
        return write(topic, data)

    writer = Serdes.serdeFrom(with_headers, read).serializer()
    headers = Headers()
    assert serializer_call(writer)("t", headers, 5) == b"5"
    assert [header.key() for header in headers] == ["by"]
    assert writer.needs_headers()
    assert not Serdes.serdeFrom(write, read).serializer().needs_headers()


def with_a_default(topic: str, data: Any, indent: int | None = None) -> bytes:
    return json.dumps(data, indent=indent).encode()


def with_late_headers(topic: str, data: Any, headers: Headers | None = None) -> bytes:
    assert headers is None
    return write(topic, data)


def with_others(topic: str, data: Any, *others: Any) -> bytes:
    assert not others
    return write(topic, data)


def with_optional_data(topic: str, headers: Headers, data: Any = None) -> bytes:
    return write(topic, [len(list(headers)), data])


class KeepsEncoding(Serializer[str]):
    def serialize(self, topic: str, data: str, encoding: str = "utf-16") -> bytes:  # type: ignore[override]
        return data.encode(encoding)


@pytest.mark.parametrize(
    ("serializer", "data", "expected"),
    [
        (lambda topic, data, codec=json: codec.dumps(data).encode(), 5, b"5"),
        (with_a_default, 5, b"5"),
        (with_late_headers, 5, b"5"),
        (with_others, 5, b"5"),
        (with_optional_data, 5, b"[0, 5]"),
        (KeepsEncoding(), "a", "a".encode("utf-16")),
    ],
)
def test_a_parameter_with_a_default_asks_for_nothing(
    serializer: Any, data: Any, expected: bytes
) -> None:
    """A lambda keeps the variable of a loop so; it was given the data for it, and headers first."""
    half = Serdes.serdeFrom(serializer, read).serializer()
    assert serializer_call(half)("t", Headers(), data) == expected
    assert half.needs_headers() is (serializer is with_optional_data)


def of_data(data: Any, indent: int | None = None) -> bytes:
    return json.dumps(data, indent=indent).encode()


class WithContext:
    def __call__(self, obj: Any, ctx: Any) -> bytes:
        return of_data(obj)


@pytest.mark.parametrize(
    ("half", "name"),
    [
        (StringSerializer("utf_8"), "obj"),
        (WithContext(), "obj"),
        (of_data, "data"),
        (lambda value, codec=json: codec.loads(value), "value"),
    ],
)
def test_a_function_of_data_alone_would_get_the_topic_as_its_data(half: Any, name: str) -> None:
    """Serializers of confluent-kafka take the data first: every value was the topic's name."""
    with pytest.raises(ClassCastException) as caught:
        Serdes.serdeFrom(half, read)
    assert caught.value.getMessage() == f"serializer would take the topic for its {name}"
    assert "lambda topic, data: serializer(data)" in caught.value.hint


def test_functions_work_on_columns() -> None:
    serde = Serdes.serdeFrom(write, read)
    assert serde.serializer().serialize_column("t", [1, [2]]) == [b"1", b"[2]"]
    assert serde.deserializer().deserialize_column("t", [b"1", b"[2]"]) == [1, [2]]


class ByColumns(Serializer[str]):
    """Works on columns in the way of a test."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        return None if data is None else data.encode()

    def serialize_column(self, topic: str, values: Any) -> Any:
        return self.column([value.encode() for value in values])


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (list, ""),
        (lambda found: [bytearray(each) for each in found], ""),
        (iter, ""),
        (tuple, ""),
        (lambda found: found[:-1], "serialize_column() of ByColumns returned 1 items for 2 values"),
        (lambda _: None, "serialize_column() of ByColumns returned None for 2 values"),
        (lambda found: [each.decode() for each in found], "ByColumns returned a str, not bytes"),
    ],
)
def test_what_a_column_is_written_as_is_looked_at(column: Any, told: str) -> None:
    half = ByColumns(column)
    if not told:
        assert serialize_column(half, "t", ["a", "b"]) == [b"a", b"b"]
        return
    with pytest.raises(SerializationException) as caught:
        serialize_column(half, "t", ["a", "b"])
    assert caught.value.getMessage() == told


def test_a_column_that_is_read_has_a_value_for_each() -> None:
    class Short(Deserializer[str]):
        def deserialize(self, topic: str, data: bytes | None) -> str:
            return (data or b"").decode()

        def deserialize_column(self, topic: str, values: Any) -> Any:
            return [each.decode() for each in values][1:]

    with pytest.raises(SerializationException, match="returned 1 items for 2 values"):
        deserialize_column(Short(), "t", [b"a", b"b"])


def other(topic: str, data: bytes | None) -> Any:
    return data


def test_another_function_is_another_format() -> None:
    assert format_of(Serdes.serdeFrom(write, read)) != format_of(Serdes.serdeFrom(write, other))
    assert format_of(Serdes.serdeFrom(write, read)) == format_of(Serdes.serdeFrom(write, read))


STRING = Serdes.String()
HALVES = STRING.serializer(), STRING.deserializer()


@pytest.mark.parametrize(
    ("first", "second", "problem", "hint"),
    [
        (STRING, STRING, "a StringSerde is no serializer", "Give the serde's .serializer()"),
        (HALVES[0], STRING, "a StringSerde is no deserializer", "the serde's .deserializer()"),
        (HALVES[1], HALVES[0], "StringDeserializer is no serializer", "serializer comes first"),
        (type(HALVES[0]), HALVES[1], "class StringSerializer is no ser", "StringSerializer()."),
        (HALVES[0], type(HALVES[1]), "class StringDeserializer is no", "StringDeserializer()."),
        (str, HALVES[1], "the class str is no serializer", "serialize(topic, data)"),
        ("text", HALVES[1], "a str is no serializer", "serialize(topic, data)"),
        (HALVES[0], 5, "an int is no deserializer", "deserialize(topic, data)"),
    ],
)
def test_what_is_no_half_is_refused_with_what_to_write(
    first: Any, second: Any, problem: str, hint: str
) -> None:
    for make in (Serdes.serdeFrom, Serdes.WrapperSerde):
        with pytest.raises(ClassCastException) as raised:
            make(first, second)
        assert problem in raised.value.problem
        assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (STRING, "It is a serde already"),
        (Serdes.StringSerde, r"use StringSerde\(\)"),
        (dict, "use JsonSerde"),
        ("str", "use JsonSerde"),
    ],
)
def test_what_is_no_type_of_a_stock_serde_is_refused_with_what_to_write(
    given: Any, hint: str
) -> None:
    with pytest.raises(IllegalArgumentException, match=hint):
        Serdes.serdeFrom(given)


async def waits(topic: str, data: Any) -> Any:
    return data


def yields(topic: str, data: Any) -> Any:
    yield data


@pytest.mark.parametrize(("function", "kind"), [(waits, "async"), (yields, "a generator")])
def test_a_half_that_only_makes_a_coroutine_is_refused(function: Any, kind: str) -> None:
    """What it made was taken for the value, or for an error of each record."""
    text = Serdes.String()
    half = type("Half", (), {"deserialize": staticmethod(function)})()
    for given in (function, half):
        with pytest.raises(ClassCastException, match=kind):
            Serdes.serdeFrom(text.serializer(), given)
    with pytest.raises(ClassCastException, match=kind):
        Serdes.serdeFrom(function, text.deserializer())

    class Theirs:
        serializer = staticmethod(text.serializer)
        deserializer = staticmethod(lambda: half)

    theirs: Any = Theirs()

    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(text, theirs)).to("out")
    with pytest.raises(ClassCastException, match=r"deserialize\(\) of Half cannot be"):
        TopologyTestDriver(
            builder.build(), {"default.key.serde": text, "default.value.serde": text}
        )
