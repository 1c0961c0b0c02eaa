"""Checks of entries of ``StreamsConfig`` that depend on each other."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.config.definition import ConfigKey, ValueKind, invalid
from millstream.core.errors import (
    ConfigException,
    IllegalArgumentException,
    NullPointerException,
)

log = logging.getLogger(__name__)

TRANSACTION_TIMEOUT = ConfigKey(
    name="producer.transaction.timeout.ms", kind=ValueKind.INT, default=10_000
)
TAGS_MAX = 5
TAG_NAME_MAX = 20
TAG_VALUE_MAX = 30
PUSH = "enable.metrics.push"


def check_transaction_timeout(config: AbstractConfig) -> None:
    """Refuse a transaction timeout below the commit interval.

    Raises:
        IllegalArgumentException: The timeout is below the commit interval.
        NullPointerException: The transaction's timeout is None.
    """
    given = config.originals().get(TRANSACTION_TIMEOUT.name, TRANSACTION_TIMEOUT.default)
    timeout_ms = TRANSACTION_TIMEOUT.parse(given)
    if timeout_ms is None:
        raise NullPointerException(f"{TRANSACTION_TIMEOUT.name} cannot be null")
    interval_ms = config.getLong("commit.interval.ms")
    if timeout_ms < interval_ms:
        raise IllegalArgumentException(
            f"Transaction timeout {timeout_ms} was set lower than streams commit interval "
            f"{interval_ms}.",
            detail="A transaction would end before its commit.",
            hint="Lower commit.interval.ms or raise producer.transaction.timeout.ms.",
        )


def check_client_tags(config: AbstractConfig, tags: Mapping[str, str]) -> None:
    """Refuse too many, empty or too long tags, and rack tags that are not client tags.

    Raises:
        ConfigException: A tag is refused.
    """
    if len(tags) > TAGS_MAX:
        raise ConfigException(
            f"At most {TAGS_MAX} client tags can be specified using client.tag. prefix."
        )
    racks = config.getList("rack.aware.assignment.tags")
    for rack in racks:
        if not rack:
            problem = "Contains invalid value []. Tag key cannot be empty."
            raise invalid("rack.aware.assignment.tags", racks, problem)
        if rack not in tags:
            raise invalid(
                "rack.aware.assignment.tags",
                racks,
                f"Contains invalid value [{rack}] which doesn't have corresponding tag set via "
                "[client.tag.] prefix.",
            )
    for name, tag in tags.items():
        _check_tag(name, tag)


def _check_tag(name: str, tag: str) -> None:
    if not name.strip():
        raise ConfigException("Invalid config `client.tag.` (missing client tag key).")
    key = f"client.tag.{name}"
    if not tag.strip():
        raise invalid(key, "[]", "Tag value cannot be empty.")
    if len(name) > TAG_NAME_MAX:
        raise invalid(key, name, f"Tag key exceeds maximum length of {TAG_NAME_MAX}.")
    if len(tag) > TAG_VALUE_MAX:
        raise invalid(key, tag, f"Tag value exceeds maximum length of {TAG_VALUE_MAX}.")


def check_streams_protocol(config: AbstractConfig, consumer: Mapping[str, Any]) -> None:
    """Refuse static membership with the streams protocol; log settings that it ignores.

    Args:
        config: The entries.
        consumer: The main consumer's settings.

    Raises:
        ConfigException: The main consumer has a ``group.instance.id``.
    """
    if consumer.get("group.instance.id"):
        raise ConfigException(
            "Streams rebalance protocol does not support static membership. Please set "
            "group.protocol=classic or remove group.instance.id from the configuration."
        )
    for key in ("max.warmup.replicas", "num.standby.replicas"):
        if config.getInt(key):
            log.warning("%s has no effect with group.protocol=streams", key)


def check_metrics_push(config: AbstractConfig) -> None:
    """Refuse clients without metrics push if the application pushes metrics (KIP-1076).

    Raises:
        ConfigException: The main consumer or the admin client does not push metrics.
    """
    if not config.getBoolean(PUSH):
        return
    main = _pushes(config, "main.consumer.")
    consumer = _pushes(config, "consumer.")
    admin = _pushes(config, "admin.")
    if consumer is False and main is None and admin is None:
        raise ConfigException(
            "Kafka Streams metrics push enabled but consumer.enable.metrics is false, the setting "
            "needs to be consistent between the two"
        )
    off = [
        name
        for name, pushes in (("main.consumer", main), ("admin.client", admin))
        if pushes is False
    ]
    if off:
        both = "and consumer.enable.metrics are enabled," if consumer else "enabled"
        raise ConfigException(
            f"Kafka Streams metrics push {both} but {' and '.join(off)} metrics push "
            f"{'are' if len(off) > 1 else 'is'} disabled, the setting needs to be consistent "
            "between the two"
        )


def _pushes(config: AbstractConfig, prefix: str) -> bool | None:
    given = config.originalsWithPrefix(prefix)
    if PUSH not in given:
        return None
    pushes: bool | None = ConfigKey(name=prefix + PUSH, kind=ValueKind.BOOLEAN).parse(given[PUSH])
    return pushes
