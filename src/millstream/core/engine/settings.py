"""Settings of a task, resolved once from the application's configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.config.definition import invalid
from millstream.core.handlers import (
    DeserializationExceptionHandler,
    LogAndFailProcessingExceptionHandler,
    ProcessingExceptionHandler,
    ProductionExceptionHandler,
)
from millstream.core.metrics import MetricConfig, RecordingLevel, StreamsMetrics
from millstream.core.serdes import Serde
from millstream.core.timestamps import TimestampExtractor


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What is recorded of an application, and how."""

    level: RecordingLevel = RecordingLevel.INFO
    config: MetricConfig = field(default_factory=MetricConfig)

    @staticmethod
    def of(config: StreamsConfig) -> Recording:
        """Return what ``config`` says."""
        return Recording(
            level=RecordingLevel[config.getString(StreamsConfig.METRICS_RECORDING_LEVEL_CONFIG)],
            config=MetricConfig(
                samples=config.getInt(StreamsConfig.METRICS_NUM_SAMPLES_CONFIG),
                window_ms=config.getLong(StreamsConfig.METRICS_SAMPLE_WINDOW_MS_CONFIG),
            ),
        )

    def metrics(self, clock: Callable[[], int]) -> StreamsMetrics:
        """Return metrics, empty; ``clock`` returns epoch milliseconds."""
        return StreamsMetrics(clock, self.level, self.config)


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """Serdes, handlers and limits of one application."""

    application_id: str
    key_serde: Serde[Any] | None
    value_serde: Serde[Any] | None
    timestamp_extractor: TimestampExtractor
    deserialization_handler: DeserializationExceptionHandler
    processing_handler: ProcessingExceptionHandler
    production_handler: ProductionExceptionHandler
    cache_bytes: int
    recording: Recording = field(default_factory=Recording)
    configs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(config: StreamsConfig) -> TaskSettings:
        """Resolve and configure what ``config`` names.

        Raises:
            ConfigException: A class cannot be found or is not of the right kind.
        """
        return TaskSettings(
            application_id=config.getString(StreamsConfig.APPLICATION_ID_CONFIG),
            key_serde=config.default_key_serde(),
            value_serde=config.default_value_serde(),
            timestamp_extractor=_needed(
                config, StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG
            ),
            deserialization_handler=_needed(
                config, StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG
            ),
            processing_handler=_needed(
                config, StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG
            ),
            production_handler=_needed(
                config, StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG
            ),
            cache_bytes=config.cache_bytes(),
            recording=Recording.of(config),
            configs=config.merged(),
        )

    def metrics(self, clock: Callable[[], int]) -> StreamsMetrics:
        """Return metrics, empty, that record as the configuration says."""
        return self.recording.metrics(clock)

    def for_globals(self) -> TaskSettings:
        """Return the settings of tasks that fill global stores.

        Unless it is enabled for them, no processing exception handler is asked there.
        """
        key = StreamsConfig.PROCESSING_EXCEPTION_HANDLER_GLOBAL_ENABLED_CONFIG
        if self.configs.get(key):
            return self
        return replace(self, processing_handler=LogAndFailProcessingExceptionHandler())


def _needed(config: StreamsConfig, key: str) -> Any:
    """Return the object of an entry that has a default; None would fail at the first record."""
    found = config.instance(key)
    if found is None:
        raise invalid(
            key, None, "Value must be non-null", hint="Leave the entry out: it has a default."
        )
    return found
