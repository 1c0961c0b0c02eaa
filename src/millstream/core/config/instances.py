"""Checks of the objects of class-valued configuration entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.errors import ConfigException
from millstream.core.function_kinds import check_kind
from millstream.core.handlers import (
    AnyResponse,
    DeserializationExceptionHandler,
    ErrorHandlerContext,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
)
from millstream.core.timestamps import TimestampExtractor

# One of the methods is enough; ``handle`` is the handlers' method before Kafka 4.2.
METHODS: dict[str, tuple[str, ...]] = {
    "default.key.serde": ("serializer",),
    "default.value.serde": ("serializer",),
    "default.timestamp.extractor": ("extract",),
    "deserialization.exception.handler": ("handleError", "handle"),
    "default.deserialization.exception.handler": ("handleError", "handle"),
    "processing.exception.handler": ("handleError", "handle"),
    "production.exception.handler": ("handleError", "handle"),
    "default.production.exception.handler": ("handleError", "handle"),
    "processor.wrapper.class": ("wrapProcessorSupplier",),
    "dsl.store.suppliers.class": ("keyValueStore",),
    "rocksdb.config.setter": ("setConfig",),
    "task.assignor.class": ("assign",),
}


class _BorrowedHandler:
    """A handler that inherits nothing, with what else its interface has: ``handle`` is enough."""

    def __init__(self, made: Any) -> None:
        self.made = made
        for name in _HANDLERS_METHODS:
            method = getattr(made, name, None)
            if callable(method):
                setattr(self, name, method)


class BorrowedDeserializationHandler(_BorrowedHandler, DeserializationExceptionHandler):
    """A user's object with the methods of a handler."""


class BorrowedProcessingHandler(_BorrowedHandler, ProcessingExceptionHandler):
    """A user's object with the methods of a handler."""


class BorrowedProductionHandler(_BorrowedHandler, ProductionExceptionHandler):
    """A user's object with the methods of a handler."""


_HANDLERS_METHODS = (
    "configure",
    "handle",
    "handleError",
    "handleSerializationError",
    "handleSerializationException",
)
BORROWED: dict[type[Any], Callable[[Any], Any]] = {
    DeserializationExceptionHandler: BorrowedDeserializationHandler,
    ProcessingExceptionHandler: BorrowedProcessingHandler,
    ProductionExceptionHandler: BorrowedProductionHandler,
}
HANDLERS: dict[str, type[Any]] = {
    "deserialization.exception.handler": DeserializationExceptionHandler,
    "default.deserialization.exception.handler": DeserializationExceptionHandler,
    "processing.exception.handler": ProcessingExceptionHandler,
    "production.exception.handler": ProductionExceptionHandler,
    "default.production.exception.handler": ProductionExceptionHandler,
}


class CallableExtractor(TimestampExtractor):
    """A timestamp extractor that calls a callable."""

    def __init__(self, function: Callable[[Any, int], int]) -> None:
        self._function = function

    def extract(self, record: Any, partitionTime: int) -> int:
        """Return what the callable says."""
        return self._function(record, partitionTime)


class _CallableHandler:
    def __init__(self, function: Callable[[ErrorHandlerContext, Any, Exception], Any]) -> None:
        self._function = function

    def handleError(
        self, context: ErrorHandlerContext, record: Any, exception: Exception
    ) -> AnyResponse[Any]:
        """Return what the callable says."""
        response: AnyResponse[Any] = self._function(context, record, exception)
        return response


class CallableDeserializationHandler(_CallableHandler, DeserializationExceptionHandler):
    """A plain callable as a handler."""


class CallableProcessingHandler(_CallableHandler, ProcessingExceptionHandler):
    """A plain callable as a handler."""


class CallableProductionHandler(_CallableHandler, ProductionExceptionHandler):
    """A plain callable as a handler."""


ADAPTERS: dict[str, Callable[[Any], Any]] = {
    "default.timestamp.extractor": CallableExtractor,
    "deserialization.exception.handler": CallableDeserializationHandler,
    "default.deserialization.exception.handler": CallableDeserializationHandler,
    "processing.exception.handler": CallableProcessingHandler,
    "production.exception.handler": CallableProductionHandler,
    "default.production.exception.handler": CallableProductionHandler,
}


def adapted(key: str, found: Any) -> Any:
    """Return an entry's object; a callable is wrapped in an object of the key's interface.

    Raises:
        ConfigException: The object does not have the key's methods, or is another key's handler.
        ClassCastException: One of its methods does nothing when it is called.
    """
    methods = METHODS.get(key)
    for method in (*(methods or ()), "configure"):
        call = getattr(found, method, None)
        if callable(call):
            check_kind(call, f"{method}() of {_name(found)}, for {key},")
    wanted = HANDLERS.get(key)
    if wanted is not None and isinstance(found, tuple(HANDLERS.values())):
        if isinstance(found, wanted):
            return found
        raise ConfigException(
            f"Invalid value {_name(found)} for configuration {key}: it is not an instance of "
            f"{wanted.__name__}",
            detail="It is a handler of other errors.",
        )
    if methods is None or any(callable(getattr(found, method, None)) for method in methods):
        return found if wanted is None else BORROWED[wanted](found)
    if key in ADAPTERS and callable(found):
        return ADAPTERS[key](found)
    raise ConfigException(
        f"Invalid value {_name(found)} for configuration {key}: it has no method {methods[0]}()"
    )


def _name(found: Any) -> str:
    return str(getattr(found, "__qualname__", type(found).__qualname__))
