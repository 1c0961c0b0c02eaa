"""Pauses between the restarts of a failed query, and the number of restarts after which it ends."""

from __future__ import annotations

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import RETRY_BACKOFF, RETRY_BACKOFF_MAX, RETRY_MAX_RESTARTS
from millstream.core.errors import StreamsException


class Restarts:
    """The restarts that an uncaught exception handler has asked for with ``REPLACE_THREAD``.

    The first one is made at once. Further ones, while no batch ends between them, wait: each pause
    is twice as long as the one before, up to a bound. A batch that has ended begins anew.

    Args:
        config: The application's configuration.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self._first_ms = config.getLong(RETRY_BACKOFF)
        self._longest_ms = config.getLong(RETRY_BACKOFF_MAX)
        self._most = config.getInt(RETRY_MAX_RESTARTS)
        self.in_a_row = 0
        """Number of restarts since a batch has ended."""

    def next_pause_s(self, *, batch_ended: bool) -> float | None:
        """Return how long to wait before the next restart; None if there is to be none.

        Args:
            batch_ended: Whether a batch has ended since the last restart.
        """
        if batch_ended:
            self.in_a_row = 0
        if self.in_a_row >= self._most:
            return None
        self.in_a_row += 1
        if self.in_a_row == 1:
            return 0.0
        # The exponent is bounded, so that very many restarts do not make a huge number.
        doubled = self._first_ms << min(self.in_a_row - 2, 30)
        return min(doubled, self._longest_ms) / 1000

    def given_up(self, failure: StreamsException) -> StreamsException:
        """Say in a failure why there is no further restart."""
        times = "once" if self.in_a_row == 1 else f"{self.in_a_row} times"
        note = f"Started again {times} without a batch that ended ({RETRY_MAX_RESTARTS})."
        failure.more = (*failure.more, ("given up", note))
        return failure
