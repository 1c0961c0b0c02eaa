"""All keys of ``StreamsConfig``, with Kafka's types, defaults and bounds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from millstream.core.config.definition import (
    REQUIRED,
    Check,
    ConfigKey,
    ValueKind,
    at_least,
    invalid,
    not_none,
    one_of,
)
from millstream.core.errors import ConfigException

OPTIMIZATIONS = (
    "reuse.ktable.source.topics",
    "merge.repartition.topics",
    "single.store.self.join",
)
# fmt: off
UPGRADE_FROM = (
    "2.4", "2.5", "2.6", "2.7", "2.8",
    "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9",
    "4.0", "4.1", "4.2",
)
# fmt: on
RACK_TAGS_MAX = 5
LOG_AND_FAIL = "millstream.core.handlers:LogAndFailExceptionHandler"
LOG_AND_FAIL_PROCESSING = "millstream.core.handlers:LogAndFailProcessingExceptionHandler"
DEFAULT_PRODUCTION = "millstream.core.handlers:DefaultProductionExceptionHandler"
NO_WRAPPER = "millstream.core.wrapper:NoOpProcessorWrapper"
ROCKS_DB_SUPPLIERS = "millstream:BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers"


_ACCEPTABLE = (
    'Acceptable values are: "none", "all", or a comma separated list of specific optimizations: '
    f"({', '.join(OPTIMIZATIONS)})."
)


def optimizations(setting: str) -> set[str]:
    """Return the optimisations that ``topology.optimization`` switches on.

    Raises:
        ConfigException: It is neither ``none``, ``all``, nor a list of optimisations.
    """
    # As in Java, commas at the end have no effect.
    kept = setting.rstrip(", ")
    parts = [part.strip() for part in kept.split(",")] if kept or "," not in setting else []
    if parts == ["all"]:
        return set(OPTIMIZATIONS)
    if parts == ["none"]:
        return set()
    if "all" in parts or "none" in parts:
        raise ConfigException(
            f'"{setting}" is not a valid optimization config. {_ACCEPTABLE}',
            hint="Write topology.optimization as all alone, as none alone, or as a list.",
        )
    wrong = [part for part in parts if part not in OPTIMIZATIONS]
    if wrong:
        raise ConfigException(
            f"Unrecognized config. {_ACCEPTABLE}",
            detail=f'The value of topology.optimization is "{setting}"; "{wrong[0]}" is not one.',
        )
    return set(parts)


def _optimization(name: str, value: Any) -> None:
    not_none(name, value)
    optimizations(value)


def _few_tags(name: str, value: Any) -> None:
    not_none(name, value)
    if len(value) > RACK_TAGS_MAX:
        raise invalid(name, value, f"exceeds maximum list size of [{RACK_TAGS_MAX}].")


def _not_empty(name: str, value: Any) -> None:
    not_none(name, value)
    if not value:
        raise invalid(name, value, "It must not be empty")


def _names_not_null(name: str, value: Any) -> None:
    if value is None:
        raise ConfigException(f"Configuration '{name}' values must not be null.")


def _names_given(name: str, value: Any) -> None:
    _names_not_null(name, value)
    if not value:
        raise ConfigException(
            f"Configuration '{name}' must not be empty. Valid values include: any non-empty value"
        )


def _maker(kind: ValueKind) -> Callable[..., ConfigKey]:
    def key(name: str, default: Any = None, check: Check | None = None) -> ConfigKey:
        return ConfigKey(name=name, kind=kind, default=default, check=check)

    return key


_string, _boolean, _int = map(_maker, (ValueKind.STRING, ValueKind.BOOLEAN, ValueKind.INT))
_long, _list, _names = map(_maker, (ValueKind.LONG, ValueKind.LIST, ValueKind.NAMES))
_class = _maker(ValueKind.CLASS)


def _temporary() -> Path:
    """Return the directory of temporary files; where none can be written, the usual name.

    The test driver needs none, and an application may have a state.dir.
    """
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return Path(os.environ.get("TMPDIR") or "/tmp")


CONFIG_KEYS: dict[str, ConfigKey] = {
    key.name: key
    for key in (
        # The test driver accepts an empty id; KafkaStreams refuses it.
        _string("application.id", REQUIRED, not_none),
        _names("bootstrap.servers", REQUIRED, _names_given),
        _int("num.standby.replicas", 0, at_least(0)),
        _boolean("processing.exception.handler.global.enabled", False, not_none),
        _string("state.dir", str(_temporary() / "kafka-streams")),
        _boolean("ensure.explicit.internal.resource.naming", False),
        _long("acceptable.recovery.lag", 10_000, at_least(0)),
        _long("cache.max.bytes.buffering", 10 * 1024 * 1024, at_least(0)),
        _long("statestore.cache.max.bytes", 10 * 1024 * 1024, at_least(0)),
        _string("client.id", ""),
        _class("default.deserialization.exception.handler", LOG_AND_FAIL),
        _class("default.key.serde"),
        _class("default.list.key.serde.inner"),
        _class("default.list.value.serde.inner"),
        _class("default.list.key.serde.type"),
        _class("default.list.value.serde.type"),
        _class("default.production.exception.handler", DEFAULT_PRODUCTION),
        _class("default.timestamp.extractor", "millstream.core.timestamps:FailOnInvalidTimestamp"),
        _class("default.value.serde"),
        _class("deserialization.exception.handler", LOG_AND_FAIL),
        _string("errors.dead.letter.queue.topic.name"),
        _long("max.task.idle.ms", 0),
        _int("max.warmup.replicas", 2, at_least(1)),
        _int("num.stream.threads", 1),
        _class("processing.exception.handler", LOG_AND_FAIL_PROCESSING),
        _string(
            "processing.guarantee", "at_least_once", one_of("at_least_once", "exactly_once_v2")
        ),
        _class("production.exception.handler", DEFAULT_PRODUCTION),
        _class("task.assignor.class"),
        _int("replication.factor", -1),
        _string(
            "security.protocol",
            "PLAINTEXT",
            one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", any_case=True),
        ),
        _long("task.timeout.ms", 300_000, at_least(0)),
        _string("topology.optimization", "none", _optimization),
        _string("group.protocol", "classic", one_of("classic", "streams", any_case=True)),
        _boolean("allow.os.group.write.access", False),
        _string("application.server", ""),
        _int("buffered.records.per.partition", 1000),
        _string("built.in.metrics.version", "latest", one_of("latest")),
        _long("commit.interval.ms", 30_000, at_least(0)),
        _names("config.providers", (), _names_not_null),
        _boolean("enable.metrics.push", True, not_none),
        _int("rack.aware.assignment.non_overlap_cost", None),
        _string(
            "rack.aware.assignment.strategy",
            "none",
            one_of("none", "min_traffic", "balance_subtopology"),
        ),
        _list("rack.aware.assignment.tags", (), _few_tags),
        _int("rack.aware.assignment.traffic_cost", None),
        _long("repartition.purge.interval.ms", 30_000, at_least(0)),
        _long("connections.max.idle.ms", 540_000),
        # Plugins add to Kafka's rocksDB and in_memory, so only the registry can check the name.
        _string("default.dsl.store", "rocksDB", _not_empty),
        _class("dsl.store.suppliers.class", ROCKS_DB_SUPPLIERS),
        _string("dsl.store.format", "DEFAULT", one_of("DEFAULT", "HEADERS", any_case=True)),
        _class("default.client.supplier"),
        _long("log.summary.interval.ms", 120_000),
        _long("metadata.max.age.ms", 300_000, at_least(0)),
        _int("metrics.num.samples", 2, at_least(1)),
        _names("metric.reporters", (), _names_not_null),
        _string("metrics.recording.level", "INFO", one_of("INFO", "DEBUG", "TRACE")),
        _long("metrics.sample.window.ms", 30_000, at_least(0)),
        _long("poll.ms", 100),
        _long("probing.rebalance.interval.ms", 600_000, at_least(60_000)),
        _class("processor.wrapper.class", NO_WRAPPER),
        _int("receive.buffer.bytes", 32_768, at_least(-1)),
        _long("reconnect.backoff.ms", 50, at_least(0)),
        _long("reconnect.backoff.max.ms", 1000, at_least(0)),
        _long("retry.backoff.ms", 100, at_least(0)),
        _int("request.timeout.ms", 40_000, at_least(0)),
        _string(
            "metadata.recovery.strategy",
            "rebootstrap",
            one_of("none", "rebootstrap", any_case=True),
        ),
        _long("metadata.recovery.rebootstrap.trigger.ms", 300_000, at_least(0)),
        _boolean("metadata.cluster.check.enable", True),
        _class("rocksdb.config.setter"),
        _int("send.buffer.bytes", 131_072, at_least(-1)),
        _long("state.cleanup.delay.ms", 600_000),
        _long("state.cleanup.dir.max.age.ms", -1),
        _string("upgrade.from", None, one_of(None, *UPGRADE_FROM)),
        _class("windowed.inner.class.serde"),
        _long("windowstore.changelog.additional.retention.ms", 86_400_000),
        _long("window.size.ms", None),
        # Keys of Kafka 4.4: checked in configurations that have them.
        _long("statestore.uncommitted.max.bytes", 64 * 1024 * 1024, at_least(-1)),
        _boolean("enable.transactional.statestores", False),
        _string(
            "default.interactive.query.isolation.level",
            "READ_UNCOMMITTED",
            one_of("READ_UNCOMMITTED", "READ_COMMITTED"),
        ),
        _boolean("topology.description.push.enabled", True),
    )
}
