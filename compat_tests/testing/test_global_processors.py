"""What the processor of a global store, and a handler asked for it, are told: as in Kafka."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    LogAndContinueProcessingExceptionHandler,
    ProcessingExceptionHandler,
    Processor,
    PunctuationType,
    Serdes,
    Stores,
    TaskId,
    Topology,
)
from millstream.core.errors import UnsupportedOperationException
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
TOLD: list[Any] = []


class Note(ProcessingExceptionHandler):
    def handleError(self, context: Any, record: Any, exception: Exception) -> Any:
        raw = context.sourceRawKey(), context.sourceRawValue()
        TOLD.append((context.taskId(), context.topic(), context.offset(), *raw))
        return ProcessingExceptionHandler.Response.resume()


class Fill(Processor[str, str, None, None]):
    def init(self, context: Any) -> None:
        self.context = context
        TOLD.append(context.taskId())
        assert context.recordMetadata() is None

    def process(self, record: Any) -> None:
        match record.value():
            case "schedule":
                self.context.schedule(5, PunctuationType.STREAM_TIME, print)
            case "time":
                self.context.currentStreamTimeMs()
            case "forward":
                self.context.forward(record)
                self.context.forward(record, "child")
            case _:
                raise ArithmeticError("boom")


def pipe(value: str, handler: Any) -> None:
    TOLD.clear()
    supplier = Stores.inMemoryKeyValueStore("global")
    store = Stores.keyValueStoreBuilder(supplier, TEXT, TEXT).withLoggingDisabled()
    topology = Topology().addSource("source", "in").addSink("sink", "out", "source")
    topology.addGlobalStore(
        store, "globals", TEXT.deserializer(), TEXT.deserializer(), "topic", "fill", Fill
    )
    config = {
        "default.key.serde": TEXT,
        "default.value.serde": TEXT,
        "processing.exception.handler": handler,
        "processing.exception.handler.global.enabled": handler is Note,
    }
    with TopologyTestDriver(topology, config) as driver:
        topic = driver.createInputTopic("topic", TEXT.serializer(), TEXT.serializer())
        topic.pipeInput("a", value)


def test_a_global_processor_and_its_handler_know_no_task_and_no_raw_bytes() -> None:
    pipe("bad", Note)
    assert [TaskId(-1, -1), (TaskId(-1, -1), "topic", 0, None, None)] == TOLD
    assert TaskId.parse("-1_-1") == TaskId(-1, -1)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("schedule", "schedule\\(\\) not supported in global processor context"),
        ("forward", "forward\\(\\) not supported in global processor context"),
        ("time", "There is no concept of stream-time for a global processor"),
    ],
)
def test_a_global_processor_has_no_schedules_children_and_stream_time(
    value: str, words: str
) -> None:
    with pytest.raises(UnsupportedOperationException, match=words):
        pipe(value, LogAndContinueProcessingExceptionHandler)
