"""Settings and failures of the client in Python, for what librdkafka cannot do."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream.topology.spark.clients.tls_context import READ, tls_context

_SETTINGS = {
    "bootstrap.servers": "bootstrap_servers",
    "client.id": "client_id",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.password": "sasl_plain_password",
    "sasl.username": "sasl_plain_username",
    "security.protocol": "security_protocol",
}
"""librdkafka's setting -> this client's; settings left out affect speed only."""


def can_connect(settings: Mapping[str, Any]) -> bool:
    """Return whether the client in Python can connect with librdkafka's settings."""
    unknown = (name for name in settings if name not in _SETTINGS and name not in READ)
    return not any(name.startswith(("sasl.", "ssl.", "enable.s")) for name in unknown)


def python_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings by which the client in Python connects, from librdkafka's.

    Raises:
        ClientException: A file of certificates or keys cannot be read.
    """
    own = {_SETTINGS[name]: value for name, value in settings.items() if name in _SETTINGS}
    if "SSL" in str(own.get("security_protocol", "")):
        own["ssl_context"] = _context(settings)
    return own


def as_client_exception(error: Exception) -> ClientException:
    """Return a failure of the client in Python as librdkafka's client would raise it."""
    code = getattr(error, "errno", None)
    again = bool(getattr(error, "retriable", False))
    other = KafkaError._TIMED_OUT if again else KafkaError._FAIL
    known = code if isinstance(code, int) and code > 0 else other
    return ClientException(KafkaError(known, str(error) or type(error).__name__))


def _context(settings: Mapping[str, Any]) -> ssl.SSLContext:
    try:
        return tls_context(settings)
    except OSError as error:
        raise ClientException(KafkaError(KafkaError._SSL, str(error))) from error
