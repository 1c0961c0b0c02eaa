"""The observer that writes to Python's log."""

from __future__ import annotations

import logging

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
        """Log a change of state."""
        log.info("state application=%s from=%s to=%s", self.application_id, old, new)

    def batch_done(self, metrics: Measured) -> None:
        """Log the metrics, sorted by name."""
        values = sorted((name.name(), metric.metricValue()) for name, metric in metrics.items())
        text = " ".join(f"{name}={value:g}" for name, value in values)
        log.info("metrics application=%s %s", self.application_id, text)

    def failed(self, error: Exception) -> None:
        """Log the failure, its first line."""
        first = str(error).partition("\n")[0]
        log.error("failure application=%s error=%s", self.application_id, first)
