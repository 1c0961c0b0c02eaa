"""Those who watch the page: woken by the application's threads, waiting in the server's."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress


class Watchers:
    """Wakes the coroutines that wait for a change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self.over = False
        """Whether the application has ended."""

    def __len__(self) -> int:
        return len(self._events)

    def join(self) -> asyncio.Event:
        """Return an event of this coroutine, set at every change until ``leave``."""
        event = asyncio.Event()
        with self._lock:
            self._events[event] = asyncio.get_running_loop()
        if self.over:
            event.set()
        return event

    def leave(self, event: asyncio.Event) -> None:
        """Wait no longer."""
        with self._lock:
            self._events.pop(event, None)

    def wake(self) -> None:
        """Set all events; from any thread."""
        with self._lock:
            waiting = list(self._events.items())
        for event, loop in waiting:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(event.set)

    def end(self) -> None:
        """Tell all that there will be no other change."""
        self.over = True
        self.wake()
