"""Settings of the Kafka clients, derived from an application's configuration."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.config.client_names import ADMIN_NAMES, CONSUMER_NAMES, PRODUCER_NAMES
from millstream.core.config.definition import invalid
from millstream.core.durations import to_millis
from millstream.core.errors import ConfigException, IllegalArgumentException
from millstream.core.wording import a_kind

log = logging.getLogger(__name__)

CLIENT_PREFIXES = (
    "main.consumer.",
    "restore.consumer.",
    "global.consumer.",
    "consumer.",
    "producer.",
    "admin.",
)
CLIENT_NAMES = CONSUMER_NAMES | PRODUCER_NAMES | ADMIN_NAMES
# Prefixes of entries that are not passed to clients.
OTHER_PREFIXES = ("topic.", "client.tag.", "spark.", "millstream.", "__", "internal.")

CONSUMER_DEFAULTS: Mapping[str, Any] = {
    "auto.offset.reset": "earliest",
    "max.poll.records": "1000",
    "group.protocol": "classic",
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
}
CONSUMER_FIXED = ("enable.auto.commit", "group.protocol", "allow.auto.create.topics")
CONSUMER_EXACTLY_ONCE: Mapping[str, Any] = {"isolation.level": "read_committed"}
UNSTABLE_OFFSETS_KEY = "internal.throw.on.fetch.stable.offset.unsupported"
PRODUCER_DEFAULTS: Mapping[str, Any] = {"linger.ms": "100"}
PRODUCER_EXACTLY_ONCE: Mapping[str, Any] = {
    "delivery.timeout.ms": 2**31 - 1,
    "transaction.timeout.ms": 10_000,
    "enable.idempotence": True,
}
ADMIN_DEFAULTS: Mapping[str, Any] = {"enable.metrics.push": True}
IN_FLIGHT_KEY = "max.in.flight.requests.per.connection"
IN_FLIGHT_MAX = 5
PARTITION_ASSIGNOR = "org.apache.kafka.streams.processor.internals.StreamsPartitionAssignor"
FOR_THE_ASSIGNOR = (
    "upgrade.from",
    "replication.factor",
    "application.server",
    "num.standby.replicas",
    "acceptable.recovery.lag",
    "max.warmup.replicas",
    "probing.rebalance.interval.ms",
    "windowstore.changelog.additional.retention.ms",
    "rack.aware.assignment.non_overlap_cost",
    "rack.aware.assignment.strategy",
    "rack.aware.assignment.tags",
    "rack.aware.assignment.traffic_cost",
    "task.assignor.class",
)


def consumer_settings(
    config: AbstractConfig, own_prefix: str, *, exactly_once: bool
) -> dict[str, Any]:
    """Return a consumer's settings; later ones win: defaults, custom, ``consumer.``, own prefix.

    Raises:
        ConfigException: Exactly-once does not allow so many requests in flight.
    """
    given = given_settings(config, "consumer.", CONSUMER_NAMES)
    given.pop("group.protocol", None)
    _drop_fixed("consumer", given, CONSUMER_DEFAULTS, CONSUMER_FIXED)
    defaults = dict(CONSUMER_DEFAULTS)
    if exactly_once:
        _check_in_flight(given.get(IN_FLIGHT_KEY))
        _drop_fixed("consumer", given, CONSUMER_EXACTLY_ONCE, CONSUMER_EXACTLY_ONCE)
        defaults |= {**CONSUMER_EXACTLY_ONCE, UNSTABLE_OFFSETS_KEY: True}
    servers = {"bootstrap.servers": config.originals()["bootstrap.servers"]}
    own = for_clients(config.originalsWithPrefix(own_prefix))
    _drop_fixed("consumer", own, CONSUMER_DEFAULTS, CONSUMER_FIXED)
    return {**defaults, **_custom(config), **given, **servers, **own}


def main_consumer_settings(config: AbstractConfig, *, exactly_once: bool) -> dict[str, Any]:
    """Return the settings of the consumer of source topics, with those of its assignor.

    Raises:
        ConfigException: Exactly-once does not allow so many requests in flight.
        IllegalArgumentException: Segments of internal topics are smaller than the producer's
            batches.
    """
    settings = consumer_settings(config, "main.consumer.", exactly_once=exactly_once)
    settings |= {key: config.get(key) for key in FOR_THE_ASSIGNOR}
    settings["partition.assignment.strategy"] = PARTITION_ASSIGNOR
    topics = for_clients(config.originalsWithPrefix("topic.", strip=False))
    _check_segments(
        topics.get("topic.segment.bytes"),
        given_settings(config, "producer.", PRODUCER_NAMES).get("batch.size"),
    )
    return settings | topics


def _check_segments(segment: Any, batch: Any) -> None:
    if segment is None or batch is None:
        return
    try:
        too_small = int(segment) < int(batch)
    except (TypeError, ValueError) as error:
        raise IllegalArgumentException(
            f"topic.segment.bytes={segment} and producer.batch.size={batch} must be numbers"
        ) from error
    if too_small:
        raise IllegalArgumentException(
            f"Specified topic segment size {segment} is smaller than the configured producer "
            f"batch size {batch}, this will cause produced batch not able to be appended to the "
            "topic"
        )


def producer_settings(config: AbstractConfig, *, exactly_once: bool) -> dict[str, Any]:
    """Return a producer's settings; later ones win: defaults, custom, ``producer.``.

    Raises:
        ConfigException: Exactly-once does not allow so many requests in flight.
    """
    given = given_settings(config, "producer.", PRODUCER_NAMES)
    defaults = dict(PRODUCER_DEFAULTS)
    if exactly_once:
        _drop_fixed("producer", given, PRODUCER_EXACTLY_ONCE, ("enable.idempotence",))
        if "transactional.id" in given:
            log.warning(
                "producer setting ignored key=transactional.id value=%s: exactly-once sets another",
                given.pop("transactional.id"),
            )
        _check_in_flight(given.get(IN_FLIGHT_KEY))
        defaults |= PRODUCER_EXACTLY_ONCE
    servers = {"bootstrap.servers": config.originals()["bootstrap.servers"]}
    return {**defaults, **_custom(config), **given, **servers}


def admin_settings(config: AbstractConfig) -> dict[str, Any]:
    """Return the admin client's settings; later ones win: defaults, custom, ``admin.``."""
    return {**ADMIN_DEFAULTS, **_custom(config), **given_settings(config, "admin.", ADMIN_NAMES)}


