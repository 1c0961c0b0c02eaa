"""Types and bounds of the settings of Kafka's clients that are numbers or one of a few words."""

from __future__ import annotations

from typing import Any

from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.config.client_names import PRODUCER_NAMES
from millstream.core.config.clients import CLIENT_PREFIXES, given_settings, refuse_objects
from millstream.core.config.definition import (
    Check,
    ConfigKey,
    ValueKind,
    at_least,
    invalid,
    not_none,
    one_of,
)
from millstream.core.durations import iso_duration_millis
from millstream.core.errors import ConfigException

_AUTO_OFFSET_RESET = "auto.offset.reset"
_IN_FLIGHT_MAX = 5
_LINGER_MS, _REQUEST_TIMEOUT_MS = 100, 30_000
"""What Kafka Streams and Kafka's producer take where nothing is given."""


def _policy(name: str, value: Any) -> None:
    not_none(name, value)
    strategy, _, duration = value.partition(":")
    ok = value in ("earliest", "latest", "none")
    if not ok and (strategy != "by_duration" or iso_duration_millis(duration) is None):
        raise invalid(
            name,
            value,
            "The value must be either 'earliest', 'latest', 'none' or of the format "
            "'by_duration:<PnDTnHnMn.nS.>'.",
            hint="Write earliest, latest, none, or by_duration:PT24H with a duration of ISO 8601.",
        )


def _acknowledged(name: str, value: Any) -> None:
    if value not in ("all", "-1", "0", "1"):
        raise invalid(name, value, "String must be one of: all, -1, 0, 1")


def _numbers(kind: ValueKind, check: Check | None, *names: str) -> dict[str, ConfigKey]:
    return {name: ConfigKey(name=name, kind=kind, check=check) for name in names}


def _words(check: Check, *names: str) -> dict[str, ConfigKey]:
    return _numbers(ValueKind.STRING, check, *names)


_INT, _LONG, _BOOLEAN = ValueKind.INT, ValueKind.LONG, ValueKind.BOOLEAN
# fmt: off
CLIENT_KEYS: dict[str, ConfigKey] = {
    **_numbers(_LONG, at_least(0), "buffer.memory", "linger.ms", "max.block.ms",
               "metadata.max.age.ms", "metadata.recovery.rebootstrap.trigger.ms",
               "metrics.sample.window.ms", "partitioner.availability.timeout.ms",
               "reconnect.backoff.max.ms", "reconnect.backoff.ms", "retry.backoff.max.ms",
               "retry.backoff.ms"),
    **_numbers(_LONG, at_least(5000), "metadata.max.idle.ms"),
    **_numbers(_LONG, not_none, "connections.max.idle.ms", "socket.connection.setup.timeout.max.ms",
               "socket.connection.setup.timeout.ms"),
    **_numbers(_INT, at_least(0), "auto.commit.interval.ms", "batch.size",
               "default.api.timeout.ms", "delivery.timeout.ms", "fetch.max.bytes",
               "fetch.max.wait.ms", "fetch.min.bytes", "max.partition.fetch.bytes",
               "max.request.size", "request.timeout.ms", "retries"),
    **_numbers(_INT, at_least(1), "max.in.flight.requests.per.connection", "max.poll.interval.ms",
               "max.poll.records", "metrics.num.samples"),
    **_numbers(_INT, at_least(-1), "receive.buffer.bytes", "send.buffer.bytes"),
    **_numbers(_INT, not_none, "heartbeat.interval.ms", "session.timeout.ms",
               "transaction.timeout.ms"),
    **_numbers(_BOOLEAN, not_none, "allow.auto.create.topics", "check.crcs", "enable.auto.commit",
               "enable.idempotence", "exclude.internal.topics"),
    **_words(one_of("none", "gzip", "snappy", "lz4", "zstd"), "compression.type"),
    **_words(one_of("read_committed", "read_uncommitted"), "isolation.level"),
    **_words(one_of("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"),
             "client.dns.lookup"),
    **_words(one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", any_case=True),
             "security.protocol"),
    **_words(one_of("none", "rebootstrap", any_case=True), "metadata.recovery.strategy"),
    **_words(_policy, _AUTO_OFFSET_RESET),
}
# fmt: on


def check_client_entries(config: AbstractConfig) -> None:
    """Check what is given for clients as Kafka's own clients would.

    Raises:
        ConfigException: An entry is of another type or out of bounds, or some do not fit together.
    """
    defined = config.values()
    for name, value in config.originals().items():
        prefix = next((each for each in CLIENT_PREFIXES if name.startswith(each)), "")
        bare = name.removeprefix(prefix)
        refuse_objects(bare, value)
        if name in defined or (bare == _AUTO_OFFSET_RESET and prefix in _WITHOUT_RESET):
            continue
        if bare == "acks":
            # Kafka takes texts only; a number is as clear.
            _acknowledged(name, str(value).strip())
        elif (key := CLIENT_KEYS.get(bare)) is not None:
            _named(key, name).parse(value)
    _check_producer(given_settings(config, "producer.", PRODUCER_NAMES))


_WITHOUT_RESET = ("restore.consumer.", "global.consumer.")


def _named(key: ConfigKey, name: str) -> ConfigKey:
    return ConfigKey(name=name, kind=key.kind, check=key.check)


def _check_producer(given: dict[str, Any]) -> None:
    """Check what Kafka's producer checks of several settings together."""

    def number(name: str, default: int) -> int:
        return int(CLIENT_KEYS[name].parse(given.get(name, default)))

    idempotent = str(given.get("enable.idempotence", "true")).strip().lower()
    in_flight = number("max.in.flight.requests.per.connection", _IN_FLIGHT_MAX)
    if idempotent == "true" and in_flight > _IN_FLIGHT_MAX:
        raise ConfigException(
            "To use the idempotent producer, max.in.flight.requests.per.connection must be set to "
            f"at most {_IN_FLIGHT_MAX}. Current value is {in_flight}.",
            hint="Sinks are always idempotent: leave the entry out.",
        )
    if "delivery.timeout.ms" not in given:
        return
    least = number("linger.ms", _LINGER_MS) + number("request.timeout.ms", _REQUEST_TIMEOUT_MS)
    if number("delivery.timeout.ms", least) < least:
        raise ConfigException(
            "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms",
            detail=f"It is {given['delivery.timeout.ms']}, and they are {least} together.",
        )
