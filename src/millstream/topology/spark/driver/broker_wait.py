"""Wait of a failed application for a broker that does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import RETRY_BACKOFF, RETRY_BACKOFF_MAX, RETRY_TIMEOUT
from millstream.core.errors import StreamsException


class BrokerWait:
    """Time that has passed, and pauses, since an outage began.

    The first look is made at once. Pauses between further ones double up to a bound. A batch that
    has ended begins anew.

    Args:
        config: The application's configuration.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, config: StreamsConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._first_ms = config.getLong(RETRY_BACKOFF)
        self._longest_ms = config.getLong(RETRY_BACKOFF_MAX)
        self._limit_ms = config.getLong(RETRY_TIMEOUT)
        self._clock = clock
        self._began: float | None = None
        self._looks = 0
        self.waits = False
        """Whether a caller of ``until`` waits now."""

    def failed(self, *, batch_ended: bool) -> bool:
        """Note an outage; return whether it is the first since a batch has ended."""
        is_first = self._began is None or batch_ended
        if is_first:
            self._began, self._looks = self._clock(), 0
        return is_first

    def until(self, answers: Callable[[], bool], stopping: threading.Event) -> bool:
        """Wait until a broker answers or the application stops; return False if it takes too long.

        Args:
            answers: Looks whether a broker answers.
            stopping: Set when the application is to end.
        """
        self.waits = True
        try:
            while not stopping.wait(self.next_pause_s()):
                if self.is_over():
                    return False
                if answers():
                    return True
            return True
        finally:
            self.waits = False

    def next_pause_s(self) -> float:
        """Return how long to wait before the next look."""
        self._looks += 1
        if self._looks == 1:
            return 0.0
        # The exponent is bounded, so that very many looks do not make a huge number.
        return min(self._first_ms << min(self._looks - 2, 30), self._longest_ms) / 1000

    def is_over(self) -> bool:
        """Return whether the outage has been waited for long enough."""
        began = self._clock() if self._began is None else self._began
        return 0 <= self._limit_ms <= (self._clock() - began) * 1000

    def given_up(self, failure: StreamsException) -> StreamsException:
        """Say in a failure that the wait is over, and what to do."""
        failure.hint = (
            f"Kafka has not answered for {RETRY_TIMEOUT}. Check the brokers, and start the "
            "application again: processing continues after the last committed batch."
        )
        return failure
