"""Exception handlers that inherit nothing, and handlers that stand at the wrong key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ConfigException,
    Consumed,
    DeserializationExceptionHandler,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    ProcessingExceptionHandler,
    Produced,
    ProductionExceptionHandler,
    Serdes,
    StreamsBuilder,
    StreamsException,
    Topology,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


def refuse(*_: Any) -> Any:
    raise ValueError("of the user")


UNREADABLE = Serdes.serdeFrom(lambda topic, data: data, refuse)
UNWRITABLE = Serdes.serdeFrom(refuse, lambda topic, data: data)


def unreadable() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, UNREADABLE)).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def failing() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT)).mapValues(refuse)
    stream.to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def unwritable() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT))
    stream.to("out", Produced.with_(TEXT, UNWRITABLE))
    return builder.build()


def drive(topology: Topology, entries: dict[str, Any]) -> float:
    """Pipe one record in; return how many were dropped."""
    with TopologyTestDriver(topology, entries) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "x")
        found = {name.name(): each.metricValue() for name, each in driver.metrics().items()}
        return float(found["dropped-records-total"])


class Reads:
    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        return DeserializationExceptionHandler.DeserializationHandlerResponse.CONTINUE


class Processes:
    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        return ProcessingExceptionHandler.ProcessingHandlerResponse.CONTINUE


class Writes:
    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        return ProductionExceptionHandler.ProductionExceptionHandlerResponse.CONTINUE

    def handleSerializationException(
        self, context: Any, record: Any, exception: Exception, origin: Any
    ) -> Any:
        return ProductionExceptionHandler.ProductionExceptionHandlerResponse.CONTINUE


class WritesNew:
    def handleError(self, context: Any, record: Any, exception: Exception) -> Any:
        return ProductionExceptionHandler.Response.resume()


READS, PROCESSES = "deserialization.exception.handler", "processing.exception.handler"
WRITES = "production.exception.handler"


@pytest.mark.parametrize("as_class", [True, False], ids=["class", "object"])
@pytest.mark.parametrize(
    ("topology", "key", "kind"),
    [(unreadable, READS, Reads), (failing, PROCESSES, Processes), (unwritable, WRITES, Writes)],
)
def test_the_methods_of_before_kafka_4_2_are_enough(
    topology: Callable[[], Topology], key: str, kind: type[Any], as_class: bool
) -> None:
    assert drive(topology(), {key: kind if as_class else kind()}) == 1


def test_a_method_that_is_not_there_decides_as_the_interface_does() -> None:
    with pytest.raises(StreamsException, match="cannot serialize the value") as caught:
        drive(unwritable(), {WRITES: WritesNew})
    assert isinstance(caught.value.__cause__, ValueError)


def test_an_answer_of_another_kind_names_the_users_class() -> None:
    with pytest.raises(StreamsException, match="Invalid response: WritesNew returned"):
        drive(failing(), {PROCESSES: WritesNew})


@pytest.mark.parametrize(
    ("key", "handler"),
    [
        (READS, LogAndContinueProcessingExceptionHandler),
        (PROCESSES, LogAndContinueExceptionHandler),
        (WRITES, LogAndContinueExceptionHandler()),
    ],
)
def test_a_handler_of_other_errors_is_refused_before_the_first_one(key: str, handler: Any) -> None:
    with pytest.raises(ConfigException, match="it is not an instance of"):
        TopologyTestDriver(failing(), {key: handler})
