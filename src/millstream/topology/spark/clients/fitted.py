"""Settings that Kafka's Java clients take and librdkafka refuses, within librdkafka's bounds.

A client is made in a worker, in the middle of a batch: what librdkafka refuses there would fail it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MOST = 2**31 - 1
_BOUNDS: Mapping[str, tuple[int, int]] = {
    "batch.size": (1, _MOST),
    # Kafka's -1 is for ever, as librdkafka's 0.
    "connections.max.idle.ms": (0, _MOST),
    # A sink is flushed at the end of its batch, however long it would wait.
    "linger.ms": (0, 10_000),
    "message.max.bytes": (1000, 1_000_000_000),
    "metadata.max.age.ms": (1, 86_400_000),
    "reconnect.backoff.max.ms": (0, 3_600_000),
    "reconnect.backoff.ms": (0, 3_600_000),
    "request.timeout.ms": (1, 900_000),
    "retries": (1, _MOST),
    "retry.backoff.ms": (1, 300_000),
    # Kafka's -1 is the system's own, as librdkafka's 0.
    "socket.receive.buffer.bytes": (0, 100_000_000),
    "socket.send.buffer.bytes": (0, 100_000_000),
    "transaction.timeout.ms": (1000, _MOST),
}
_DELIVERY, _LINGER, _TRANSACTION = "delivery.timeout.ms", "linger.ms", "transaction.timeout.ms"


def fitted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the nearest number that librdkafka takes for each."""
    found = dict(settings)
    for name, (least, most) in _BOUNDS.items():
        if name in found:
            found[name] = min(max(int(found[name]), least), most)
    return found


def fitted_for_sinks(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an idempotent producer, which needs all acknowledgements."""
    found = fitted(settings) | {"enable.idempotence": True}
    found.pop("acks", None)
    in_flight = found.get("max.in.flight.requests.per.connection")
    if in_flight is not None:
        found["max.in.flight.requests.per.connection"] = min(int(in_flight), 5)
    if _DELIVERY in found:
        # Zero would be for ever.
        found[_DELIVERY] = max(int(found[_DELIVERY]), int(found.get(_LINGER, 0)) + 1)
    return found


def with_transactions(settings: Mapping[str, Any], transactional_id: str) -> dict[str, Any]:
    """Return a producer's settings with a transactional id.

    A record that outlives its transaction is lost: librdkafka refuses such a delivery timeout,
    which is Kafka Streams' own and that of many programs.
    """
    found = {**settings, "transactional.id": transactional_id}
    if _DELIVERY in found and _TRANSACTION in found:
        found[_DELIVERY] = min(int(found[_DELIVERY]), int(found[_TRANSACTION]))
    return found
