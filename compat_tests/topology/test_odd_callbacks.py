"""Users' code that would do nothing, or that fails without a word: it is told what and where."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any, cast

import numpy as np
import pytest

from millstream import (
    ClassCastException,
    Consumed,
    FixedKeyProcessor,
    Headers,
    Processor,
    Produced,
    PunctuationType,
    Record,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    TimestampExtractor,
    Topology,
)
from millstream.core.errors import MillstreamError
from millstream.core.wording import said
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
READ = Consumed.with_(TEXT, TEXT)


def drive(topology: Topology) -> list[Any]:
    """Pipe one record in; return the times of what comes out."""
    with TopologyTestDriver(topology) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "x", 5)
        read = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        return [record.timestamp() for record in read.readRecordsToList()]


def processing(make: Callable[[], Any]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", READ).process(make).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


class Quiet(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        pass


def yields(time: int) -> Iterator[int]:
    yield time


async def waits(time: int) -> None:
    pass


class Punctuator:
    def punctuate(self, timestamp: int) -> Iterator[int]:
        yield timestamp


@pytest.mark.parametrize("callback", [yields, waits, Punctuator()])
def test_a_punctuator_that_would_do_nothing_is_refused(callback: Any) -> None:
    class Schedules(Quiet):
        def init(self, context: Any) -> None:
            context.schedule(10, PunctuationType.STREAM_TIME, callback)

    with pytest.raises(StreamsException, match="a punctuator cannot be an? (generator|async)"):
        drive(processing(Schedules))


class AsyncInit(Quiet):
    async def init(self, context: Any) -> None:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        pass


class YieldingClose(Quiet):
    def close(self) -> Iterator[int]:  # type: ignore[override]
        yield 1


@pytest.mark.parametrize(("kind", "method"), [(AsyncInit, "init"), (YieldingClose, "close")])
def test_a_method_of_a_processor_that_would_do_nothing_is_refused(kind: Any, method: str) -> None:
    with pytest.raises(ClassCastException, match=rf"the method {method}\(\) of a processor"):
        processing(kind)


class Keeps(FixedKeyProcessor[Any, Any, Any]):
    """Forwards records of its own making, and one of a punctuator."""

    key = "a"

    def init(self, context: Any) -> None:
        self.forward = context.forward
        context.schedule(1, PunctuationType.STREAM_TIME, self.tick)

    def tick(self, time: int) -> None:
        self.forward(Record("tick", "x", time))

    def process(self, record: Any) -> None:
        self.forward(Record(self.key, "y", 6))


class Moves(Keeps):
    key = "b"


def fixed(kind: type[Any]) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", READ).processValues(kind).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def test_a_fixed_key_processor_cannot_forward_another_key() -> None:
    assert drive(fixed(Keeps)) == [6, 5]
    with pytest.raises(StreamsException, match="given \"?'a'\"?, and forwards") as caught:
        drive(fixed(Moves))
    assert "use process() in place of processValues()" in str(caught.value)


class Shy:
    """A key that does not say whether it equals another one, as a NumPy array."""

    def __ne__(self, other: object) -> bool:
        raise ValueError("ambiguous")


class Copies(Keeps):
    def process(self, record: Any) -> None:
        self.forward(Record(Shy(), "copied", 6))


def test_keys_that_do_not_tell_whether_they_are_equal_are_let_through() -> None:
    seen: list[Any] = []
    builder = StreamsBuilder()
    shy = builder.stream("in", READ).selectKey(lambda key, value: Shy())
    shy.processValues(Copies).foreach(lambda key, value: seen.append(value))
    drive(builder.build())
    assert "copied" in seen


@pytest.mark.parametrize("value", ["text", 5, ["b"]], ids=repr)
def test_the_value_of_a_header_is_bytes(value: Any) -> None:
    with pytest.raises(ClassCastException, match="the value of header 'h' cannot be"):
        Headers().add("h", value)


def test_a_header_keeps_what_it_was_given() -> None:
    buffer = bytearray(b"one")
    headers = Headers().add("h", cast(Any, buffer)).add("n", None)
    buffer[:] = b"two"
    assert headers.lastHeader("h").value() == b"one"
    assert headers.lastHeader("n").value() is None


@pytest.mark.parametrize("plain", [False, True], ids=["a builder", "a string"])
def test_a_supplier_brings_its_stores_in_a_collection(plain: bool) -> None:
    class Brings:
        def get(self) -> Any:
            return Quiet()

        def stores(self) -> Any:
            made = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, TEXT)
            return "s" if plain else made

    brings: Any = Brings()
    builder = StreamsBuilder()
    builder.stream("in", READ).process(brings)
    with pytest.raises(MillstreamError, match=r"stores\(\) .* has returned|storeBuilder cannot be"):
        builder.build()


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_an_error_whose_text_fails_is_told_with_its_place() -> None:
    def refuse(value: str) -> str:
        raise Speechless

    builder = StreamsBuilder()
    builder.stream("in", READ).mapValues(refuse).to("out", Produced.with_(TEXT, TEXT))
    with pytest.raises(StreamsException) as caught:
        drive(builder.build())
    assert "in-0 at offset 0" in str(caught.value)
    assert "Speechless (its __str__ raised RuntimeError)" in str(caught.value)


def test_an_error_without_text_is_its_type() -> None:
    assert said(AssertionError()) == "AssertionError"


def extracting(extract: Any) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", READ.withTimestampExtractor(extract)).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


TIMES = [7, 7.9, np.int64(7), np.float64(7.1), datetime.fromtimestamp(0.007, timezone.utc)]


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_an_extracted_time_may_be_any_number(time: Any) -> None:
    assert drive(extracting(lambda record, before: time)) == [7]


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_a_records_time_may_be_any_number(time: Any) -> None:
    record = Record("a", "x", time)
    assert (record.timestamp(), type(record.timestamp())) == (7, int)
    assert Record("a", "x", 0).withTimestamp(time) == record


@pytest.mark.parametrize("time", [None, "7", math.nan, math.inf, 2**63, datetime(2020, 1, 1)])
def test_another_extracted_time_is_told_with_its_place(time: Any) -> None:
    with pytest.raises(StreamsException, match="the timestamp extractor of source") as caught:
        drive(extracting(lambda record, before: time))
    text = str(caught.value)
    assert "in-0 at offset 0" in text
    assert 'parameter "extracted time"' in text
    assert "test_odd_callbacks.py" in text


def test_a_negative_time_is_told() -> None:
    class Back(Quiet):
        def init(self, context: Any) -> None:
            self.forward = context.forward

        def process(self, record: Record[Any, Any]) -> None:
            self.forward(record.withTimestamp(-5))

    with pytest.raises(StreamsException, match="Its timestamp is -5"):
        drive(processing(Back))


def test_an_extractors_class_is_answered_with_its_parentheses() -> None:
    class Extracts(TimestampExtractor):
        def extract(self, record: Any, partitionTime: int) -> int:
            return 0

    with pytest.raises(ClassCastException) as caught:
        Consumed.with_(Extracts)  # type: ignore[arg-type]
    assert caught.value.hint == "Write Extracts(), with parentheses."


@pytest.mark.parametrize(
    ("supplier", "problem"),
    [
        (5, "the supplier of transformValues\\(\\) is an int"),
        (lambda key, value: value, "transformValues\\(\\) cannot be called with \\(\\)"),
        (lambda: None, "a NoneType cannot be a value transformer"),
        (lambda: str.upper, "cannot be a value transformer: it has no method transform"),
    ],
)
def test_what_makes_no_value_transformer_is_refused(supplier: Any, problem: str) -> None:
    def transform() -> list[Any]:
        builder = StreamsBuilder()
        table = builder.table("in", READ).transformValues(supplier)
        table.toStream().to("out", Produced.with_(TEXT, TEXT))
        return drive(builder.build({"default.key.serde": TEXT, "default.value.serde": TEXT}))

    with pytest.raises(MillstreamError, match=problem) as caught:
        transform()
    assert "  hint: " in str(caught.value)
