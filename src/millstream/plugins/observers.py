"""Contract of an observer of an application's state, failures and metrics."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from millstream.core.metrics import Metric, MetricName
from millstream.core.readable import Readable

log = logging.getLogger(__name__)

Measured = Mapping[MetricName, Metric]


class Observer(Readable):
    """Base class of observers; override methods. ``millstream.observer.names`` lists observers.

    Calls come from the driver's process, one at a time, between batches. An error of an observer
    is logged and has no other effect.

    Args:
        application_id: The observed application; each application has its own observers.
        options: The application's configuration.
    """

    name: ClassVar[str]
    """Unique among the plugins; lower case."""

    def __init__(self, application_id: str, options: Mapping[str, Any]) -> None:
        self.application_id = application_id

    def state_changed(self, new: str, old: str) -> None:
        """Called at every change of state, with the names of ``KafkaStreams.State``."""

    def batch_done(self, metrics: Measured) -> None:
        """Called after batches, with the current metrics."""

    def failed(self, error: Exception) -> None:
        """Called after a failure, before the uncaught exception handler."""

    def close(self) -> None:
        """Called once, at the end."""


class Observers:
    """All observers of one application."""

    def __init__(self, observers: Iterable[Observer] = ()) -> None:
        self._observers = list(observers)

    def __bool__(self) -> bool:
        return bool(self._observers)

    def state_changed(self, new: str, old: str) -> None:
        """Tell all of a change of state."""
        self._tell(lambda observer: observer.state_changed(new, old))

    def batch_done(self, metrics: Measured) -> None:
        """Tell all of metrics."""
        self._tell(lambda observer: observer.batch_done(metrics))

    def failed(self, error: Exception) -> None:
        """Tell all of a failure."""
        self._tell(lambda observer: observer.failed(error))

    def close(self) -> None:
        """Close all observers."""
        self._tell(lambda observer: observer.close())
        self._observers = []

    def _tell(self, call: Callable[[Observer], None]) -> None:
        for observer in self._observers:
            try:
                call(observer)
            except Exception:
                log.exception("an observer failed observer=%s", observer.name)
