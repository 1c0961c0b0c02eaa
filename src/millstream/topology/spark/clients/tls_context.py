"""TLS context of the client that writes event times of 0, from librdkafka's settings."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

READ = frozenset(
    (
        "enable.ssl.certificate.verification",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.cipher.suites",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.location",
        "ssl.key.password",
        "ssl.key.pem",
    )
)
"""The supported settings."""


def tls_context(settings: Mapping[str, Any]) -> ssl.SSLContext:
    """Return a context that verifies the broker and identifies the client as librdkafka would.

    Raises:
        OSError: A file cannot be read.
        ssl.SSLError: A certificate or key is wrong.
    """
    context = ssl.create_default_context(
        cafile=settings.get("ssl.ca.location"), cadata=settings.get("ssl.ca.pem")
    )
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if settings.get("ssl.endpoint.identification.algorithm", "https") == "none":
        context.check_hostname = False
    if str(settings.get("enable.ssl.certificate.verification", "true")).lower() == "false":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if suites := settings.get("ssl.cipher.suites"):
        context.set_ciphers(suites)
    password = settings.get("ssl.key.password")
    if "ssl.certificate.pem" in settings or "ssl.key.pem" in settings:
        _load_texts(context, settings, password)
    elif certificate := settings.get("ssl.certificate.location"):
        context.load_cert_chain(certificate, settings.get("ssl.key.location"), password)
    return context


def _load_texts(context: ssl.SSLContext, settings: Mapping[str, Any], password: Any) -> None:
    # Python loads a certificate and its key from files only.
    handle, path = tempfile.mkstemp(prefix="millstream-", suffix=".pem")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(settings.get("ssl.key.pem", "") + settings.get("ssl.certificate.pem", ""))
        context.load_cert_chain(path, None, password)
    finally:
        with suppress(OSError):
            os.remove(path)
