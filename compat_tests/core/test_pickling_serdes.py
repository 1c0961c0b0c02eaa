"""Serdes that pickle classes of a program's main file: the error of a worker says what to do."""

from __future__ import annotations

import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

from millstream import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsException,
)
from millstream.core.wording import hint_of_main
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


class Order:
    """As a worker has it: its module is the main one, which does not have it."""

    __module__ = "__main__"


PICKLED = b"c__main__\nOrder\n."
SERDE = Serdes.serdeFrom(
    lambda topic, data: None if data is None else pickle.dumps(data),
    lambda topic, data: None if data is None else pickle.loads(data),  # noqa: S301 - the test's own
)


def hint_of(builder: StreamsBuilder, value: bytes) -> str:
    """Run a topology, and return what its error says is to be done."""
    raw = Serdes.ByteArray().serializer()
    with TopologyTestDriver(builder.build()) as driver:
        with pytest.raises(StreamsException) as caught:
            driver.createInputTopic("in", TEXT.serializer(), raw).pipeInput("a", value)
        return caught.value.hint


@pytest.fixture(autouse=True)
def main_of_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


def test_a_source_that_unpickles() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, SERDE)).to("out", Produced.with_(TEXT, SERDE))
    assert "move the class to a module" in hint_of(builder, PICKLED)


def test_a_sink_that_pickles() -> None:
    builder = StreamsBuilder()
    made = builder.stream("in", Consumed.with_(TEXT, Serdes.ByteArray())).mapValues(order)
    made.to("out", Produced.with_(TEXT, SERDE))
    assert "move the class to a module" in hint_of(builder, b"")


def test_a_store_that_pickles() -> None:
    builder = StreamsBuilder()
    made = builder.stream("in", Consumed.with_(TEXT, Serdes.ByteArray())).mapValues(order)
    kept: Any = Materialized.as_("store").withKeySerde(TEXT).withValueSerde(SERDE)
    made.groupByKey(Grouped.with_(TEXT, SERDE)).reduce(lambda old, new: new, kept)
    hint = hint_of(builder, b"")
    assert "move the class to a module" in hint
    assert "processing.exception.handler" not in hint


def order(_: Any) -> Order:
    return Order()


@pytest.mark.parametrize(
    "error",
    [
        pickle.PicklingError("Can't pickle <class 'shop.Order'>: it's not found as shop.Order"),
        AttributeError("module '__main__' has no attribute 'order'"),
        ValueError("Can't pickle <class '__main__.Order'>"),
    ],
)
def test_other_errors_have_no_such_hint(error: Exception) -> None:
    assert not hint_of_main(error)


def test_errors_that_are_causes_of_each_other_have_none() -> None:
    first, second = AttributeError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert not hint_of_main(first)
