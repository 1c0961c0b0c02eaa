"""Checks of the broker by `millstream doctor`: address, TLS handshake, Kafka's answer."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from typing import Any

from confluent_kafka import KafkaException as ClientException
from confluent_kafka.admin import AdminClient

from millstream.cli.clients import known_topics
from millstream.cli.finding import Finding, broken, fine
from millstream.core.config import StreamsConfig
from millstream.core.errors import MillstreamError
from millstream.topology.spark.clients.settings import client_settings
from millstream.topology.spark.clients.tls_context import tls_context
from millstream.topology.spark.driver.preflight import check_config

_CONNECT_S, _ANSWER_S = 3.0, 8.0
_START = "Start it (millstream broker), or correct bootstrap.servers."


def broker_findings(config: StreamsConfig) -> Iterator[Finding]:
    """Yield whether addresses can be reached, TLS works, and Kafka answers."""
    try:
        check_config(config)
        settings = client_settings(config)
    except MillstreamError as error:
        yield broken("broker", f"{error.problem}.", f"{error.detail} {error.hint}".strip())
        return
    servers = [str(each).strip() for each in config.getList("bootstrap.servers")]
    reached, reasons = list[str](), list[str]()
    for server in servers:
        reason = _connect(server, None)
        (reasons if reason else reached).append(reason or server)
    if not reached:
        yield broken("broker", f"not reached: {'; '.join(reasons)}.", _START)
        return
    rest = f"; not reached: {'; '.join(reasons)}" if reasons else ""
    yield fine("broker", f"{', '.join(reached)} can be reached{rest}")
    if str(settings.get("security.protocol", "PLAINTEXT")).upper() in ("SSL", "SASL_SSL"):
        finding = _tls(reached[0], settings)
        yield finding
        if finding.status == "broken":
            return
    yield _kafka(config, settings)


def _connect(server: str, context: ssl.SSLContext | None) -> str:
    """Connect to a server, with TLS if there is a context; return why not, or nothing."""
    host, _, port = server.rpartition("://")[2].rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S) as plain:
            if context is not None:
                with context.wrap_socket(plain, server_hostname=host.strip("[]")):
                    pass
    except (OSError, ValueError) as error:
        return f"{server} ({getattr(error, 'verify_message', '') or error})"
    return ""


def _tls(server: str, settings: dict[str, Any]) -> Finding:
    cure = (
        "Check ssl.truststore.*, the names in the broker's certificate, ssl.keystore.*, and that "
        "this port speaks TLS."
    )
    try:
        reason = _connect(server, tls_context(settings))
    except (OSError, ssl.SSLError) as error:
        reason = str(error)
    if reason:
        return broken("TLS", f"the handshake fails: {reason}.", cure)
    return fine("TLS", f"handshake with {server} done")


def _kafka(config: StreamsConfig, settings: dict[str, Any]) -> Finding:
    try:
        topics = known_topics(config, _ANSWER_S)
        admin = AdminClient(settings)
        cluster = admin.describe_cluster(request_timeout=_ANSWER_S).result(_ANSWER_S)
    except MillstreamError as error:
        return broken("Kafka", f"{error.problem}. {error.detail}", error.hint)
    except ClientException as error:
        return broken("Kafka", f"no description of the cluster: {error.args[0].str()}.", _START)
    nodes = len(cluster.nodes)
    return fine("Kafka", f"{nodes} broker{'' if nodes == 1 else 's'}, {len(topics)} topics")
