"""Exception handlers that answer nothing, or what is no answer, end with an error that says so."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    DeserializationExceptionHandler,
    NullPointerException,
    ProcessingExceptionHandler,
    ProducerRecord,
    ProductionExceptionHandler,
    Record,
    Serdes,
    Serializer,
    StreamsBuilder,
    StreamsException,
)
from millstream.testing import TestRecord, TopologyTestDriver

TEXT, LONG = Serdes.String(), Serdes.Long()
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}


class Refusing(Serializer[str]):
    def serialize(self, topic: str, data: str | None, /) -> bytes | None:
        raise RuntimeError("refused")


class Serializing(ProductionExceptionHandler):
    """Asks a function about what a serializer refused."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def handleSerializationError(self, *asked: Any) -> Any:
        return self.function(*asked)


def fail(value: str) -> str:
    raise RuntimeError(value)


def pipe(key: str, handler: Any) -> list[Any]:
    """Have a handler asked: what it drops does not come out."""
    builder = StreamsBuilder()
    stream = builder.stream("in")
    if key == "processing":
        stream = stream.mapValues(fail)
    stream.to("out")
    serde = Serdes.serdeFrom(Refusing(), TEXT.deserializer()) if key == "production" else TEXT
    values = LONG if key == "deserialization" else serde
    if key == "production" and not isinstance(handler, type):
        handler = Serializing(handler)
    entries = CONFIG | {"default.value.serde": values, f"{key}.exception.handler": handler}
    with TopologyTestDriver(builder.build(), entries, 0) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("k", "v")
        reader = TEXT.deserializer()
        return driver.createOutputTopic("out", reader, reader).readRecordsToList()


def roots(error: BaseException | None) -> list[type]:
    found = []
    while error is not None:
        found.append(type(error))
        error = error.__cause__
    return found


RESPONSES: dict[str, Any] = {
    "deserialization": DeserializationExceptionHandler.Response,
    "processing": ProcessingExceptionHandler.Response,
    "production": ProductionExceptionHandler.Response,
}


@pytest.mark.parametrize("key", RESPONSES)
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (None, NullPointerException),
        ("RESUME", ClassCastException),
        (True, ClassCastException),
        (ProcessingExceptionHandler.Result.RESUME, ClassCastException),
        (ProcessingExceptionHandler.Response, ClassCastException),
    ],
)
def test_what_is_no_answer_is_refused(key: str, answer: Any, error: type) -> None:
    with pytest.raises(StreamsException) as caught:
        pipe(key, lambda *asked: answer)
    assert error in roots(caught.value)
    assert AttributeError not in roots(caught.value)


@pytest.mark.parametrize("key", RESPONSES)
@pytest.mark.parametrize("answer", [None, "CONTINUE", False])
def test_handlers_of_the_old_form_are_judged_too(key: str, answer: Any) -> None:
    kinds: dict[str, Any] = {
        "deserialization": DeserializationExceptionHandler,
        "processing": ProcessingExceptionHandler,
        "production": ProductionExceptionHandler,
    }

    def handle(self: Any, *asked: Any) -> Any:
        return answer

    methods = {"handle": handle, "handleSerializationException": handle}
    Old = type("Old", (kinds[key],), methods)
    with pytest.raises(StreamsException) as caught:
        pipe(key, Old)
    assert AttributeError not in roots(caught.value)


@pytest.mark.parametrize("key", RESPONSES)
@pytest.mark.parametrize(
    "letter",
    ["text", ("topic", b"key"), ProducerRecord("dead", "key", "value"), Record("k", b"v", 0)],
)
def test_a_dead_letter_that_cannot_be_sent_is_refused(key: str, letter: Any) -> None:
    with pytest.raises(StreamsException) as caught:
        pipe(key, lambda *asked: RESPONSES[key].resume([letter]))
    assert ClassCastException in roots(caught.value)


@pytest.mark.parametrize("key", RESPONSES)
def test_a_handler_that_raises_ends_it_with_its_own_error(key: str) -> None:
    def raising(*asked: Any) -> Any:
        raise LookupError("the handler's own")

    with pytest.raises(StreamsException) as caught:
        pipe(key, raising)
    assert LookupError in roots(caught.value)


