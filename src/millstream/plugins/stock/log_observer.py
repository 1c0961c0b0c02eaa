"""Observer that writes to Python's log."""

from __future__ import annotations

import logging
from math import isnan

from millstream.core.metrics import MetricName
from millstream.plugins.observers import Measured, Observer

log = logging.getLogger("millstream.observers")


class LogObserver(Observer):
    """One line for each change of state, failure, and report of metrics.

    Example:
        ``{"millstream.observer.names": "log"}`` in the configuration, and the logger
        ``millstream.observers`` at level INFO.
    """

    name = "log"

    def state_changed(self, new: str, old: str) -> None:
        log.info("state application=%s from=%s to=%s", self.application_id, old, new)

    def batch_done(self, metrics: Measured) -> None:
        """Log the metrics that are numbers and not zero, sorted by name."""
        values = sorted(
            (_place(name), number)
            for name, metric in metrics.items()
            if isinstance(number := metric.metricValue(), float | int)
        )
        text = " ".join(f"{name}={value:g}" for name, value in values if value and not isnan(value))
        log.info("metrics application=%s %s", self.application_id, text)

    def failed(self, error: Exception) -> None:
        """Log the failure, its first line."""
        first = str(error).partition("\n")[0]
        log.error("failure application=%s error=%s", self.application_id, first)


def _place(name: MetricName) -> str:
    """Return a metric's name with its tags, except thread and client."""
    tags = [value for tag, value in name.tags().items() if tag not in ("thread-id", "client-id")]
    return f"{name.name()}[{' '.join(tags)}]" if tags else name.name()
