"""Entries of a configuration that have no effect on Spark, and the warning that names them."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterator

from millstream.core.config import StreamsConfig
from millstream.core.config.client_names import ADMIN_NAMES, CONSUMER_NAMES, PRODUCER_NAMES
from millstream.core.config.clients import CLIENT_PREFIXES
from millstream.core.config.keys import CONFIG_KEYS, NO_WRAPPER, optimizations
from millstream.core.config.own_keys import UI_CERTIFICATE, UI_HOST, UI_KEY, UI_PORT, UI_TOKEN
from millstream.topology.dsl.options.materialized import StoreType
from millstream.topology.spark.clients.settings import of_python, reaches_librdkafka
from millstream.topology.topology import Topology

log = logging.getLogger(__name__)

_LATER = "of a later Kafka"
_NO_GROUP = "executors have no racks or tags, and are no consumer group"
_CLEANED = "cleanUp() removes local copies"
WITHOUT_EFFECT = {
    "num.stream.threads": "spark.master says how many tasks run at once",
    "rack.aware.assignment.non_overlap_cost": _NO_GROUP,
    "rack.aware.assignment.strategy": _NO_GROUP,
    "rack.aware.assignment.tags": _NO_GROUP,
    "rack.aware.assignment.traffic_cost": _NO_GROUP,
    "group.protocol": _NO_GROUP,
    "max.task.idle.ms": "a batch has what was there when it began",
    "buffered.records.per.partition": "millstream.max.records.per.batch bounds a batch",
    "state.cleanup.delay.ms": _CLEANED,
    "state.cleanup.dir.max.age.ms": _CLEANED,
    "allow.os.group.write.access": "other users cannot read local files",
    "default.interactive.query.isolation.level": "queries see committed batches",
    "enable.transactional.statestores": _LATER,
    "statestore.uncommitted.max.bytes": _LATER,
    "topology.description.push.enabled": _LATER,
    "metadata.cluster.check.enable": _LATER,
    "built.in.metrics.version": "there is one version",
    "config.providers": "a ${...} in an entry stays as it is",
    "default.client.supplier": "the clients are not a JVM's",
}
"""Keys of Kafka Streams and why; docs/configuration.md has a row for each."""

OF_THE_GROUP = frozenset(
    [
        *("auto.commit.interval.ms", "group.id", "group.instance.id", "group.remote.assignor"),
        *("heartbeat.interval.ms", "interceptor.classes", "key.deserializer"),
        *("max.poll.interval.ms", "max.poll.records", "partition.assignment.strategy"),
        *("session.timeout.ms", "value.deserializer"),
    ]
)
"""Settings of consumers that Spark's do not need, or that millstream sets."""

_LESS = {"enable.idempotence": ("false",), "acks": ("0", "1"), "retries": ("0",)}
"""What Kafka's producer can do without, and the values that say so."""

_WRAPPER, _OPTIMIZATION = "processor.wrapper.class", "topology.optimization"
_NAMING, _STORE = "ensure.explicit.internal.resource.naming", "default.dsl.store"
_TO_A_BUILDER = "give TopologyConfig(StreamsConfig(config)) to StreamsBuilder or Topology"

_REPORTERS = "metric.reporters"
_IN_PYTHON = (
    "a reporter in Python is not called: see KafkaStreams.metrics() and millstream.observer.names"
)

_KINDS = {"producer": PRODUCER_NAMES, "admin": ADMIN_NAMES, "consumer": CONSUMER_NAMES}


def warn_without_effect(config: StreamsConfig) -> None:
    """Name, in one warning, the given entries that have no effect on Spark."""
    found = [*_of_streams(config), *_of_clients(config), *_of_the_page(config)]
    if found:
        log.warning("entries of the configuration without effect on Spark: %s", ", ".join(found))


def warn_read_when_built(config: StreamsConfig, topology: Topology) -> None:
    """Name the given entries that only a topology's builder reads, and that it was not given."""
    found = list(_of_builders(config, topology))
    if found:
        log.warning(
            "entries of the configuration that the topology was built without, so that they have "
            "no effect: %s",
            ", ".join(found),
        )


def _of_builders(config: StreamsConfig, topology: Topology) -> Iterator[str]:
    given, settings, built_with = config.originals(), topology.config, topology.optimizations
    own_wrapper = "NoOpProcessorWrapper" not in str(given.get(_WRAPPER, NO_WRAPPER))
    if own_wrapper and settings is None:
        yield f"{_WRAPPER} ({_TO_A_BUILDER})"
    if built_with is None:
        return
    if optimizations(config.getString(_OPTIMIZATION)) - built_with:
        yield f"{_OPTIMIZATION} (give the configuration to StreamsBuilder.build)"
    named = settings is not None and settings.ensureExplicitInternalResourceNaming
    if config.getBoolean(_NAMING) and not named:
        yield f"{_NAMING} ({_TO_A_BUILDER})"
    in_memory = config.getString(_STORE) == StoreType.IN_MEMORY.value
    if in_memory and settings is None and "dsl.store.suppliers.class" not in given:
        yield f"{_STORE} ({_TO_A_BUILDER})"


def _of_streams(config: StreamsConfig) -> Iterator[str]:
    values = config.values()
    for name in config.originals():
        if name.startswith("client.tag."):
            yield f"{name} ({_NO_GROUP})"
        elif name == _REPORTERS and of_python(values[name]):
            yield f"{name} ({_IN_PYTHON})"
        elif name in WITHOUT_EFFECT:
            default = CONFIG_KEYS[name].default
            usual = list(default) if isinstance(default, tuple) else default
            if str(values[name]).lower() != str(usual).lower():
                yield f"{name} ({WITHOUT_EFFECT[name]})"


def _of_the_page(config: StreamsConfig) -> Iterator[str]:
    given = config.originals()
    if given.get(UI_PORT) is None:
        for name in (UI_HOST, UI_TOKEN, UI_CERTIFICATE, UI_KEY):
            if name in given:
                yield f"{name} (there is a page only with {UI_PORT})"


def _of_clients(config: StreamsConfig) -> Iterator[str]:
    for name, value in config.originals().items():
        if name in CONFIG_KEYS:
            continue
        prefix = next((each for each in CLIENT_PREFIXES if name.startswith(each)), "")
        bare = name.removeprefix(prefix)
        if prefix:
            kinds = [prefix.removesuffix(".")]
        else:
            kinds = [kind for kind, names in _KINDS.items() if bare in names]
        if bare in _LESS and prefix in ("", "producer."):
            if str(value).strip().lower() in _LESS[bare]:
                yield f"{name} (sinks are always idempotent)"
        elif kinds and not any(_has_effect(kind, bare) for kind in kinds):
            yield name + _unknown(prefix, bare)


def _has_effect(kind: str, bare: str) -> bool:
    if kind == "restore.consumer" or (kind == "global.consumer" and bare == "auto.offset.reset"):
        return False
    if kind.endswith("consumer"):
        known = bare in CONSUMER_NAMES or reaches_librdkafka(bare, producer=False)
        return known and bare not in OF_THE_GROUP
    return reaches_librdkafka(bare, producer=kind == "producer")


def _unknown(prefix: str, bare: str) -> str:
    """Return that a client has no setting of this name, and which it may have been; or nothing."""
    kind = prefix.removesuffix(".").rpartition(".")[2]
    names = _KINDS.get(kind)
    if names is None or bare in names:
        return ""
    close = difflib.get_close_matches(bare, names, n=1)
    meant = f"; {prefix}{close[0]} is one" if close else ""
    return f" (Kafka's {kind} has no setting of this name{meant})"
