"""Failures of a registry's client, told as Kafka's errors."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import httpx
from confluent_kafka.schema_registry.error import OAuthTokenError, SchemaRegistryError

from millstream.core.errors import (
    KafkaException,
    SchemaRegistryAuthenticationException,
    SchemaRegistryAuthorizationException,
    SchemaRegistryUnavailableException,
    SerializationException,
)

_UNAVAILABLE = frozenset({408, 429, 500, 502, 503, 504})
_UNREADABLE = AttributeError, LookupError, TypeError, ValueError
"""What the client raises where an answer is no JSON, or other JSON than a registry's."""
_CREDENTIALS = (
    "Check basic.auth.credentials.source and basic.auth.user.info, bearer.auth.*, or "
    "schema.registry.ssl.*."
)
_OUTAGE = (
    "Start it again, or correct schema.registry.url; max.retries, retries.wait.ms and "
    "http.read.timeout.ms say how long it is asked. The application goes on where it stopped."
)


_NO_API = (
    "No schema registry's API answers at this address: check schema.registry.url, with its path "
    "(/apis/ccompat/v7 for Apicurio, as millstream broker --registry prints it)."
)


def failure(error: Exception, problem: str, place: str) -> KafkaException:
    """Return the error for what a registry's client raised.

    Args:
        error: What it raised.
        problem: What was attempted, such as ``Error retrieving Avro value schema for id 7``.
        place: Registry, subject and topic, as one clause.
    """
    if isinstance(error, KafkaException):
        return error
    kind, hint = _kind(error)
    found = kind(problem, error, detail=f"{place}; {_said(error)}", hint=hint)
    return found  # noqa: RET504 - the type of what it is


def _kind(error: Exception) -> tuple[type[KafkaException], str]:
    if isinstance(error, httpx.TransportError):
        if any(isinstance(each, ssl.SSLError) for each in _causes(error)):
            return SchemaRegistryAuthenticationException, _CREDENTIALS
        return SchemaRegistryUnavailableException, _OUTAGE
    if isinstance(error, OAuthTokenError):
        return SchemaRegistryAuthenticationException, _CREDENTIALS
    if isinstance(error, _UNREADABLE):
        # A proxy's page, with status 200: it says nothing about the record.
        return SchemaRegistryUnavailableException, _NO_API
    if not isinstance(error, SchemaRegistryError):
        return SerializationException, ""
    status = error.http_status_code
    if status == httpx.codes.UNAUTHORIZED:
        return SchemaRegistryAuthenticationException, _CREDENTIALS
    if status == httpx.codes.FORBIDDEN:
        return SchemaRegistryAuthorizationException, "Let the user read and write the subject."
    if status in _UNAVAILABLE:
        return SchemaRegistryUnavailableException, _OUTAGE
    elsewhere = status == httpx.codes.NOT_FOUND and error.error_code in (None, -1)
    if elsewhere or httpx.codes.is_redirect(status):
        # A registry's own 404 has a code, and it sends nobody to a page for signing in.
        return SchemaRegistryUnavailableException, _NO_API
    return SerializationException, _HINTS.get(status, "")


_HINTS: dict[int, str] = {
    httpx.codes.CONFLICT: "Give a new field a default, or change the subject's compatibility in "
    "the registry.",
    httpx.codes.NOT_FOUND: "Check that schema.registry.url names the registry that the writer "
    "used, and the subject's strategy; with auto.register.schemas=false, register the schema "
    "first.",
}


def _said(error: Exception) -> str:
    if isinstance(error, SchemaRegistryError):
        return f"HTTP status {error.http_status_code}: {error.error_message}"
    return f"{type(error).__name__}: {error}"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
