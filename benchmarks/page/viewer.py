"""A browser that looks at the live page: it reads the stream of events, and asks for metrics."""

from __future__ import annotations

import threading
from contextlib import suppress
from urllib.request import urlopen

from typing_extensions import Self

_PAUSE_S = 0.5
_METRICS_S = 5.0


class Viewer:
    """Reads the page at a port, from whatever application serves it, until it is closed.

    Args:
        port: Of 127.0.0.1.
    """

    def __init__(self, port: int) -> None:
        self._at = f"http://127.0.0.1:{port}"
        self._ending = threading.Event()
        self.events = 0
        """Lines of the stream that were read."""
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._watch, self._scrape)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()

    def _watch(self) -> None:
        while not self._ending.wait(_PAUSE_S):
            # No application may run at the moment.
            with suppress(OSError), urlopen(f"{self._at}/api/events", timeout=10) as stream:
                for _ in stream:
                    self.events += 1
                    if self._ending.is_set():
                        return

    def _scrape(self) -> None:
        while not self._ending.wait(_METRICS_S):
            with suppress(OSError), urlopen(f"{self._at}/metrics", timeout=10) as answer:
                answer.read()
