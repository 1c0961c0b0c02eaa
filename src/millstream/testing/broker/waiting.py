"""Time limits of integration tests, and a wait for a condition."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.wording import a_kind
from millstream.testing.broker.errors import WaitTimeoutError

T = TypeVar("T")
Timeout = float | timedelta
"""Seconds, or a `timedelta`."""

_PAUSE_S = 0.05


def wait_for(condition: Callable[[], T], timeout: Timeout = 60, message: str = "") -> T:
    """Call `condition` until it returns something true, and return that.

    An `AssertionError` of the condition means "not yet", so that it may hold assertions of its own;
    every other error ends the wait. It is called at least once, and 20 times a second at most.

    Args:
        condition: Called without arguments.
        timeout: Seconds, or a `timedelta`; at least 0.
        message: What is waited for, for the error: "the application is running".

    Raises:
        WaitTimeoutError: The condition did not become true in time; its `__cause__` is the last
            `AssertionError`, if there was one.

    Example:
        >>> arrived = iter([[], [], ["a record"]])
        >>> wait_for(lambda: next(arrived), message="a record has arrived")
        ['a record']
    """
    limit = Deadline(timeout)
    while True:
        failed: AssertionError | None = None
        try:
            if result := condition():
                return result
        except AssertionError as error:
            failed = error
        if limit.is_over():
            what = message or "the condition is true"
            last = f"It raised AssertionError: {failed}" if failed else ""
            raise WaitTimeoutError(
                f"waited {limit.text} in vain until {what}", detail=last
            ) from failed
        time.sleep(min(_PAUSE_S, limit.left_s()))


class Deadline:
    """The end of a time limit that starts now.

    Raises:
        ClassCastException: The limit is neither a number nor a `timedelta`.
        IllegalArgumentException: It is negative or not a number.
    """

    def __init__(self, timeout: Timeout) -> None:
        limit_s = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        if isinstance(limit_s, bool) or not isinstance(limit_s, (int, float)):
            raise ClassCastException(
                f"timeout cannot be {a_kind(limit_s)}", hint="Give seconds or a timedelta."
            )
        if math.isnan(limit_s) or limit_s < 0:
            raise IllegalArgumentException(f"timeout is {limit_s}; it must be at least 0")
        self.text = f"{limit_s:g} s"
        self._end = time.monotonic() + limit_s

    def left_s(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def is_over(self) -> bool:
        """Tell whether no time is left."""
        return time.monotonic() >= self._end
