"""The exception handlers that Kafka Streams ships."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from millstream.core.errors import RetriableException
from millstream.core.handlers.context import ErrorHandlerContext
from millstream.core.handlers.dead_letters import dead_letter_records
from millstream.core.handlers.interfaces import (
    DeserializationExceptionHandler,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
    ProductionResponse,
    Response,
    SerializationExceptionOrigin,
)
from millstream.core.kafka import ConsumerRecord, ProducerRecord
from millstream.core.records import Record

log = logging.getLogger(__name__)

DEAD_LETTER_TOPIC_KEY = "errors.dead.letter.queue.topic.name"


class _WithDeadLetters:
    def __init__(self) -> None:
        self._dead_letter_topic: str | None = None

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take the dead letter queue's topic from ``errors.dead.letter.queue.topic.name``."""
        self._dead_letter_topic = configs.get(DEAD_LETTER_TOPIC_KEY)

    def _dead_letters(
        self, context: ErrorHandlerContext, exception: Exception
    ) -> list[ProducerRecord[Any, Any]]:
        return dead_letter_records(
            self._dead_letter_topic,
            context.sourceRawKey(),
            context.sourceRawValue(),
            context,
            exception,
        )


class LogAndFailExceptionHandler(_WithDeadLetters, DeserializationExceptionHandler):
    """Stops at a record that a deserializer refuses; the default."""

    def handleError(
        self,
        context: ErrorHandlerContext,
        record: ConsumerRecord[Any, Any],
        exception: Exception,
    ) -> Response:
        """Log the record's place and fail."""
        _log(logging.ERROR, "deserialization failed", context, exception)
        return Response.fail(self._dead_letters(context, exception))


class LogAndContinueExceptionHandler(_WithDeadLetters, DeserializationExceptionHandler):
    """Drops records that a deserializer refuses."""

    def handleError(
        self,
        context: ErrorHandlerContext,
        record: ConsumerRecord[Any, Any],
        exception: Exception,
    ) -> Response:
        """Log the record's place and go on."""
        _log(logging.WARNING, "deserialization failed, record dropped", context, exception)
        return Response.resume(self._dead_letters(context, exception))


class LogAndFailProcessingExceptionHandler(_WithDeadLetters, ProcessingExceptionHandler):
    """Stops at a record on which an operator raises; the default."""

    def handleError(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        """Log the record's place and fail."""
        _log(logging.ERROR, "processing failed", context, exception)
        return Response.fail(self._dead_letters(context, exception))


class LogAndContinueProcessingExceptionHandler(_WithDeadLetters, ProcessingExceptionHandler):
    """Drops the rest of an operator's work on a record when it raises."""

    def handleError(
        self, context: ErrorHandlerContext, record: Record[Any, Any] | None, exception: Exception
    ) -> Response:
        """Log the record's place and go on."""
        _log(logging.WARNING, "processing failed, record dropped", context, exception)
        return Response.resume(self._dead_letters(context, exception))


class DefaultProductionExceptionHandler(_WithDeadLetters, ProductionExceptionHandler):
    """Sends again what may succeed, and stops at anything else; the default."""

    def handleError(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord[Any, Any],
        exception: Exception,
    ) -> ProductionResponse:
        """Retry a ``RetriableException``, fail otherwise."""
        if isinstance(exception, RetriableException):
            return ProductionResponse.retry()
        return ProductionResponse.fail(self._dead_letters(context, exception))

    def handleSerializationError(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord[Any, Any],
        exception: Exception,
        origin: SerializationExceptionOrigin,
    ) -> ProductionResponse:
        """Fail."""
        return ProductionResponse.fail(self._dead_letters(context, exception))


def _log(level: int, what: str, context: ErrorHandlerContext, exception: Exception) -> None:
    log.log(
        level,
        "%s task=%s operator=%s topic=%s partition=%d offset=%d",
        what,
        context.taskId(),
        context.processorNodeId(),
        context.topic(),
        context.partition(),
        context.offset(),
        exc_info=exception,
    )
