"""End of a program whose application still runs: it is told, and closed in order."""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Callable

log = logging.getLogger(__name__)

LEFT = (
    "%s: the program ends while the application runs; closing after the current batch. "
    "A program that is to go on calls run(), or wait() after start()"
)


class ProgramEnd:
    """Closes an application that its program has left running.

    The JVM of Kafka Streams lives on in its threads. A Python process does not: Spark would be torn
    down in the middle of a batch, and nobody would be told.

    Args:
        application_id: The application, for the log.
        runs: Tells whether it still runs.
        close: Closes it.
    """

    def __init__(
        self, application_id: str, runs: Callable[[], bool], close: Callable[[], object]
    ) -> None:
        self._application_id = application_id
        self._runs = runs
        self._close = close
        self._process = 0

    def watch(self) -> None:
        """Close the application at the end of the program, from now on."""
        self._process = os.getpid()
        atexit.register(self.reached)

    def forget(self) -> None:
        """The application has ended."""
        atexit.unregister(self.reached)

    def reached(self) -> None:
        """Close the application, if it is this process's own and still runs."""
        if os.getpid() != self._process or not self._runs():
            return
        log.warning(LEFT, self._application_id)
        try:
            self._close()
        except KeyboardInterrupt:
            # The next start repeats the batch.
            log.warning("%s: not waiting for the current batch", self._application_id)
