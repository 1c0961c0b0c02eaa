"""States of a ``KafkaStreams`` object and the ways between them."""

from __future__ import annotations

import enum
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from millstream.core.errors import IllegalStateException

log = logging.getLogger(__name__)


class State(enum.Enum):
    """Where an application is in its life.

    Source: ``org.apache.kafka.streams.KafkaStreams.State``.
    """

    CREATED = "CREATED"
    REBALANCING = "REBALANCING"
    RUNNING = "RUNNING"
    PENDING_SHUTDOWN = "PENDING_SHUTDOWN"
    NOT_RUNNING = "NOT_RUNNING"
    PENDING_ERROR = "PENDING_ERROR"
    ERROR = "ERROR"

    def hasNotStarted(self) -> bool:
        """Tell whether ``start`` has not been called."""
        return self is State.CREATED

    def isRunningOrRebalancing(self) -> bool:
        """Tell whether records are being processed, or will be soon."""
        return self in (State.RUNNING, State.REBALANCING)

    def isShuttingDown(self) -> bool:
        """Tell whether the application is on its way to an end."""
        return self in (State.PENDING_SHUTDOWN, State.PENDING_ERROR)

    def hasCompletedShutdown(self) -> bool:
        """Tell whether the application has ended."""
        return self in (State.NOT_RUNNING, State.ERROR)

    def hasStartedOrFinishedShuttingDown(self) -> bool:
        """Tell whether the application is ending or has ended."""
        return self.isShuttingDown() or self.hasCompletedShutdown()

    def isValidTransition(self, newState: State) -> bool:
        """Tell whether ``newState`` may follow."""
        return newState in _FOLLOWING[self]


_FOLLOWING: dict[State, tuple[State, ...]] = {
    State.CREATED: (State.REBALANCING, State.PENDING_SHUTDOWN),
    State.REBALANCING: (State.RUNNING, State.PENDING_SHUTDOWN, State.PENDING_ERROR),
    State.RUNNING: (
        State.REBALANCING,
        State.RUNNING,
        State.PENDING_SHUTDOWN,
        State.PENDING_ERROR,
    ),
    State.PENDING_SHUTDOWN: (State.NOT_RUNNING,),
    State.NOT_RUNNING: (),
    State.PENDING_ERROR: (State.ERROR,),
    State.ERROR: (),
}


_IGNORED: dict[State, tuple[State, ...]] = {
    State.REBALANCING: (State.REBALANCING,),
    State.PENDING_SHUTDOWN: tuple(state for state in State if state is not State.NOT_RUNNING),
    State.NOT_RUNNING: (State.PENDING_SHUTDOWN, State.NOT_RUNNING),
    State.PENDING_ERROR: tuple(state for state in State if state is not State.ERROR),
    State.ERROR: (State.PENDING_SHUTDOWN, State.PENDING_ERROR, State.ERROR),
}
"""Where Kafka Streams quietly stays where it is."""


class StateListener(ABC):
    """Follows the states of an application; a callable with the same arguments will do as well.

    Source: ``org.apache.kafka.streams.KafkaStreams.StateListener``.
    """

    @abstractmethod
    def onChange(self, newState: State, oldState: State) -> None:
        """Called at every change, by the thread that makes it."""


class StateMachine:
    """The current state; tells the listener of every change."""

    def __init__(self) -> None:
        self._state = State.CREATED
        self._changed = threading.Condition()
        self.listener: Callable[[State, State], Any] | None = None

    @property
    def state(self) -> State:
        """The current state."""
        return self._state

    def move(self, new: State) -> bool:
        """Change the state; return False where Kafka Streams quietly stays where it is.

        Raises:
            IllegalStateException: ``new`` cannot follow the current state.
        """
        with self._changed:
            old = self._state
            if _is_ignored(old, new):
                return False
            if not old.isValidTransition(new):
                raise IllegalStateException(
                    f"cannot go from state {old.name} to {new.name}",
                    hint="Make a new KafkaStreams object to start again."
                    if old is not State.CREATED
                    else "Call start() first.",
                )
            self._state = new
            self._changed.notify_all()
        log.info("state changed from=%s to=%s", old.name, new.name)
        if self.listener is not None:
            self.listener(new, old)
        return True

    def wait_until_over(self, timeout_s: float | None) -> bool:
        """Wait for a final state; tell whether it came in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._state.hasCompletedShutdown(), timeout_s)


def _is_ignored(old: State, new: State) -> bool:
    return new in _IGNORED.get(old, ())
