"""Interfaces of exception handlers that a user may write."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from millstream.core.errors import ClassCastException, UnsupportedOperationException
from millstream.core.handlers.context import AnyResponse, ErrorHandlerContext
from millstream.core.kafka import ProducerRecord
from millstream.core.readable import Readable


class Result(enum.Enum):
    """Decision after a failure; values are Kafka's ids."""

    RESUME = 0
    FAIL = 1


class ProductionResult(enum.Enum):
    """Decision after a failure to send; values are Kafka's ids."""

    RESUME = 0
    FAIL = 1
    RETRY = 2


class HandlerResponse(enum.Enum):
    """Response of handlers before Kafka 4.2; values are Kafka's ids."""

    CONTINUE = 0
    FAIL = 1


class ProductionHandlerResponse(enum.Enum):
    """Response of production exception handlers before Kafka 4.2; values are Kafka's ids."""

    CONTINUE = 0
    FAIL = 1
    RETRY = 2


class SerializationExceptionOrigin(enum.Enum):
    """The part of a record that could not be serialized."""

    KEY = 0
    VALUE = 1


class StreamThreadExceptionResponse(enum.Enum):
    """Decision after an uncaught failure; values are Kafka's ids."""

    REPLACE_THREAD = 0
    SHUTDOWN_CLIENT = 1
    SHUTDOWN_APPLICATION = 2


class Response(AnyResponse[Result]):
    """Response to a failure: drop the record, or stop."""

    __slots__ = ()
    results = Result


class ProductionResponse(AnyResponse[ProductionResult]):
    """Response to a failure to send: drop the record, stop, or try again."""

    __slots__ = ()
    results = ProductionResult

    @classmethod
    def retry(cls) -> ProductionResponse:
        """Return the response that sends the record again."""
        return cls(ProductionResult.RETRY)


Origin = SerializationExceptionOrigin
ThreadResponse = StreamThreadExceptionResponse


class _Handler(Readable):
    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take settings from the configuration; called once, before the first record."""

    def handleError(
        self, context: ErrorHandlerContext, record: Any, exception: Exception
    ) -> AnyResponse[Any]:
        """Return a response: drop the record, stop, or (production only) try again."""
        return _answer(_response_of(self), self.handle(context, record, exception))

    def handle(self, context: Any, record: Any, exception: Exception) -> Any:
        """Return CONTINUE, FAIL or (production only) RETRY: the method's form before Kafka 4.2."""
        raise UnsupportedOperationException(
            f"{type(self).__name__} does not say what to do", hint="Write its handleError method."
        )


# By another name, so that they are types in a class of the same names too.
_Response = Response
_Result = Result
_SerializationExceptionOrigin = SerializationExceptionOrigin
_StreamThreadExceptionResponse = StreamThreadExceptionResponse


class DeserializationExceptionHandler(_Handler):
    """Decides about records that a deserializer refuses. Write ``handleError``.

    ``record`` is a ``ConsumerRecord`` with the bytes of key and value.

    Source: ``errors.DeserializationExceptionHandler``.
    """

    Result: TypeAlias = _Result
    Response: TypeAlias = _Response
    DeserializationHandlerResponse: TypeAlias = HandlerResponse


class ProcessingExceptionHandler(_Handler):
    """Decides about records on which an operator raises. Write ``handleError``.

    ``record`` is the ``Record`` that the operator was given; None in a punctuator.

    Source: ``errors.ProcessingExceptionHandler`` (KIP-1033).
    """

    Result: TypeAlias = _Result
    Response: TypeAlias = _Response
    ProcessingHandlerResponse: TypeAlias = HandlerResponse


class ProductionExceptionHandler(_Handler):
    """Decides about records that cannot be sent. Write ``handleError``.

    ``record`` is the ``ProducerRecord`` that was to be sent.

    Source: ``errors.ProductionExceptionHandler``.
    """

    Result: TypeAlias = ProductionResult
    Response: TypeAlias = ProductionResponse
    ProductionExceptionHandlerResponse: TypeAlias = ProductionHandlerResponse
    SerializationExceptionOrigin: TypeAlias = _SerializationExceptionOrigin

    def handleSerializationError(
        self,
        context: ErrorHandlerContext,
        record: ProducerRecord[Any, Any],
        exception: Exception,
        origin: Origin,
    ) -> AnyResponse[Any]:
        """Return a response for a record that a serializer refused; FAIL unless overridden."""
        old = self.handleSerializationException(context, record, exception, origin)
        return _answer(ProductionResponse, old)

    def handleSerializationException(
        self, context: Any, record: Any, exception: Exception, origin: Any
    ) -> Any:
        """Return CONTINUE or FAIL: the method's form before Kafka 4.2."""
        return ProductionHandlerResponse.FAIL


class StreamsUncaughtExceptionHandler(Readable):
    """Decides whether an application stops after an uncaught failure.

    Source: ``errors.StreamsUncaughtExceptionHandler`` (KIP-671).
    """

    StreamThreadExceptionResponse: TypeAlias = _StreamThreadExceptionResponse

    def handle(self, exception: BaseException) -> ThreadResponse:
        """Return a decision; the default is to shut this instance down."""
        return ThreadResponse.SHUTDOWN_CLIENT


def _response_of(handler: _Handler) -> type[AnyResponse[Any]]:
    """Return the class of a kind of handler's responses, which users also name as a type."""
    kind: type[AnyResponse[Any]] = getattr(handler, "Response")  # noqa: B009 - each subclass has its own
    return kind


def _answer(kind: type[AnyResponse[Any]], old: Any) -> AnyResponse[Any]:
    if old is None or isinstance(old, AnyResponse):
        return cast("AnyResponse[Any]", old)  # the caller checks None
    if not isinstance(old, enum.Enum):
        raise ClassCastException(
            f"Invalid response: handle() returned {old!r}", hint="Return CONTINUE or FAIL."
        )
    return kind(kind.results["RESUME" if old.name == "CONTINUE" else old.name])
