"""``TopologyConfig``: settings that shape a topology when it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from millstream.core.config.abstract_config import AbstractConfig
from millstream.core.config.checks import checked_entries
from millstream.core.config.definition import ConfigKey
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.config.streams_config import StreamsConfig
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.handlers import (
    DeserializationExceptionHandler,
    ProcessingExceptionHandler,
)
from millstream.core.timestamps import TimestampExtractor
from millstream.core.wording import a_kind

OVERRIDABLE = (
    "buffered.records.per.partition",
    "cache.max.bytes.buffering",
    "default.deserialization.exception.handler",
    "default.dsl.store",
    "default.timestamp.extractor",
    "deserialization.exception.handler",
    "dsl.store.format",
    "dsl.store.suppliers.class",
    "ensure.explicit.internal.resource.naming",
    "max.task.idle.ms",
    "processing.exception.handler",
    "processor.wrapper.class",
    "statestore.cache.max.bytes",
    "task.timeout.ms",
)
TOPOLOGY_KEYS: dict[str, ConfigKey] = {name: CONFIG_KEYS[name] for name in OVERRIDABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConfig:
    """Settings of a task from its topology's configuration.

    Source: ``TopologyConfig.TaskConfig``.
    """

    maxTaskIdleMs: int
    taskTimeoutMs: int
    maxBufferedSize: int
    timestampExtractor: TimestampExtractor
    deserializationExceptionHandler: DeserializationExceptionHandler
    processingExceptionHandler: ProcessingExceptionHandler
    eosEnabled: bool


Task = TaskConfig


# By another name, so that they are types in a class of the same names too.
_TaskConfig = TaskConfig


class TopologyConfig(AbstractConfig):
    """The application's configuration as a topology sees it.

    ``TopologyConfig(streamsConfig)``, or ``TopologyConfig(topologyName, streamsConfig, overrides)``
    for a topology whose own entries win over the application's.

    Source: ``org.apache.kafka.streams.TopologyConfig``.
    """

    TaskConfig: TypeAlias = _TaskConfig

    def __init__(
        self,
        topologyName: str | StreamsConfig | None = None,
        globalAppConfigs: StreamsConfig | None = None,
        topologyOverrides: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(topologyName, StreamsConfig):
            topologyName, globalAppConfigs = None, topologyName
        if globalAppConfigs is None:
            _refuse_alone(topologyName)
            raise NullPointerException("globalAppConfigs can't be null")
        _check_types(topologyName, globalAppConfigs)
        if topologyOverrides is not None:
            checked_entries(topologyOverrides, "topologyOverrides")
        super().__init__(TOPOLOGY_KEYS, topologyOverrides or {})
        self.topologyName = topologyName
        self.applicationConfigs = globalAppConfigs
        self.topologyOverrides = dict(topologyOverrides or {})
        self.eosEnabled = globalAppConfigs.exactly_once()
        self.maxBufferedSize: int = self._effective("buffered.records.per.partition")
        self.maxTaskIdleMs: int = self._effective("max.task.idle.ms")
        self.taskTimeoutMs: int = self._effective("task.timeout.ms")
        self.storeType: str = self._effective("default.dsl.store")
        self.dslStoreSuppliers: Any = self._effective("dsl.store.suppliers.class")
        self.ensureExplicitInternalResourceNaming: bool = self._effective(
            "ensure.explicit.internal.resource.naming"
        )
        self.cacheSize = self._cache_size()
        self.timestampExtractorSupplier = self._supplier("default.timestamp.extractor")
        self.deserializationExceptionHandlerSupplier = self._supplier(
            "deserialization.exception.handler"
        )
        self.processingExceptionHandlerSupplier = self._supplier("processing.exception.handler")

    def isNamedTopology(self) -> bool:
        """Return whether the topology has a name; only then its own entries apply."""
        return self.topologyName is not None

    def resolveDslStoreSuppliers(self) -> Any:
        """Return the configured ``DslStoreSuppliers`` of the DSL's stores.

        Returns:
            Without it, the text of ``default.dsl.store``; None if neither key was given.
        """
        if self._given("dsl.store.suppliers.class"):
            # Kafka Streams makes it and does not configure it.
            return self._source("dsl.store.suppliers.class").made("dsl.store.suppliers.class")
        return self.storeType if self._given("default.dsl.store") else None

    def processor_wrapper(self) -> Any:
        """Return the ``ProcessorWrapper`` of all processors; None if none was given."""
        if not self._given("processor.wrapper.class"):
            return None
        return self._source("processor.wrapper.class").instance("processor.wrapper.class")

    def getTaskConfig(self) -> Task:
        """Return the settings of a task."""
        return Task(
            maxTaskIdleMs=self.maxTaskIdleMs,
            taskTimeoutMs=self.taskTimeoutMs,
            maxBufferedSize=self.maxBufferedSize,
            timestampExtractor=self.timestampExtractorSupplier(),
            deserializationExceptionHandler=self.deserializationExceptionHandlerSupplier(),
            processingExceptionHandler=self.processingExceptionHandlerSupplier(),
            eosEnabled=self.eosEnabled,
        )

    def _overrides(self, key: str) -> bool:
        # As in Kafka, a topology's own entries apply only if the topology has a name.
        return self.topologyName is not None and key in self.topologyOverrides

    def _given(self, key: str) -> bool:
        return self._overrides(key) or key in self.applicationConfigs.originals()

    def _source(self, key: str) -> AbstractConfig:
        return self if self._overrides(key) else self.applicationConfigs

    def _effective(self, key: str) -> Any:
        return self._source(key).get(key)

    def _supplier(self, key: str) -> Callable[[], Any]:
        source = self._source(key)
        return partial(source.instance, key)

    def _cache_size(self) -> int:
        for key in ("statestore.cache.max.bytes", "cache.max.bytes.buffering"):
            if self._overrides(key):
                return self.getLong(key)
        return self.applicationConfigs.cache_bytes()


def _refuse_alone(given: object) -> None:
    """Refuse something else in the place of the only argument."""
    if not isinstance(given, str | None):
        hint = "StreamsConfig({...})" if isinstance(given, Mapping) else "StreamsConfig"
        raise ClassCastException(
            f"globalAppConfigs cannot be {a_kind(given)}",
            hint=f"Write TopologyConfig({hint}).",
        )


def _check_types(name: object, configs: object) -> None:
    if not isinstance(name, str | None):
        raise ClassCastException(
            f"topologyName cannot be {a_kind(name)}", hint="Give a text, or None."
        )
    if not isinstance(configs, StreamsConfig):
        raise ClassCastException(
            f"globalAppConfigs cannot be {a_kind(configs)}", hint="Give StreamsConfig({...})."
        )
