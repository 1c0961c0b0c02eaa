"""Registration of the live page's observer as a plugin."""

from __future__ import annotations

from millstream.page.observer import PageObserver
from millstream.plugins.markers import hookimpl
from millstream.plugins.observers import Observer


@hookimpl
def millstream_register_observers() -> list[type[Observer]]:
    """Offer the observer that serves the live page."""
    return [PageObserver]
