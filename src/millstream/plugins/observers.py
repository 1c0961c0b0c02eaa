"""Contract of an observer, which follows an application's state and metrics."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from millstream.core.metrics import Metric, MetricName

log = logging.getLogger(__name__)

Measured = Mapping[MetricName, Metric]


class Observer:
    """Override what you want to hear of; ``millstream.observer.names`` names those to call.

    Calls come from the process that started the application, one at a time, between batches. What
    an observer raises is logged and changes nothing.

    Args:
        application_id: Whom it observes; each application has observers of its own.
        options: The application's configuration.
    """

    name: ClassVar[str]
    """Unique among the plugins; lower case."""

    def __init__(self, application_id: str, options: Mapping[str, Any]) -> None:
        self.application_id = application_id

    def state_changed(self, new: str, old: str) -> None:
        """Called at every change of state, with names of ``KafkaStreams.State``."""

    def batch_done(self, metrics: Measured) -> None:
        """Called when batches have ended, with the metrics as they are now."""

    def failed(self, error: Exception) -> None:
        """Called when processing has failed, before it is decided what follows."""

    def close(self) -> None:
        """Called once, at the end."""


class Observers:
    """The observers of one application, called as one."""

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
        """Tell all that it is over; they hear nothing more."""
        self._tell(lambda observer: observer.close())
        self._observers = []

    def _tell(self, call: Callable[[Observer], None]) -> None:
        for observer in self._observers:
            try:
                call(observer)
            except Exception:
                log.exception("an observer failed observer=%s", observer.name)
