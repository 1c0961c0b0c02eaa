"""Exception handlers and dead letters; headers as Kafka Streams 4.3.1 writes them."""

from __future__ import annotations

from typing import Any

import pytest

from millstream.core.errors import TimeoutException, UnsupportedOperationException
from millstream.core.handlers import (
    DefaultProductionExceptionHandler,
    DeserializationExceptionHandler,
    ErrorHandlerContext,
    LogAndContinueExceptionHandler,
    LogAndContinueProcessingExceptionHandler,
    LogAndFailExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
    StreamsUncaughtExceptionHandler,
    dead_letter_records,
)
from millstream.core.headers import Headers
from millstream.core.kafka import ConsumerRecord, ProducerRecord
from millstream.core.records import Record

CONTEXT = ErrorHandlerContext(
    topic="in",
    partition=3,
    offset=42,
    headers=Headers().add("own", b"x"),
    processor_node_id="KSTREAM-MAP-1",
    task_id="0_3",
    timestamp=1000,
    source_raw_key=b"rk",
    source_raw_value=b"rv",
)
CONSUMED = ConsumerRecord("in", 3, 42, b"rk", b"rv")
PRODUCED = ProducerRecord("out", b"k", b"v")
FAILURE = ValueError("boom")


def test_dead_letters_tell_where_and_why() -> None:
    (record,) = dead_letter_records("dlq", b"k", b"v", CONTEXT, FAILURE)
    assert (record.topic(), record.partition(), record.timestamp()) == ("dlq", None, 1000)
    assert (record.key(), record.value()) == (b"k", b"v")
    headers = [(header.key(), header.value()) for header in record.headers()]
    stacktrace = headers.pop(3)
    assert headers == [
        ("own", b"x"),
        ("__streams.errors.exception", b"ValueError"),
        ("__streams.errors.message", b"boom"),
        ("__streams.errors.topic", b"in"),
        ("__streams.errors.partition", b"3"),
        ("__streams.errors.offset", b"42"),
    ]
    assert stacktrace == ("__streams.errors.stacktrace", b"ValueError: boom\n")
    assert len(CONTEXT.headers()) == 1


def test_a_dead_letter_without_message_or_source_has_null_headers() -> None:
    context = ErrorHandlerContext(
        topic=None, partition=-1, offset=-1, processor_node_id="p", task_id="0_0", timestamp=5
    )
    (record,) = dead_letter_records("dlq", None, None, context, ValueError())
    headers = {header.key().rpartition(".")[2]: header.value() for header in record.headers()}
    assert headers["message"] is None
    assert headers["topic"] is None
    assert (headers["partition"], headers["offset"]) == (b"-1", b"-1")


def test_there_is_no_dead_letter_without_a_topic() -> None:
    assert dead_letter_records(None, b"k", b"v", CONTEXT, FAILURE) == []


@pytest.mark.parametrize(
    ("kind", "record", "result"),
    [
        (LogAndFailExceptionHandler, CONSUMED, "FAIL"),
        (LogAndContinueExceptionHandler, CONSUMED, "RESUME"),
        (LogAndFailProcessingExceptionHandler, Record("k", "v", 0), "FAIL"),
        (LogAndContinueProcessingExceptionHandler, None, "RESUME"),
        (DefaultProductionExceptionHandler, PRODUCED, "FAIL"),
    ],
)
def test_stock_handlers(kind: Any, record: Any, result: Any) -> None:
    handler = kind()
    handler.configure({"errors.dead.letter.queue.topic.name": "dlq"})
    response = handler.handleError(CONTEXT, record, FAILURE)
    assert response.result() is kind.Result[result]
    assert [(r.topic(), r.key(), r.value()) for r in response.deadLetterQueueRecords()] == [
        ("dlq", b"rk", b"rv")
    ]
    assert kind().handleError(CONTEXT, record, FAILURE).deadLetterQueueRecords() == []


def test_the_default_production_handler_retries_what_may_succeed() -> None:
    handler = DefaultProductionExceptionHandler()
    response = handler.handleError(CONTEXT, PRODUCED, TimeoutException("late"))
    assert response.result() is ProductionExceptionHandler.Result.RETRY
    origin = ProductionExceptionHandler.SerializationExceptionOrigin.KEY
    response = handler.handleSerializationError(CONTEXT, PRODUCED, FAILURE, origin)
    assert response.result() is ProductionExceptionHandler.Result.FAIL


@pytest.mark.parametrize(
    "kind",
    [
        DeserializationExceptionHandler,
        ProcessingExceptionHandler,
        ProductionExceptionHandler,
    ],
)
def test_a_handler_that_says_nothing_is_an_error(kind: Any) -> None:
    with pytest.raises(UnsupportedOperationException, match="does not say what to do"):
        kind().handleError(CONTEXT, None, FAILURE)


def test_failures_to_serialize_stop_unless_a_handler_says_otherwise() -> None:
    response = ProductionExceptionHandler().handleSerializationError(
        CONTEXT, PRODUCED, FAILURE, ProductionExceptionHandler.SerializationExceptionOrigin.VALUE
    )
    assert response == ProductionExceptionHandler.Response.fail()


class Old(DeserializationExceptionHandler):
    def handle(self, context: Any, record: Any, exception: Any) -> Any:
        return self.DeserializationHandlerResponse.CONTINUE


class OldProduction(ProductionExceptionHandler):
    def handle(self, context: Any, record: Any, exception: Any) -> Any:
        return self.ProductionExceptionHandlerResponse.RETRY


def test_handlers_of_before_kafka_4_2_still_work() -> None:
    assert Old().handleError(CONTEXT, CONSUMED, FAILURE).result() is Old.Result.RESUME
    retried = OldProduction().handleError(CONTEXT, PRODUCED, FAILURE)
    assert retried == ProductionExceptionHandler.Response.retry()


def test_ids_are_kafkas() -> None:
    assert [r.value for r in ProductionExceptionHandler.Result] == [0, 1, 2]
    responses = StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse
    assert {r.name: r.value for r in responses} == {
        "REPLACE_THREAD": 0,
        "SHUTDOWN_CLIENT": 1,
        "SHUTDOWN_APPLICATION": 2,
    }
