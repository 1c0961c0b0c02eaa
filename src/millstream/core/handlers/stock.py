"""The exception handlers that Kafka Streams ships."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar

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
from millstream.core.kafka import ProducerRecord

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


class _Logging(_WithDeadLetters):
    _what: ClassVar[str]
    _fails: ClassVar[bool]

    def handleError(
        self, context: ErrorHandlerContext, record: Any, exception: Exception
    ) -> Response:
        """Log task, operator, topic, partition and offset; then fail, or drop the record."""
        log.log(
            logging.ERROR if self._fails else logging.WARNING,
            "%s task=%s operator=%s topic=%s partition=%d offset=%d",
            self._what if self._fails else f"{self._what}, record dropped",
            context.taskId(),
            context.processorNodeId(),
            context.topic(),
            context.partition(),
            context.offset(),
            exc_info=exception,
        )
        respond = Response.fail if self._fails else Response.resume
        return respond(self._dead_letters(context, exception))


class LogAndFailExceptionHandler(_Logging, DeserializationExceptionHandler):
    """Stops at a record that a deserializer refuses; the default."""

    _what, _fails = "deserialization failed", True


class LogAndContinueExceptionHandler(_Logging, DeserializationExceptionHandler):
    """Drops records that a deserializer refuses."""

    _what, _fails = "deserialization failed", False


class LogAndFailProcessingExceptionHandler(_Logging, ProcessingExceptionHandler):
    """Stops at a record on which an operator raises; the default."""

    _what, _fails = "processing failed", True


class LogAndContinueProcessingExceptionHandler(_Logging, ProcessingExceptionHandler):
    """Drops the rest of an operator's work on a record when it raises."""

    _what, _fails = "processing failed", False


class DefaultProductionExceptionHandler(_WithDeadLetters, ProductionExceptionHandler):
    """Sends a record again after a ``RetriableException``, stops at other errors; the default."""

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
