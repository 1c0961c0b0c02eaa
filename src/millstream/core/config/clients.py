"""The settings of the Kafka clients that an application's configuration leads to."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.config.definition import invalid

log = logging.getLogger(__name__)

CLIENT_PREFIXES = (
    "main.consumer.",
    "restore.consumer.",
    "global.consumer.",
    "consumer.",
    "producer.",
    "admin.",
)
# Not for clients: what they would warn of, or what is not Kafka's at all.
OTHER_PREFIXES = ("topic.", "client.tag.", "spark.", "millstream.", "__", "internal.")

SHARED_KEYS = frozenset(
    (
        "bootstrap.servers",
        "connections.max.idle.ms",
        "enable.metrics.push",
        "metadata.max.age.ms",
        "metadata.recovery.rebootstrap.trigger.ms",
        "metadata.recovery.strategy",
        "metric.reporters",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "receive.buffer.bytes",
        "reconnect.backoff.max.ms",
        "reconnect.backoff.ms",
        "request.timeout.ms",
        "retry.backoff.ms",
        "security.protocol",
        "send.buffer.bytes",
    )
)

CONSUMER_DEFAULTS = {
    "auto.offset.reset": "earliest",
    "max.poll.records": "1000",
    "group.protocol": "classic",
}
CONSUMER_FIXED = {"enable.auto.commit": "false", "allow.auto.create.topics": "false"}
CONSUMER_FIXED_EXACTLY_ONCE = {"isolation.level": "read_committed"}
PRODUCER_DEFAULTS = {"linger.ms": "100"}
PRODUCER_DEFAULTS_EXACTLY_ONCE = {
    "delivery.timeout.ms": 2**31 - 1,
    "transaction.timeout.ms": 10_000,
}
PRODUCER_FIXED_EXACTLY_ONCE = {"enable.idempotence": True}
IN_FLIGHT_KEY = "max.in.flight.requests.per.connection"
IN_FLIGHT_MAX = 5


def consumer_settings(
    config: AbstractConfig, own_prefix: str, *, exactly_once: bool
) -> dict[str, Any]:
    """Return a consumer's settings; later ones win: defaults, shared, ``consumer.``, own prefix."""
    given = config.originalsWithPrefix("consumer.") | config.originalsWithPrefix(own_prefix)
    fixed = CONSUMER_FIXED | (CONSUMER_FIXED_EXACTLY_ONCE if exactly_once else {})
    return _assemble(config, CONSUMER_DEFAULTS, given, fixed, "consumer")


def producer_settings(config: AbstractConfig, *, exactly_once: bool) -> dict[str, Any]:
    """Return a producer's settings; later ones win: defaults, shared, ``producer.``.

    Raises:
        ConfigException: More requests in flight than exactly-once allows.
    """
    given = config.originalsWithPrefix("producer.")
    if not exactly_once:
        return _assemble(config, PRODUCER_DEFAULTS, given, {}, "producer")
    in_flight = given.get(IN_FLIGHT_KEY)
    if in_flight is not None and int(in_flight) > IN_FLIGHT_MAX:
        raise invalid(
            f"producer.{IN_FLIGHT_KEY}",
            in_flight,
            f"Can't exceed {IN_FLIGHT_MAX} when exactly-once processing is enabled",
        )
    if given.pop("transactional.id", None) is not None:
        log.warning("producer setting ignored key=transactional.id: exactly-once chooses its own")
    defaults = PRODUCER_DEFAULTS | PRODUCER_DEFAULTS_EXACTLY_ONCE
    return _assemble(config, defaults, given, PRODUCER_FIXED_EXACTLY_ONCE, "producer")


def admin_settings(config: AbstractConfig) -> dict[str, Any]:
    """Return the admin client's settings; later ones win: shared, ``admin.``."""
    return _assemble(config, {}, config.originalsWithPrefix("admin."), {}, "admin")


def _assemble(
    config: AbstractConfig,
    defaults: Mapping[str, Any],
    given: Mapping[str, Any],
    fixed: Mapping[str, Any],
    client: str,
) -> dict[str, Any]:
    for key in fixed.keys() & given.keys():
        if str(given[key]).lower() != str(fixed[key]).lower():
            log.warning(
                "%s setting ignored key=%s value=%s used=%s", client, key, given[key], fixed[key]
            )
    settings = {**defaults, **_shared(config), **given, **fixed}
    settings["bootstrap.servers"] = ",".join(config.getList("bootstrap.servers"))
    return settings


def _shared(config: AbstractConfig) -> dict[str, Any]:
    defined = config.values()
    not_for_all = CLIENT_PREFIXES + OTHER_PREFIXES
    return {
        key: value
        for key, value in config.originals().items()
        if key in SHARED_KEYS or (key not in defined and not key.startswith(not_for_all))
    }
