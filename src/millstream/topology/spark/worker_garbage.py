"""Collection of garbage in Python workers: of young objects after a task, of all once a minute.

Spark's daemon collects all garbage after every task, which visits every object of a worker: with
everything imported that is some 30 ms of a core, and more with stores in memory, in every batch.
"""

from __future__ import annotations

import gc
import time

_ALL_S = 60.0
_YOUNG = 1


class Garbage:
    """What Spark's daemon uses in place of the module ``gc``."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def collect(self) -> int:
        """Collect garbage; return the number of objects found."""
        now = time.monotonic()
        if now - self._last < _ALL_S:
            return gc.collect(_YOUNG)
        self._last = now
        return gc.collect()
