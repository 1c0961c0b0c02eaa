"""The settings of a one-node Kafka, for a process and for a container."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CLUSTER_ID = "bWlsbHN0cmVhbS1icm9rZQ"
"""The cluster id of every embedded broker: 16 bytes in URL-safe base64."""

ONE_NODE: Mapping[str, object] = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.listener.names": "CONTROLLER",
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.num.partitions": 4,
    "transaction.state.log.min.isr": 1,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
    # Kafka's seven days count from a record's time: data of last year would be deleted in minutes.
    "log.retention.ms": -1,
    # Changelog topics of windows have a retention of their own, and tests have windows of 1970.
    "log.retention.check.interval.ms": 86_400_000,
    # The log cleaner deletes from topics that are compacted as well.
    "log.cleaner.backoff.ms": 86_400_000,
    # A killed broker cannot register again before its old session has ended: 9 s by default.
    "broker.session.timeout.ms": 2000,
    "broker.heartbeat.interval.ms": 500,
}


def server_properties(
    *, port: int, controller_port: int, logs: Path, extra: Mapping[str, object]
) -> str:
    """Text of a `server.properties`; `extra` goes before what is set here."""
    settings: dict[str, object] = {
        **ONE_NODE,
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "inter.broker.listener.name": "PLAINTEXT",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "log.dirs": logs,
        **extra,
    }
    return "".join(f"{name}={_escaped(value)}\n" for name, value in settings.items())


def _escaped(value: object) -> str:
    # Java's properties format: a backslash escapes, and no value here spans lines.
    return str(value).replace("\\", "\\\\")
