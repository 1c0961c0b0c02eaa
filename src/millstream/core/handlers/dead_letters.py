"""Dead letter queue records: the source record's bytes, and headers about the failure."""

from __future__ import annotations

import traceback
from typing import Any

from millstream.core.errors import MillstreamError
from millstream.core.handlers.context import ErrorHandlerContext
from millstream.core.kafka import ProducerRecord

HEADER_PREFIX = "__streams.errors."


def dead_letter_records(
    topic: str | None,
    key: bytes | None,
    value: bytes | None,
    context: ErrorHandlerContext,
    exception: BaseException,
) -> list[ProducerRecord[Any, Any]]:
    """Return the record for the dead letter queue; an empty list if ``topic`` is None.

    Headers are those of the source record, then ``__streams.errors.`` ``exception``, ``message``,
    ``stacktrace``, ``topic``, ``partition`` and ``offset``, all as text.

    Source: ``errors.internals.ExceptionHandlerUtils`` (KIP-1034).
    """
    if topic is None:
        return []
    record: ProducerRecord[Any, Any] = ProducerRecord(
        topic, None, max(context.timestamp(), 0), key, value, context.headers()
    )
    # As in Java the first line: what to do about it is in the stack trace.
    message = str(exception)
    if isinstance(exception, MillstreamError):
        message = exception.getMessage()
    source = context.topic()
    headers = record.headers()
    for name, text in (
        ("exception", _qualified_name(type(exception))),
        ("message", message or None),
        ("stacktrace", "".join(traceback.format_exception(exception))),
        ("topic", source),
        ("partition", str(context.partition())),
        ("offset", str(context.offset())),
    ):
        headers.add(HEADER_PREFIX + name, None if text is None else text.encode("utf-8", "replace"))
    return [record]


def _qualified_name(kind: type) -> str:
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
