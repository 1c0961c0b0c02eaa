"""Observers of an application, each called in a thread of its own: one that hangs is left behind.

An exporter whose server does not answer would keep the thread waiting that follows the query: that
the query has failed would not be seen, and the lease would be renewed for ever.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from queue import SimpleQueue

from millstream.plugins.observers import Call, Measured, Observer, Observers, told
from millstream.topology.spark.driver.state_machine import OwnThread

log = logging.getLogger(__name__)

PATIENCE_S = 10.0
"""How long an application waits for a call of an observer."""
_LATE = (
    "observer %s has not come back for %g s; the application goes on, and tells it of states and "
    "failures when it does"
)


class ObserversApart(Observers):
    """Calls each observer in a thread of its own, and waits for it unless it is late.

    Args:
        observers: The observers.
    """

    def __init__(self, observers: Iterable[Observer]) -> None:
        super().__init__(observers)
        self._lines = [_Line(each) for each in self._observers]

    def is_calling(self) -> bool:
        return any(line.is_this_thread() for line in self._lines)

    def batch_done(self, metrics: Measured) -> None:
        for line in self._lines:
            # The next batch has newer ones.
            if not line.is_late:
                line.tell(lambda observer: observer.batch_done(metrics))

    def close(self) -> None:
        super().close()
        lines, self._lines = self._lines, []
        for line in lines:
            line.end()

    def _tell(self, call: Call) -> None:
        for line in self._lines:
            line.tell(call)


class _Line:
    """Calls of one observer, one after the other."""

    def __init__(self, observer: Observer) -> None:
        self.is_late = False
        """Whether a call was given up waiting for, and has not come back."""
        self._observer = observer
        self._calls: SimpleQueue[tuple[Call, threading.Event] | None] = SimpleQueue()
        self._thread: OwnThread | None = None

    def is_this_thread(self) -> bool:
        """Return whether the observer is called in this thread."""
        return threading.current_thread() is self._thread

    def tell(self, call: Call) -> None:
        """Call the observer; return when it has come back, or is late."""
        # In a call it may close the application, of which it is told at once.
        if self.is_this_thread() or not self._runs():
            told(self._observer, call)
            return
        done = threading.Event()
        self._calls.put((call, done))
        if not self.is_late and not done.wait(PATIENCE_S):
            self.is_late = True
            log.warning(_LATE, self._observer.name, PATIENCE_S)

    def end(self) -> None:
        """End the thread behind the last call."""
        self._calls.put(None)

    def _runs(self) -> bool:
        """Start the thread unless it runs; return whether it does."""
        if self._thread is None or not self._thread.is_alive():
            name = f"millstream-observer-{self._observer.name}"
            thread = OwnThread(target=self._run, name=name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # Python 3.12 starts no thread any more while atexit's functions run.
                return False
            self._thread = thread
        return True

    def _run(self) -> None:
        while (following := self._calls.get()) is not None:
            call, done = following
            told(self._observer, call)
            done.set()
            if self._calls.empty():
                self.is_late = False
