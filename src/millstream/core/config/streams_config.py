"""``StreamsConfig``: the configuration of an application, under Kafka's names."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from millstream.core.arguments import text, text_or_none
from millstream.core.config import clients
from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.config.checks import prefixed
from millstream.core.config.default_serdes import default_serde
from millstream.core.config.definition import ConfigKey
from millstream.core.config.keys import CONFIG_KEYS, optimizations
from millstream.core.config.own_keys import OWN_KEYS, refuse_unknown
from millstream.core.config.together import (
    check_client_tags,
    check_metrics_push,
    check_streams_protocol,
    check_transaction_timeout,
)
from millstream.core.errors import ConfigException
from millstream.core.serdes import Serde

log = logging.getLogger(__name__)

EXACTLY_ONCE_COMMIT_INTERVAL_MS = 100
# Key -> the older key that it replaced; the older one applies if only that is given.
REPLACED = {
    "deserialization.exception.handler": "default.deserialization.exception.handler",
    "production.exception.handler": "default.production.exception.handler",
    "statestore.cache.max.bytes": "cache.max.bytes.buffering",
}


class StreamsConfig(AbstractConfig):
    """The configuration of an application, parsed and checked; keys are Kafka's dotted names.

    Class-valued entries take a class, an object, a callable where the interface has one method, an
    import path, or the Java name of a class that Kafka ships. Keys ending in ``.ms`` also take a
    ``timedelta``. Keys that are not Kafka Streams' (``consumer.*``, ``spark.*``, ...) pass through,
    but an unknown ``millstream.*`` key is refused.

    Args:
        props: The entries; ``application.id`` and ``bootstrap.servers`` are required.

    Raises:
        ConfigException: An entry is missing, of the wrong type or out of bounds.

    Example:
        >>> config = StreamsConfig({"application.id": "demo", "bootstrap.servers": "broker:9092"})
        >>> config.getLong(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG)
        30000

    Source: ``org.apache.kafka.streams.StreamsConfig``.
    """

    TOPIC_PREFIX = "topic."
    CONSUMER_PREFIX = "consumer."
    MAIN_CONSUMER_PREFIX = "main.consumer."
    RESTORE_CONSUMER_PREFIX = "restore.consumer."
    GLOBAL_CONSUMER_PREFIX = "global.consumer."
    PRODUCER_PREFIX = "producer."
    ADMIN_CLIENT_PREFIX = "admin."
    CLIENT_TAG_PREFIX = "client.tag."

    ACCEPTABLE_RECOVERY_LAG_CONFIG = "acceptable.recovery.lag"
    ALLOW_OS_GROUP_WRITE_ACCESS_CONFIG = "allow.os.group.write.access"
    APPLICATION_ID_CONFIG = "application.id"
    APPLICATION_SERVER_CONFIG = "application.server"
    BOOTSTRAP_SERVERS_CONFIG = "bootstrap.servers"
    BUFFERED_RECORDS_PER_PARTITION_CONFIG = "buffered.records.per.partition"
    BUILT_IN_METRICS_VERSION_CONFIG = "built.in.metrics.version"
    CACHE_MAX_BYTES_BUFFERING_CONFIG = "cache.max.bytes.buffering"
    CLIENT_ID_CONFIG = "client.id"
    COMMIT_INTERVAL_MS_CONFIG = "commit.interval.ms"
    CONFIG_PROVIDERS_CONFIG = "config.providers"
    CONNECTIONS_MAX_IDLE_MS_CONFIG = "connections.max.idle.ms"
    DEFAULT_CLIENT_SUPPLIER_CONFIG = "default.client.supplier"
    DEFAULT_DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG = (
        "default.deserialization.exception.handler"
    )
    DEFAULT_DSL_STORE_CONFIG = "default.dsl.store"
    DEFAULT_INTERACTIVE_QUERY_ISOLATION_LEVEL_CONFIG = "default.interactive.query.isolation.level"
    DEFAULT_KEY_SERDE_CLASS_CONFIG = "default.key.serde"
    DEFAULT_LIST_KEY_SERDE_INNER_CLASS = "default.list.key.serde.inner"
    DEFAULT_LIST_KEY_SERDE_TYPE_CLASS = "default.list.key.serde.type"
    DEFAULT_LIST_VALUE_SERDE_INNER_CLASS = "default.list.value.serde.inner"
    DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS = "default.list.value.serde.type"
    DEFAULT_PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG = "default.production.exception.handler"
    DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG = "default.timestamp.extractor"
    DEFAULT_VALUE_SERDE_CLASS_CONFIG = "default.value.serde"
    DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG = "deserialization.exception.handler"
    DSL_STORE_FORMAT_CONFIG = "dsl.store.format"
    DSL_STORE_SUPPLIERS_CLASS_CONFIG = "dsl.store.suppliers.class"
    ENABLE_METRICS_PUSH_CONFIG = "enable.metrics.push"
    ENABLE_TRANSACTIONAL_STATESTORES_CONFIG = "enable.transactional.statestores"
    ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG = "ensure.explicit.internal.resource.naming"
    ERRORS_DEAD_LETTER_QUEUE_TOPIC_NAME_CONFIG = "errors.dead.letter.queue.topic.name"
    GROUP_PROTOCOL_CONFIG = "group.protocol"
    LOG_SUMMARY_INTERVAL_MS_CONFIG = "log.summary.interval.ms"
    MAX_TASK_IDLE_MS_CONFIG = "max.task.idle.ms"
    MAX_TASK_IDLE_MS_DISABLED = -1
    MAX_WARMUP_REPLICAS_CONFIG = "max.warmup.replicas"
    METADATA_CLUSTER_CHECK_ENABLE_CONFIG = "metadata.cluster.check.enable"
    METADATA_MAX_AGE_CONFIG = "metadata.max.age.ms"
    METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG = "metadata.recovery.rebootstrap.trigger.ms"
    METADATA_RECOVERY_STRATEGY_CONFIG = "metadata.recovery.strategy"
    METRICS_NUM_SAMPLES_CONFIG = "metrics.num.samples"
    METRICS_RECORDING_LEVEL_CONFIG = "metrics.recording.level"
    METRICS_SAMPLE_WINDOW_MS_CONFIG = "metrics.sample.window.ms"
    METRIC_REPORTER_CLASSES_CONFIG = "metric.reporters"
    NUM_STANDBY_REPLICAS_CONFIG = "num.standby.replicas"
    NUM_STREAM_THREADS_CONFIG = "num.stream.threads"
    POLL_MS_CONFIG = "poll.ms"
    PROBING_REBALANCE_INTERVAL_MS_CONFIG = "probing.rebalance.interval.ms"
    PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG = "processing.exception.handler"
    PROCESSING_EXCEPTION_HANDLER_GLOBAL_ENABLED_CONFIG = (
        "processing.exception.handler.global.enabled"
    )
    PROCESSING_GUARANTEE_CONFIG = "processing.guarantee"
    PROCESSOR_WRAPPER_CLASS_CONFIG = "processor.wrapper.class"
    PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG = "production.exception.handler"
    RACK_AWARE_ASSIGNMENT_NON_OVERLAP_COST_CONFIG = "rack.aware.assignment.non_overlap_cost"
    RACK_AWARE_ASSIGNMENT_STRATEGY_CONFIG = "rack.aware.assignment.strategy"
    RACK_AWARE_ASSIGNMENT_TAGS_CONFIG = "rack.aware.assignment.tags"
    RACK_AWARE_ASSIGNMENT_TRAFFIC_COST_CONFIG = "rack.aware.assignment.traffic_cost"
    RECEIVE_BUFFER_CONFIG = "receive.buffer.bytes"
    RECONNECT_BACKOFF_MAX_MS_CONFIG = "reconnect.backoff.max.ms"
    RECONNECT_BACKOFF_MS_CONFIG = "reconnect.backoff.ms"
    REPARTITION_PURGE_INTERVAL_MS_CONFIG = "repartition.purge.interval.ms"
    REPLICATION_FACTOR_CONFIG = "replication.factor"
    REQUEST_TIMEOUT_MS_CONFIG = "request.timeout.ms"
    RETRY_BACKOFF_MS_CONFIG = "retry.backoff.ms"
    ROCKSDB_CONFIG_SETTER_CLASS_CONFIG = "rocksdb.config.setter"
    SECURITY_PROTOCOL_CONFIG = "security.protocol"
    SEND_BUFFER_CONFIG = "send.buffer.bytes"
    STATESTORE_CACHE_MAX_BYTES_CONFIG = "statestore.cache.max.bytes"
    STATESTORE_UNCOMMITTED_MAX_BYTES_CONFIG = "statestore.uncommitted.max.bytes"
    STATE_CLEANUP_DELAY_MS_CONFIG = "state.cleanup.delay.ms"
    STATE_CLEANUP_DIR_MAX_AGE_MS_CONFIG = "state.cleanup.dir.max.age.ms"
    STATE_CLEANUP_DIR_MAX_AGE_MS_DISABLED = -1
    STATE_DIR_CONFIG = "state.dir"
    TASK_ASSIGNOR_CLASS_CONFIG = "task.assignor.class"
    TASK_TIMEOUT_MS_CONFIG = "task.timeout.ms"
    TOPOLOGY_DESCRIPTION_PUSH_ENABLED_CONFIG = "topology.description.push.enabled"
    TOPOLOGY_OPTIMIZATION_CONFIG = "topology.optimization"
    UPGRADE_FROM_CONFIG = "upgrade.from"
    WINDOWED_INNER_CLASS_SERDE = "windowed.inner.class.serde"
    WINDOW_SIZE_MS_CONFIG = "window.size.ms"
    WINDOW_STORE_CHANGE_LOG_ADDITIONAL_RETENTION_MS_CONFIG = (
        "windowstore.changelog.additional.retention.ms"
    )

    MAX_RACK_AWARE_ASSIGNMENT_TAG_LIST_SIZE = 5
    MAX_RACK_AWARE_ASSIGNMENT_TAG_KEY_LENGTH = 20
    MAX_RACK_AWARE_ASSIGNMENT_TAG_VALUE_LENGTH = 30
    NO_OPTIMIZATION = "none"
    OPTIMIZE = "all"
    REUSE_KTABLE_SOURCE_TOPICS = "reuse.ktable.source.topics"
    MERGE_REPARTITION_TOPICS = "merge.repartition.topics"
    SINGLE_STORE_SELF_JOIN = "single.store.self.join"
    UPGRADE_FROM_24 = "2.4"
    UPGRADE_FROM_25 = "2.5"
    UPGRADE_FROM_26 = "2.6"
    UPGRADE_FROM_27 = "2.7"
    UPGRADE_FROM_28 = "2.8"
    UPGRADE_FROM_30 = "3.0"
    UPGRADE_FROM_31 = "3.1"
    UPGRADE_FROM_32 = "3.2"
    UPGRADE_FROM_33 = "3.3"
    UPGRADE_FROM_34 = "3.4"
    UPGRADE_FROM_35 = "3.5"
    UPGRADE_FROM_36 = "3.6"
    UPGRADE_FROM_37 = "3.7"
    UPGRADE_FROM_38 = "3.8"
    UPGRADE_FROM_39 = "3.9"
    UPGRADE_FROM_40 = "4.0"
    UPGRADE_FROM_41 = "4.1"
    UPGRADE_FROM_42 = "4.2"
    AT_LEAST_ONCE = "at_least_once"
    EXACTLY_ONCE_V2 = "exactly_once_v2"
    RACK_AWARE_ASSIGNMENT_STRATEGY_NONE = "none"
    RACK_AWARE_ASSIGNMENT_STRATEGY_MIN_TRAFFIC = "min_traffic"
    RACK_AWARE_ASSIGNMENT_STRATEGY_BALANCE_SUBTOPOLOGY = "balance_subtopology"
    METRICS_LATEST = "latest"
    ROCKS_DB = "rocksDB"
    IN_MEMORY = "in_memory"
    DEFAULT_DSL_STORE = "rocksDB"
    DSL_STORE_FORMAT_DEFAULT = "DEFAULT"
    DSL_STORE_FORMAT_HEADERS = "HEADERS"
    DEFAULT_GROUP_PROTOCOL = "classic"

    def __init__(self, props: Mapping[str, Any]) -> None:
        super().__init__(CONFIG_KEYS | OWN_KEYS, props)
        refuse_unknown(self._originals)
        given = self._originals
        if self.exactly_once() and "commit.interval.ms" not in given:
            self._values["commit.interval.ms"] = EXACTLY_ONCE_COMMIT_INTERVAL_MS
        if "reconnect.backoff.ms" in given and "reconnect.backoff.max.ms" not in given:
            # As in Kafka's clients, a chosen backoff is the maximum as well.
            self._values["reconnect.backoff.max.ms"] = self._values["reconnect.backoff.ms"]
        check_client_tags(self, self.getClientTags())
        if self.exactly_once():
            check_transaction_timeout(self)
        check_metrics_push(self)
        if self.isStreamsProtocolEnabled():
            check_streams_protocol(self, self.getMainConsumerConfigs("", ""))
        self.warn_of_slips(clients.CLIENT_PREFIXES + clients.OTHER_PREFIXES, clients.CLIENT_NAMES)

    def __repr__(self) -> str:
        # No other entry: any may be a password.
        name = self._originals.get("application.id")
        return f"{type(self).__name__}(application.id={name!r}, {len(self._originals)} entries)"

    @staticmethod
    def consumerPrefix(consumerProp: str) -> str:
        """Return the key that gives a setting to every consumer."""
        return prefixed("consumer.", consumerProp, "consumerProp")

    @staticmethod
    def mainConsumerPrefix(consumerProp: str) -> str:
        """Return the key that gives a setting to the consumer of source topics."""
        return prefixed("main.consumer.", consumerProp, "consumerProp")

    @staticmethod
    def restoreConsumerPrefix(consumerProp: str) -> str:
        """Return the key that gives a setting to the consumer of changelogs."""
        return prefixed("restore.consumer.", consumerProp, "consumerProp")

    @staticmethod
    def globalConsumerPrefix(consumerProp: str) -> str:
        """Return the key that gives a setting to the consumer of global tables' topics."""
        return prefixed("global.consumer.", consumerProp, "consumerProp")

    @staticmethod
    def producerPrefix(producerProp: str) -> str:
        """Return the key that gives a setting to the producers."""
        return prefixed("producer.", producerProp, "producerProp")

    @staticmethod
    def adminClientPrefix(adminClientProp: str) -> str:
        """Return the key that gives a setting to the admin client."""
        return prefixed("admin.", adminClientProp, "adminClientProp")

    @staticmethod
    def topicPrefix(topicProp: str) -> str:
        """Return the key that gives a setting to internal topics."""
        return prefixed("topic.", topicProp, "topicProp")

    @staticmethod
    def clientTagPrefix(clientTagKey: str) -> str:
        """Return the key of a tag of this instance."""
        return prefixed("client.tag.", clientTagKey, "clientTagKey")

    @staticmethod
    def configDef() -> dict[str, ConfigKey]:
        """Return the definition of every key."""
        return dict(CONFIG_KEYS)

    @staticmethod
    def verifyTopologyOptimizationConfigs(config: str) -> set[str]:
        """Return the optimisations that a value of ``topology.optimization`` switches on.

        Raises:
            ConfigException: It is neither ``none``, ``all``, nor a list of optimisations.
        """
        return optimizations(text(config, "config", "Give a text, such as all."))

    def getMainConsumerConfigs(
        self, groupId: str, clientId: str, threadIdx: int = 1
    ) -> dict[str, Any]:
        """Return the settings of the consumer of source topics."""
        settings = clients.main_consumer_settings(self, exactly_once=self.exactly_once())
        # Kafka's assignor takes the group id as the application id.
        settings |= {"application.id": groupId, "group.id": groupId, "client.id": clientId}
        if settings.get("group.instance.id") is not None:
            settings["group.instance.id"] = f"{settings['group.instance.id']}-{threadIdx}"
        return settings

    def getRestoreConsumerConfigs(self, clientId: str) -> dict[str, Any]:
        """Return the settings of the consumer of changelogs."""
        return self._consumer("restore.consumer.", text_or_none(clientId, "clientId"))

    def getGlobalConsumerConfigs(self, clientId: str) -> dict[str, Any]:
        """Return the settings of the consumer of global tables' topics."""
        return self._consumer("global.consumer.", f"{clientId}-global-consumer")

    def getProducerConfigs(self, clientId: str) -> dict[str, Any]:
        """Return the settings of the producers."""
        settings = clients.producer_settings(self, exactly_once=self.exactly_once())
        return settings | {"client.id": text_or_none(clientId, "clientId")}

    def getAdminConfigs(self, clientId: str) -> dict[str, Any]:
        """Return the settings of the admin client."""
        return clients.admin_settings(self) | {"client.id": text_or_none(clientId, "clientId")}

    def getClientTags(self) -> dict[str, str]:
        """Return the tags of this instance."""
        given = self.originalsWithPrefix("client.tag.")
        return {name: "null" if tag is None else str(tag) for name, tag in given.items()}

    def defaultKeySerde(self) -> Serde[Any]:
        """Return the default key serde, configured.

        Raises:
            ConfigException: There is none.
            StreamsException: It cannot be configured.
        """
        return self._demand(self.default_key_serde(), "key")

    def defaultValueSerde(self) -> Serde[Any]:
        """Return the default value serde, configured.

        Raises:
            ConfigException: There is none.
            StreamsException: It cannot be configured.
        """
        return self._demand(self.default_value_serde(), "value")

    def defaultTimestampExtractor(self) -> Any:
        """Return the default timestamp extractor of sources."""
        return self.instance("default.timestamp.extractor")

    def deserializationExceptionHandler(self) -> Any:
        """Return the deserialization exception handler."""
        return self.instance("deserialization.exception.handler")

    def productionExceptionHandler(self) -> Any:
        """Return the production exception handler."""
        return self.instance("production.exception.handler")

    def processingExceptionHandler(self) -> Any:
        """Return the processing exception handler."""
        return self.instance("processing.exception.handler")

    def isStreamsProtocolEnabled(self) -> bool:
        """Return whether ``group.protocol`` is ``streams``."""
        return self.getString("group.protocol").lower() == "streams"

    def instance(self, key: str) -> Any:
        return super().instance(self._given_form(key))

    def default_key_serde(self) -> Serde[Any] | None:
        """Return the default key serde, configured; None if there is none."""
        return default_serde(self, is_key=True)

    def default_value_serde(self) -> Serde[Any] | None:
        """Return the default value serde, configured; None if there is none."""
        return default_serde(self, is_key=False)

    def cache_bytes(self) -> int:
        """Return the size of the record cache, from the newer or the older of its two keys."""
        return self.getLong(self._given_form("statestore.cache.max.bytes"))

    def exactly_once(self) -> bool:
        """Return whether ``processing.guarantee`` is ``exactly_once_v2``."""
        return self.getString("processing.guarantee") == "exactly_once_v2"

    def _given_form(self, key: str) -> str:
        old = REPLACED.get(key)
        if old is None or old not in self._originals:
            return key
        if key in self._originals:
            log.warning("configuration key %s is deprecated and not used: %s is given", old, key)
            return key
        log.warning("configuration key %s is deprecated, use %s", old, key)
        return old

    def _consumer(self, prefix: str, client_id: str | None) -> dict[str, Any]:
        settings = clients.consumer_settings(self, prefix, exactly_once=self.exactly_once())
        # These consumers have no group: their partitions are assigned manually.
        for key in ("group.id", "group.instance.id"):
            settings.pop(key, None)
        return settings | {"client.id": client_id, "auto.offset.reset": "none"}

    def _demand(self, serde: Serde[Any] | None, role: str) -> Serde[Any]:
        if serde is None:
            raise ConfigException(
                f"Please specify a {role} serde or set one through "
                f"StreamsConfig#DEFAULT_{role.upper()}_SERDE_CLASS_CONFIG"
            )
        return serde
