"""Errors for a client that cannot connect: no answer, or a refusal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException
from confluent_kafka.admin import AdminClient

from millstream.core.errors import (
    AuthenticationException,
    BrokerNotFoundException,
    ConfigException,
    SaslAuthenticationException,
    SslAuthenticationException,
    StreamsException,
)

_LOOK_S = 1.0
_REFUSALS: dict[int, type[AuthenticationException]] = {
    KafkaError._AUTHENTICATION: SaslAuthenticationException,
    KafkaError.SASL_AUTHENTICATION_FAILED: SaslAuthenticationException,
    KafkaError.UNSUPPORTED_SASL_MECHANISM: SaslAuthenticationException,
    KafkaError._SSL: SslAuthenticationException,
}
_NOT_KAFKA = "Invalid response size"
"""Of librdkafka, with advice to raise a limit that has nothing to do with it."""
_TLS_ALERT = "SSL alert number"
_HINTS: dict[type[AuthenticationException], str] = {
    SaslAuthenticationException: "Check sasl.mechanism, and the user and password in "
    "sasl.jaas.config.",
    SslAuthenticationException: "Check ssl.truststore.*, the names in the broker's certificate, "
    "and ssl.keystore.* if the broker asks for a certificate.",
}

_TOKEN_WORDS = ("OAUTHBEARER", "invalid_token")
_TOKEN_HINT = (
    "Check sasl.oauthbearer.token.endpoint.url, and clientId, clientSecret and scope in "
    "sasl.jaas.config; and that the broker takes the issuer, audience and subject of its tokens."
)


class ConnectionErrors:
    """``error_cb`` of a client that records why it is not connected."""

    def __init__(self) -> None:
        self.last: KafkaError | None = None
        """The last error."""
        self.refusal: KafkaError | None = None
        """An error that retries with the same settings cannot cure."""

    def __call__(self, error: KafkaError) -> None:
        if _kind(error) is not None:
            self.refusal = error
        # "All brokers are down" says less than what came before.
        if self.last is None or error.code() != KafkaError._ALL_BROKERS_DOWN:
            self.last = error

    def failure(self, problem: str) -> StreamsException | None:
        """Return the error for a refusal; None if there was none."""
        if self.refusal is None or (kind := _kind(self.refusal)) is None:
            return None
        detail = f"{self.refusal.str()}."
        hint = _TOKEN_HINT if any(word in detail for word in _TOKEN_WORDS) else _HINTS[kind]
        failure = StreamsException(problem, detail=detail, hint=hint)
        failure.__cause__ = kind(problem, detail=failure.detail)
        return failure


def _kind(error: KafkaError) -> type[AuthenticationException] | None:
    if _TLS_ALERT in error.str():
        # A refusal after the handshake arrives as a transport error.
        return SslAuthenticationException
    return _REFUSALS.get(error.code())


def _no_answer(servers: str, said: str) -> BrokerNotFoundException:
    if _NOT_KAFKA in said:
        return BrokerNotFoundException(
            f'no broker answers at "{servers}"',
            detail=f"{said.partition(': increase ')[0]}.",
            hint="What listens there does not answer as a Kafka broker does: it may be a web "
            "server, or a port of the broker for TLS. Correct bootstrap.servers, or "
            "security.protocol.",
        )
    return BrokerNotFoundException(
        f'no broker answers at "{servers}"',
        detail=f"{said}.",
        hint="Start the broker, or correct bootstrap.servers and security.protocol.",
    )


def all_topics(settings: Mapping[str, Any], timeout_s: float) -> Mapping[str, Any]:
    """Return the broker's topics by name, with their partitions.

    Raises:
        BrokerNotFoundException: No broker answers.
        StreamsException: The broker refuses the user, or its certificate is not trusted.
        ConfigException: The client refuses the settings.
    """
    heard, servers = ConnectionErrors(), settings.get("bootstrap.servers", "")
    admin = made(settings, heard)
    give_up = time.monotonic() + timeout_s
    while True:
        try:
            found: Mapping[str, Any] = admin.list_topics(
                timeout=min(_LOOK_S, max(0.1, give_up - time.monotonic()))
            ).topics
            return found
        except ClientException as error:
            admin.poll(0)
            refused = heard.failure(f'cannot connect to the broker at "{servers}"')
            if refused is not None:
                raise refused from refused.__cause__
            if time.monotonic() >= give_up:
                raise _no_answer(servers, (heard.last or error.args[0]).str()) from error


def made(settings: Mapping[str, Any], heard: ConnectionErrors) -> AdminClient:
    """Return a client that reports errors to ``heard``.

    Raises:
        ConfigException: The client refuses the settings.
    """
    try:
        client_settings: Any = {**settings, "error_cb": heard}
        return AdminClient(client_settings)
    except ClientException as error:
        raise ConfigException(
            "the Kafka client refuses its settings",
            detail=f"{error.args[0].str()}.",
            hint="Correct the entry, or the file that it names.",
        ) from error
