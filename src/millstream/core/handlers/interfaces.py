"""Interfaces of exception handlers that a user may write."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, ClassVar

from millstream.core.errors import ClassCastException, UnsupportedOperationException
from millstream.core.handlers.context import AnyResponse, ErrorHandlerContext
from millstream.core.kafka import ConsumerRecord, ProducerRecord
from millstream.core.records import Record


class Result(enum.Enum):
    """What to do after a failure; values are Kafka's ids."""

    RESUME = 0
    FAIL = 1


class ProductionResult(enum.Enum):
    """What to do after a failure to send; values are Kafka's ids."""

    RESUME = 0
    FAIL = 1
    RETRY = 2


class HandlerResponse(enum.Enum):
    """What handlers answered before Kafka 4.2; values are Kafka's ids."""

    CONTINUE = 0
    FAIL = 1


class ProductionHandlerResponse(enum.Enum):
    """What handlers of failures to send answered before Kafka 4.2; values are Kafka's ids."""

    CONTINUE = 0
    FAIL = 1
    RETRY = 2


class SerializationExceptionOrigin(enum.Enum):
    """Which half of a record could not be serialized."""

    KEY = 0
    VALUE = 1


class StreamThreadExceptionResponse(enum.Enum):
    """What to do after a failure that nothing else handled; values are Kafka's ids."""

    REPLACE_THREAD = 0
    SHUTDOWN_CLIENT = 1
    SHUTDOWN_APPLICATION = 2


class Response(AnyResponse[Result]):
    """The answer to a failure: go on without the record, or stop."""

    __slots__ = ()
    results = Result


class ProductionResponse(AnyResponse[ProductionResult]):
    """The answer to a failure to send: go on without the record, stop, or try again."""

    __slots__ = ()
    results = ProductionResult

    @classmethod
    def retry(cls) -> ProductionResponse:
        """Return the answer that sends the record again."""
        return cls(ProductionResult.RETRY)


Origin = SerializationExceptionOrigin
ThreadResponse = StreamThreadExceptionResponse


class _Handler:
    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take what is needed from the configuration; called once, before anything fails."""


class DeserializationExceptionHandler(_Handler):
    """Decides about records that a deserializer refuses. Write ``handleError``.

    Source: ``errors.DeserializationExceptionHandler``.
    """

    Result: ClassVar = Result
    Response: ClassVar = Response
    DeserializationHandlerResponse: ClassVar = HandlerResponse

    def handleError(
        self,
        context: ErrorHandlerContext,
        record: ConsumerRecord[Any, Any],
        exception: Exception,
    ) -> AnyResponse[Any]:
        """Return what to do; ``record`` holds the bytes as they were read."""
        answer: AnyResponse[Any] = _answer(Response, self.handle(context, record, exception))
        return answer

    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        """Return CONTINUE or FAIL: the form of before Kafka 4.2."""
        raise _not_written(self)


class ProcessingExceptionHandler(_Handler):
    """Decides about records on which an operator raises. Write ``handleError``.

    Source: ``errors.ProcessingExceptionHandler`` (KIP-1033).
    """

    Result: ClassVar = Result
    Response: ClassVar = Response
    ProcessingHandlerResponse: ClassVar = HandlerResponse

    def handleError(
        self,
        context: ErrorHandlerContext,
        record: Record[Any, Any] | None,
        exception: Exception,
    ) -> AnyResponse[Any]:
        """Return what to do; ``record`` is what the operator got, None in a punctuator."""
        answer: AnyResponse[Any] = _answer(Response, self.handle(context, record, exception))
        return answer

    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        """Return CONTINUE or FAIL: the form of before Kafka 4.2."""
        raise _not_written(self)


class ProductionExceptionHandler(_Handler):
    """Decides about records that cannot be sent. Write ``handleError``.

    Source: ``errors.ProductionExceptionHandler``.
    """

    Result: ClassVar = ProductionResult
    Response: ClassVar = ProductionResponse
    ProductionExceptionHandlerResponse: ClassVar = ProductionHandlerResponse
    SerializationExceptionOrigin: ClassVar = SerializationExceptionOrigin

    def handleError(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord[Any, Any],
        exception: Exception,
    ) -> AnyResponse[Any]:
        """Return what to do about a record that the broker did not take."""
        answer: AnyResponse[Any] = _answer(
            ProductionResponse, self.handle(context, record, exception)
        )
        return answer

    def handleSerializationError(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord[Any, Any],
        exception: Exception,
        origin: Origin,
    ) -> AnyResponse[Any]:
        """Return what to do about a record that a serializer refused; FAIL unless overridden."""
        answer: AnyResponse[Any] = _answer(
            ProductionResponse,
            self.handleSerializationException(context, record, exception, origin),
        )
        return answer

    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        """Return CONTINUE, FAIL or RETRY: the form of before Kafka 4.2."""
        raise _not_written(self)

    def handleSerializationException(
        self, context: Any, record: Any, exception: Exception, origin: Any
    ) -> Any:
        """Return CONTINUE or FAIL: the form of before Kafka 4.2."""
        return ProductionHandlerResponse.FAIL


class StreamsUncaughtExceptionHandler:
    """Decides what becomes of an application after a failure that nothing else handled.

    Source: ``errors.StreamsUncaughtExceptionHandler`` (KIP-671).
    """

    StreamThreadExceptionResponse: ClassVar = StreamThreadExceptionResponse

    def handle(self, exception: BaseException) -> ThreadResponse:
        """Return what to do; the default is to shut this instance down."""
        return ThreadResponse.SHUTDOWN_CLIENT


def _answer(kind: type[AnyResponse[Any]], old: Any) -> Any:
    if old is None or isinstance(old, AnyResponse):
        given: Any = old  # for the caller to judge
        return given
    if not isinstance(old, enum.Enum):
        raise ClassCastException(
            f"Invalid response: handle() returned {old!r}", hint="Return CONTINUE or FAIL."
        )
    return kind(kind.results["RESUME" if old.name == "CONTINUE" else old.name])


def _not_written(handler: object) -> UnsupportedOperationException:
    return UnsupportedOperationException(
        f"{type(handler).__name__} does not say what to do", hint="Write its handleError method."
    )
