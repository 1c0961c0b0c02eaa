"""Trace context in the headers of records."""

from __future__ import annotations

from typing import Any

from opentelemetry import propagate
from opentelemetry.context import Context
from opentelemetry.propagators.textmap import Getter, Setter

from millstream.core.headers import Headers


class _Reading(Getter[Headers]):
    def get(self, carrier: Headers, key: str) -> list[str] | None:
        found = carrier.lastHeader(key)
        value = None if found is None else found.value()
        return None if value is None else [value.decode("utf-8", "replace")]

    def keys(self, carrier: Headers) -> list[str]:
        return [header.key() for header in carrier]


class _Writing(Setter[Headers]):
    def set(self, carrier: Headers, key: str, value: str) -> None:
        carrier.remove(key)
        carrier.add(key, value.encode())


def context_of(headers: Headers, context: Context | None = None) -> Context:
    """Return the trace context that a record brings, for a span in a processor.

    The header ``traceparent``, as every header, goes with a record through all operators, stateful
    ones included, as in Kafka Streams: what an operator sends down has the headers of the record
    that has caused it.

    Example::

        with tracer.start_as_current_span("check", context=context_of(record.headers())):
            ...
    """
    return propagate.extract(headers, context, getter=_Reading())


def put_context(headers: Headers, context: Context | None = None) -> None:
    """Write the current trace context, or the one given, into a record's headers."""
    setter: Any = _Writing()
    propagate.inject(headers, context, setter=setter)
