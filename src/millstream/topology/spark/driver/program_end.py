"""End of a program whose application still runs: it is told, and closed in order."""

from __future__ import annotations

import atexit
import logging
import os
import weakref
from typing import Protocol

from millstream.core.errors import IllegalStateException
from millstream.topology.spark.driver.state_machine import State

log = logging.getLogger(__name__)

LEFT = (
    "%s: the program ends while the application runs; closing after the current batch. "
    "A program that is to go on calls run(), or wait() after start()"
)

CLOSING = "%s: the program ends while the application still closes; waiting for its end"

ELSEWHERE = (
    "%s: close() does nothing in a process that was forked from the one that has started the "
    "application, where it goes on"
)


class Running(Protocol):
    """What is known of an application."""

    def state(self) -> State: ...
    def close(self) -> bool: ...


class ProgramEnd:
    """Closes an application that its program has left running.

    The JVM of Kafka Streams lives on in its threads. A Python process does not: Spark would be torn
    down in the middle of a batch, and nobody would be told. Functions that the program itself gives
    to atexit run before, as they are given when there is an application.

    Args:
        application_id: The application's id, for the log.
        application: The application; it is not kept alive.
    """

    def __init__(self, application_id: str, application: Running) -> None:
        self._application_id = application_id
        self._application = weakref.ref(application, lambda _: atexit.unregister(self.reached))
        self._process = 0
        atexit.register(self.reached)

    def started(self) -> None:
        """Note that this process has started the application, and no other one it has forked."""
        self._process = os.getpid()

    def is_elsewhere(self) -> bool:
        """Tell whether another process has started the application: this one was forked from it."""
        return self._process not in (0, os.getpid())

    def check(self, what: str) -> None:
        """Refuse what only the process can do that has started the application.

        Raises:
            IllegalStateException: Another process has.
        """
        if self.is_elsewhere():
            raise IllegalStateException(
                f"cannot {what}: another process has started the application",
                detail="This process was forked from it, without the threads that follow the "
                "application.",
                hint="Start the application in the process that is to wait for it: a daemon, after "
                "it has forked.",
            )

    def left_alone(self) -> None:
        """Tell that another process's application is not closed."""
        log.warning(ELSEWHERE, self._application_id)

    def reached(self) -> None:
        """Close the application if it runs."""
        application = self._application()
        if os.getpid() != self._process or application is None:
            return
        if application.state().hasCompletedShutdown():
            return
        closes = application.state() is State.PENDING_SHUTDOWN
        log.warning(CLOSING if closes else LEFT, self._application_id)
        try:
            application.close()
        except KeyboardInterrupt:
            # The next start repeats the batch.
            log.warning("%s: not waiting for the current batch", self._application_id)
