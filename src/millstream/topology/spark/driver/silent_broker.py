"""Broker that does not answer while an application waits for the end of its last batch."""

from __future__ import annotations

import time
from collections.abc import Callable

FIRST_LOOK_S = 10.0
"""A batch that ends sooner needs no look."""
PAUSE_S = 5.0
_LOOKS = 2


class SilentBroker:
    """Tells that waiting for a batch is of no use, as no broker answers.

    Spark and the sinks of such a batch try for minutes. Two looks in a row must fail.

    Args:
        answers: Looks whether a broker answers; takes seconds if none does.
        clock: Monotonic clock in seconds.
    """

    def __init__(
        self, answers: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._answers = answers
        self._clock = clock
        self._due = clock() + FIRST_LOOK_S
        self._in_vain = 0

    def is_silent(self) -> bool:
        """Return whether no broker answers, as far as is known; looks when it is time."""
        if self._clock() >= self._due:
            self._in_vain = 0 if self._answers() else self._in_vain + 1
            self._due = self._clock() + PAUSE_S
        return self._in_vain >= _LOOKS
