"""Callables as objects with the interface's method."""

import inspect

import pytest

from millstream import (
    ClassCastException,
    KeyValueMapper,
    NullPointerException,
    Predicate,
    StreamsBuilder,
    StringDeserializer,
    StringSerde,
    StringSerializer,
    TopologyTestDriver,
    ValueMapper,
)


def test_code_may_call_the_method_and_the_operators_take_the_object() -> None:
    mapper = ValueMapper.of(lambda value: value.upper())
    long = Predicate.of(lambda key, value: len(value) > 1)
    builder = StreamsBuilder()
    builder.stream("in").filter(long).mapValues(mapper).to("out")
    serdes = {"default.key.serde": StringSerde, "default.value.serde": StringSerde}
    with TopologyTestDriver(builder.build(), serdes) as driver:
        source = driver.createInputTopic("in", StringSerializer(), StringSerializer())
        for value in ("a", "bc"):
            source.pipeInput("k", value)
        sink = driver.createOutputTopic("out", StringDeserializer(), StringDeserializer())
        assert sink.readValuesToList() == ["BC"]
    assert mapper.apply("x") == mapper("x") == "X"
    assert long.test("k", "x") is False


def test_the_parameters_are_those_of_the_callable() -> None:
    mapper = KeyValueMapper.of(lambda key, value: key)
    assert list(inspect.signature(mapper).parameters) == ["key", "value"]
    builder = StreamsBuilder()
    with pytest.raises(ClassCastException):
        builder.stream("in").mapValues(ValueMapper.of(lambda: 1))


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(ClassCastException, match="ValueMapper cannot be a str"):
        ValueMapper.of("upper")  # type: ignore[arg-type]
    with pytest.raises(NullPointerException):
        ValueMapper.of(None)  # type: ignore[arg-type]
