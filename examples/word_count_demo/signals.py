"""Ctrl-C as a request to stop, not as an exception."""

from __future__ import annotations

import signal
from threading import Event


def set_on_signals(stop: Event) -> None:
    """Let SIGINT and SIGTERM set `stop`; a second one ends the process as usual."""

    def handle(number: int, _frame: object) -> None:
        stop.set()
        signal.signal(number, signal.default_int_handler)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
