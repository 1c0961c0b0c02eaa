"""Facts of a task that its processors and its stores may ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from millstream.core.config.checks import checked_text
from millstream.core.engine.host import TaskHost
from millstream.core.engine.settings import TaskSettings
from millstream.core.metrics import StreamsMetrics
from millstream.core.processor import TaskId


class TaskFacts:
    """Facts of one task, under the names of Kafka's contexts."""

    def __init__(
        self, task_id: TaskId, settings: TaskSettings, host: TaskHost, metrics: StreamsMetrics
    ) -> None:
        self._task_id = task_id
        self._settings = settings
        self._host = host
        self._metrics = metrics

    def applicationId(self) -> str:
        """Return ``application.id``."""
        return self._settings.application_id

    def taskId(self) -> TaskId:
        """Return the task's id."""
        return self._task_id

    def keySerde(self) -> Any:
        """Return the default key serde."""
        return self._settings.key_serde

    def valueSerde(self) -> Any:
        """Return the default value serde."""
        return self._settings.value_serde

    def stateDir(self) -> Path:
        """Return the task's own directory."""
        return self._host.state_dir()

    def metrics(self) -> StreamsMetrics:
        """Return the task's metrics."""
        return self._metrics

    def appConfigs(self) -> dict[str, Any]:
        """Return the application's configuration."""
        return dict(self._settings.configs)

    def appConfigsWithPrefix(self, prefix: str) -> dict[str, Any]:
        """Return the entries whose key starts with ``prefix``, without it."""
        checked_text(prefix, "prefix")
        configs = self._settings.configs.items()
        return {key.removeprefix(prefix): value for key, value in configs if key.startswith(prefix)}