@pytest.mark.parametrize("key", RESPONSES)
def test_a_right_answer_is_obeyed(key: str) -> None:
    assert pipe(key, lambda *asked: RESPONSES[key].resume()) == []
    with pytest.raises(StreamsException) as caught:
        pipe(key, lambda *asked: RESPONSES[key].fail())
    assert len(roots(caught.value)) > 1


def test_to_serialize_again_what_was_refused_is_to_fail() -> None:
    with pytest.raises(StreamsException, match="cannot serialize"):
        pipe("production", lambda *asked: ProductionExceptionHandler.Response.retry())


@pytest.mark.parametrize("result", ["RESUME", 0, LONG, logging.INFO])
def test_a_response_needs_a_result(result: Any) -> None:
    with pytest.raises(ClassCastException, match="no result of a handler"):
        ProcessingExceptionHandler.Response(result)


def dropped_lines(caplog: Any) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]


def test_a_dropped_record_is_logged_once_and_with_its_own_place(caplog: Any) -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    handlers: list[Any] = [
        "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler",
        lambda *asked: DeserializationExceptionHandler.Response.resume(),
    ]
    for handler in handlers:
        caplog.clear()
        entries = {"deserialization.exception.handler": handler, "default.key.serde": TEXT}
        with TopologyTestDriver(builder.build(), entries | {"default.value.serde": LONG}) as driver:
            source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
            source.pipeValueList(["12345678", "short", "12345678", "1"])
        lines = dropped_lines(caplog)
        assert [line.split("offset=")[1] for line in lines] == ["1", "3"]
        assert all("topic=in partition=0" in line for line in lines)


def test_a_record_with_a_bad_time_is_logged_with_its_own_place(caplog: Any) -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    entries = CONFIG | {"default.timestamp.extractor": lambda record, time: int(record.value())}
    with TopologyTestDriver(builder.build(), entries) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        source.pipeValueList(["5", "-1"])
    (line,) = dropped_lines(caplog)
    assert line.endswith("topic=in partition=0 offset=1")


def test_a_failed_flush_names_the_cached_record() -> None:
    builder = StreamsBuilder()
    counts = builder.stream("in").groupByKey().count()
    counts.toStream().mapValues(lambda value: fail("below the cache")).to("out")
    builder.stream("other").to("copy")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        other = driver.createInputTopic("other", TEXT.serializer(), TEXT.serializer())
        other.pipeValueList(["1", "2", "3"])
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(StreamsException, match="in-0 at offset 0"):
            source.pipeInput(TestRecord("k", "v", 7))


def test_a_single_dead_letter_is_given_in_a_list() -> None:
    letter: Any = ProducerRecord("dlq", b"k", b"v")
    for response in RESPONSES.values():
        with pytest.raises(ClassCastException, match="cannot be a ProducerRecord") as caught:
            response.resume(letter)
        assert "Give a list" in caught.value.hint
        assert response.resume((letter,)).deadLetterQueueRecords() == [letter]


def test_the_hint_is_not_to_set_the_handler_that_failed() -> None:
    class Failing(ProcessingExceptionHandler):
        def handleError(self, *asked: Any) -> Any:
            raise KeyError("handler")

    with pytest.raises(StreamsException) as caught:
        pipe("processing", Failing())
    assert isinstance(caught.value.__cause__, KeyError)
    assert "The handler itself, Failing, failed" in caught.value.hint
    assert "Set processing.exception.handler" not in str(caught.value)


def test_the_hint_of_a_production_handler_that_failed_is_not_to_set_another_one() -> None:
    def failing(*asked: Any) -> Any:
        raise KeyError("handler")

    with pytest.raises(StreamsException) as caught:
        pipe("production", failing)
    assert "The handler itself, Serializing, failed" in caught.value.hint
    assert "Set processing.exception.handler" not in str(caught.value)


@pytest.mark.parametrize("key", RESPONSES)
def test_the_error_of_a_handler_that_failed_tells_what_it_was_asked_about(key: str) -> None:
    def failing(*asked: Any) -> Any:
        raise KeyError("handler's own")

    with pytest.raises(StreamsException) as caught:
        pipe(key, failing)
    assert caught.value.getMessage() == f"Fatal user code error in {key} error callback"
    assert {KeyError} < set(roots(caught.value))
    asked_about = {"deserialization": "SerializationException", "processing": "RuntimeError"}
    first, _, own = caught.value.detail.partition("; the handler: ")
    assert asked_about.get(key, "refused") in first
    assert "handler's own" in own
