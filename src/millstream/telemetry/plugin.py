"""Registration of OpenTelemetry's observer as a plugin."""

from __future__ import annotations

from millstream.plugins.markers import hookimpl
from millstream.plugins.observers import Observer
from millstream.telemetry.observer import TelemetryObserver


@hookimpl
def millstream_register_observers() -> list[type[Observer]]:
    """Offer the observer that sends metrics and traces."""
    return [TelemetryObserver]