def plain_consumer_settings(
    config: AbstractConfig, prefix: str, *, exactly_once: bool
) -> dict[str, Any]:
    """Return the settings of a consumer that is not Kafka Streams' own, such as Spark's."""
    settings = consumer_settings(config, prefix, exactly_once=exactly_once)
    if exactly_once:
        settings |= CONSUMER_EXACTLY_ONCE
    return _plain(config, settings, CONSUMER_NAMES)


def plain_producer_settings(config: AbstractConfig, *, exactly_once: bool) -> dict[str, Any]:
    """Return the settings of a producer that is not Kafka's in Java."""
    return _plain(config, producer_settings(config, exactly_once=exactly_once), PRODUCER_NAMES)


def plain_admin_settings(config: AbstractConfig) -> dict[str, Any]:
    """Return the settings that all clients share, for clients that are not Kafka's in Java."""
    return _plain(config, admin_settings(config), ADMIN_NAMES)


def _plain(
    config: AbstractConfig, settings: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """Return the entries in ``names`` and those that no client has, for the broker clients."""
    known, not_for_all = set(names), CLIENT_PREFIXES + OTHER_PREFIXES
    kept = {
        key: value
        for key, value in settings.items()
        if key in known or (key not in config.values() and not key.startswith(not_for_all))
    }
    for key in ("partition.assignment.strategy", UNSTABLE_OFFSETS_KEY):
        kept.pop(key, None)
    return kept | {"bootstrap.servers": ",".join(config.getList("bootstrap.servers"))}


def given_settings(config: AbstractConfig, prefix: str, names: frozenset[str]) -> dict[str, Any]:
    """Return the given entries with a client's names and with its prefix; the prefix wins."""
    originals = config.originals()
    known = {key: value for key, value in originals.items() if key in names}
    return for_clients(known | config.originalsWithPrefix(prefix))


def for_clients(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as Kafka's clients take them: durations in milliseconds, paths as texts.

    Example:
        >>> for_clients({"session.timeout.ms": timedelta(seconds=45), "ssl.keystore.location": "k"})
        {'session.timeout.ms': 45000, 'ssl.keystore.location': 'k'}
    """
    return {key: _for_client(key, value) for key, value in settings.items()}


def _for_client(key: str, value: Any) -> Any:
    if isinstance(value, timedelta) and key.endswith(".ms"):
        return to_millis(value, key)
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def refuse_objects(key: str, value: Any) -> None:
    """Refuse an object for a setting of TLS or SASL: its text would be sent, such as asterisks.

    Raises:
        ConfigException: It is one.
    """
    texts = (str, int, float, list, tuple, timedelta, os.PathLike, type(None))
    if key.startswith(("ssl.", "sasl.")) and not isinstance(value, texts):
        raise ConfigException(
            f"Invalid value [hidden] for configuration {key}: Expected value to be a string, but "
            f"it was {a_kind(value)}",
            hint="Give the text itself: of a SecretStr of pydantic what get_secret_value() "
            "returns.",
        )


def _custom(config: AbstractConfig) -> dict[str, Any]:
    """Return the entries that neither Kafka Streams nor a client defines: all clients get them."""
    known = CLIENT_NAMES | config.values().keys()
    prefixes = ("consumer.", "producer.", "admin.")
    return for_clients(
        {
            key: value
            for key, value in config.originals().items()
            if key not in known and not (key.startswith(prefixes) and key not in prefixes)
        }
    )


def _drop_fixed(
    client: str, given: dict[str, Any], used: Mapping[str, Any], fixed: Iterable[str]
) -> None:
    """Remove settings with fixed values; log those that differ."""
    for key in fixed:
        value = given.pop(key, used[key])
        if str(value).lower() != str(used[key]).lower():
            log.warning("%s setting ignored key=%s value=%s used=%s", client, key, value, used[key])


def _check_in_flight(given: Any) -> None:
    if given is None:
        return
    number = given
    if isinstance(given, str):
        if re.fullmatch(r"\s*[+-]?[0-9]+\s*", given) is None:
            raise invalid(
                IN_FLIGHT_KEY, given, "String value could not be parsed as 32-bit integer"
            )
        number = int(given)
    if not isinstance(number, int) or isinstance(number, bool):
        raise invalid(
            IN_FLIGHT_KEY,
            given,
            f"Expected value to be a 32-bit integer, but it was {a_kind(given)}",
        )
    if number > IN_FLIGHT_MAX:
        raise invalid(
            IN_FLIGHT_KEY,
            number,
            f"Can't exceed {IN_FLIGHT_MAX} when exactly-once processing is enabled",
        )
