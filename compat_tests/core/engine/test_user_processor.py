"""A user's object as a processor, whatever it inherits from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest

from millstream import (
    FixedKeyProcessor,
    IllegalStateException,
    KeyValue,
    Processor,
    PunctuationType,
    Record,
    Serdes,
    StreamsBuilder,
    StreamsException,
)
from millstream.testing import TopologyTestDriver

CONFIG = {
    "application.id": "own",
    "default.key.serde": Serdes.String(),
    "default.value.serde": Serdes.String(),
}


class MakesProcessInInit:
    """Its ``process`` is an attribute that it sets when it is initialised."""

    def init(self, context: Any) -> None:
        self.process = context.forward


class HasNoProcess:
    """Lacks the one method that a processor needs."""


def results(processor: Any) -> list[Any]:
    builder = StreamsBuilder()
    builder.stream("in").process(processor).to("out")
    text = Serdes.String()
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("k", "v")
        out = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        return out.readValuesToList()


async def later(value: Any) -> Any:
    """Return nothing before it is awaited."""
    return value


class Awaits:
    """One of its methods returns what an async function returns."""

    def __init__(self, where: str) -> None:
        self._where = where

    def init(self, context: Any) -> Any:
        stream_time = PunctuationType.STREAM_TIME
        context.schedule(1, stream_time, lambda _: self.at("a punctuator"))
        return self.at("init()")

    def process(self, record: Any) -> Any:
        return self.at("process()")

    def close(self) -> Any:
        return self.at("close()")

    def at(self, place: str) -> Any:
        return later(place) if place == self._where else None


@pytest.mark.parametrize("fixed_key", [False, True])
@pytest.mark.parametrize("where", ["init()", "process()", "a punctuator", "close()"])
def test_methods_whose_work_was_not_done_are_no_success(where: str, fixed_key: bool) -> None:
    builder = StreamsBuilder()
    stream: Any = builder.stream("in")
    (stream.processValues if fixed_key else stream.process)(lambda: Awaits(where))
    text = Serdes.String()
    with (
        pytest.raises(StreamsException) as caught,
        TopologyTestDriver(builder.build(), CONFIG) as driver,
    ):
        driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("k", "v", 5)
    assert f"{where} " in str(caught.value)
    assert "returned a coroutine, of which nothing has run" in str(caught.value)


class Returns:
    """Its ``process``, or its punctuator, returns what a function makes of the record."""

    def __init__(self, make: Any, *, punctuates: bool = False) -> None:
        self._make, self._punctuates = make, punctuates

    def init(self, context: Any) -> None:
        if self._punctuates:
            record = Record("k", "v", 0)
            context.schedule(1, PunctuationType.STREAM_TIME, lambda _: self._make(record))

    def process(self, record: Any) -> Any:
        return None if self._punctuates else self._make(record)


MADE: dict[str, Any] = {
    "a Record": lambda record: record,
    "a KeyValue": lambda record: KeyValue("k", "v"),
    "a list of records": lambda record: [record],
    "a tuple of records": lambda record: (None, record),
    "a map": lambda record: map(str, [record]),
}


@pytest.mark.parametrize("punctuates", [False, True])
@pytest.mark.parametrize("what", MADE)
def test_records_that_are_returned_in_place_of_forwarded_are_no_success(
    what: str, punctuates: bool
) -> None:
    with pytest.raises(StreamsException, match=f"returned {what}, which goes nowhere") as caught:
        results(lambda: Returns(MADE[what], punctuates=punctuates))
    assert "context.forward(record)" in str(caught.value)


class ReturnsFixed(FixedKeyProcessor[str, str, str]):
    """Returns its result, as a transformer of values did."""

    def process(self, record: Any) -> Any:
        return record if record.value() == "record" else record.value().upper()


def test_a_result_of_a_fixed_key_processor_is_no_success(caplog: Any) -> None:
    builder = StreamsBuilder()
    builder.stream("in").processValues(ReturnsFixed)
    text = Serdes.String().serializer()
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        topic = driver.createInputTopic("in", text, text)
        topic.pipeValueList(["a", "b"])
        [warning] = [each.getMessage() for each in caplog.records]
        assert warning.startswith("processor=ReturnsFixed process() returned a str, which is drop")
        with pytest.raises(StreamsException, match="returned a FixedKeyRecord, which goes nowhere"):
            topic.pipeInput("k", "record")


@pytest.mark.parametrize("result", [None, [], [None, None], (None,)], ids=repr)
def test_nothing_and_several_times_nothing_may_be_returned(result: Any, caplog: Any) -> None:
    assert results(lambda: Returns(lambda record: result)) == []
    assert not caplog.records


def test_a_processor_may_make_its_process_in_init() -> None:
    assert results(MakesProcessInInit) == ["v"]


def test_an_object_without_process_is_refused_with_what_to_write() -> None:
    with pytest.raises(StreamsException) as raised:
        results(HasNoProcess)
    assert "HasNoProcess cannot be a processor: it has no method process" in str(raised.value)
    assert "Define process(self, record)" in str(raised.value)


class KeepsContext(Processor[str, str, str, str]):
    """A processor whose context a test uses when it is not being called."""

    contexts: ClassVar[list[Any]] = []

    def init(self, context: Any) -> None:
        self.contexts.append(context)

    def process(self, record: Any) -> None:
        self.contexts[-1].forward(record)


class KeepsFixedKeyContext(FixedKeyProcessor[str, str, str]):
    """The same with fixed keys."""

    init = KeepsContext.init
    process = KeepsContext.process
    contexts = KeepsContext.contexts


@pytest.mark.parametrize("fixed_key", [False, True])
def test_a_processor_that_is_not_being_called_cannot_forward_or_schedule(
    fixed_key: bool,
) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    kept = stream.processValues(KeepsFixedKeyContext) if fixed_key else stream.process(KeepsContext)
    kept.to("out")
    text = Serdes.String()
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("k", "v")
        out = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        assert out.readValuesToList() == ["v"]
        context = KeepsContext.contexts[-1]
        with pytest.raises(StreamsException, match="Current node is unknown") as raised:
            context.forward(Record("k", "w", 0))
        assert "which is not being called" in raised.value.detail
        with pytest.raises(IllegalStateException, match="schedules outside its calls"):
            context.schedule(1, PunctuationType.STREAM_TIME, print)
        with pytest.raises(StreamsException, match="Accessing from an unknown node") as raised:
            context.getStateStore("any")
        assert "Call getStateStore() in init" in raised.value.hint
        with ThreadPoolExecutor(1) as threads, pytest.raises(StreamsException):
            threads.submit(context.forward, Record("k", "w", 0)).result()
        assert out.isEmpty()
    with pytest.raises(StreamsException, match="Current node is unknown"):
        context.forward(Record("k", "w", 0))


class ForwardsLater(Processor[str, str, str, str]):
    """Forwards and schedules from its punctuator, and goes on after an error."""

    def init(self, context: Any) -> None:
        self.context = context
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, self.punctuate)

    def process(self, record: Any) -> None:
        raise ValueError(record)

    def punctuate(self, now_ms: int) -> None:
        self.context.forward(Record("k", str(now_ms), now_ms))
        self.context.schedule(1000, PunctuationType.WALL_CLOCK_TIME, print)


def test_a_punctuator_forwards_and_schedules_also_after_a_record_that_failed() -> None:
    builder = StreamsBuilder()
    builder.stream("in").process(ForwardsLater).to("out")
    text, skip = Serdes.String(), "millstream.LogAndContinueProcessingExceptionHandler"
    config = {**CONFIG, "processing.exception.handler": skip}
    with TopologyTestDriver(builder.build(), config, 0) as driver:
        driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("k", "v")
        driver.advanceWallClockTime(10)
        out = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        assert out.readValuesToList() == ["10"]


class StartsBefore1970(ForwardsLater):
    """Schedules from a time that Kafka Streams refuses."""

    def init(self, context: Any) -> None:
        context.schedule(-1, 10, PunctuationType.WALL_CLOCK_TIME, print)


def test_a_schedule_starts_at_the_epoch_at_the_earliest() -> None:
    with pytest.raises(StreamsException) as raised:
        results(StartsBefore1970)
    assert "The minimum supported start time is Instant.EPOCH." in str(raised.value)


class ForwardsInClose(KeepsContext):
    """Sends what is left when it is closed."""

    def close(self) -> None:
        self.contexts[-1].forward(Record("k", "left over", 0))


def test_what_is_forwarded_in_close_can_be_read_from_a_closed_driver() -> None:
    builder = StreamsBuilder()
    builder.stream("in").process(ForwardsInClose).to("out")
    text = Serdes.String()
    driver = TopologyTestDriver(builder.build(), CONFIG)
    driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("k", "v")
    driver.close()
    out = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
    assert out.readValuesToList() == ["v", "left over"]
