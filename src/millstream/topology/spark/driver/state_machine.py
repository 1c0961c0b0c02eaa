"""States of a ``KafkaStreams`` object and the transitions between them."""

from __future__ import annotations

import enum
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from millstream.core.errors import IllegalStateException

log = logging.getLogger(__name__)


class State(enum.Enum):
    """State in the life cycle of an application.

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
        """Return whether ``start`` has not been called."""
        return self is State.CREATED

    def isRunningOrRebalancing(self) -> bool:
        """Return whether records are being processed, or will be soon."""
        return self in (State.RUNNING, State.REBALANCING)

    def isShuttingDown(self) -> bool:
        """Return whether the application is ending."""
        return self in (State.PENDING_SHUTDOWN, State.PENDING_ERROR)

    def hasCompletedShutdown(self) -> bool:
        """Return whether the application has ended."""
        return self in (State.NOT_RUNNING, State.ERROR)

    def hasStartedOrFinishedShuttingDown(self) -> bool:
        """Return whether the application is ending or has ended."""
        return self.isShuttingDown() or self.hasCompletedShutdown()

    def isValidTransition(self, newState: State) -> bool:
        """Return whether ``newState`` may follow."""
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
"""Transitions that Kafka Streams ignores."""


_calling = threading.local()


class OwnThread(threading.Thread):
    """A thread of an application, in which listeners and handlers of the program are called."""


def in_callback() -> bool:
    """Return whether this thread calls, or may call, a listener or handler of any application."""
    calls = getattr(_calling, "depth", 0) > 0
    return calls or isinstance(threading.current_thread(), OwnThread)


class StateListener(ABC):
    """Listener of state changes; a callable with the same arguments is accepted too.

    Source: ``org.apache.kafka.streams.KafkaStreams.StateListener``.
    """

    @abstractmethod
    def onChange(self, newState: State, oldState: State) -> None:
        """Called at every change, by the thread that makes it."""


class StateMachine:
    """The current state; calls the listener at every change."""

    def __init__(self) -> None:
        self._state = State.CREATED
        self._changed = threading.Condition()
        self._over = False
        """Whether the state is final and the listener has been called."""
        self._notifying: set[int] = set()
        """The threads in which the listener is being called."""
        self.listener: Callable[[State, State], Any] | None = None

    @property
    def state(self) -> State:
        """The current state."""
        return self._state

    def move(self, new: State) -> bool:
        """Change the state; return False for a transition that Kafka Streams ignores.

        Raises:
            IllegalStateException: ``new`` cannot follow the current state.
        """
        with self._changed:
            old = self._state
            if new in _IGNORED.get(old, ()):
                return False
            if not old.isValidTransition(new):
                raise IllegalStateException(
                    f"cannot go from state {old.name} to {new.name}",
                    hint="Make a new KafkaStreams object to start again."
                    if old is not State.CREATED
                    else "Call start() first.",
                )
            self._state = new
            # Who waits in a listener does not wait for the one that is called now.
            self._changed.notify_all()
        # A handler of the program's logging may raise; close() would wait for ever.
        with suppress(Exception):
            log.info("state changed from=%s to=%s", old.name, new.name)
        try:
            self._notify(new, old)
        finally:
            with self._changed:
                self._over = self._over or new.hasCompletedShutdown()
                self._changed.notify_all()
        return True

    def is_notifying(self) -> bool:
        """Return whether this thread is calling the listener."""
        return threading.get_ident() in self._notifying

    def _notify(self, new: State, old: State) -> None:
        if self.listener is None:
            return
        before = self._notifying
        self._notifying = before | {threading.get_ident()}
        _calling.depth = getattr(_calling, "depth", 0) + 1
        try:
            self.listener(new, old)
        finally:
            _calling.depth -= 1
            self._notifying = self._notifying - ({threading.get_ident()} - before)

    def move_if_possible(self, new: State) -> bool:
        """Change the state unless ``new`` cannot follow; return whether it has changed."""
        try:
            return self.move(new)
        except IllegalStateException:
            return False

    def wait_until_over(self, timeout_s: float | None) -> bool:
        """Wait for a final state and its listener call; return whether it came in time.

        In a listener or handler, also of another application, the state is enough, as in Kafka
        Streams: the listener that is called may itself wait for that application.
        """
        of_state = in_callback()
        with self._changed:
            return self._changed.wait_for(
                lambda: self._over or (of_state and self._state.hasCompletedShutdown()), timeout_s
            )
