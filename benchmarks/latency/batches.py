"""Durations of an application's batches, by Spark's names of their parts."""

from __future__ import annotations

import threading
from statistics import median
from typing import Any

from millstream import KafkaStreams

TOTAL = "triggerExecution"
_LOOK_S = 0.3
_KEPT = 4
"""Of the session's ``numRecentProgressUpdates``."""


class Batches:
    """Collects the batches of a running application.

    Args:
        streams: The application.
    """

    def __init__(self, streams: KafkaStreams) -> None:
        self._streams: Any = streams
        self._lock = threading.Lock()
        self._found: dict[int, dict[str, int]] = {}

    def run(self) -> None:
        """Look for batches until the process ends."""
        while True:
            threading.Event().wait(_LOOK_S)
            last = max(self._found, default=-1)
            for batch in self._streams._runner.recent_batches(last, _KEPT):
                with self._lock:
                    self._found[int(batch["batchId"])] = batch["durationMs"]

    def found(self) -> list[dict[str, int]]:
        """Return the durations of the batches seen so far, in milliseconds, oldest first."""
        with self._lock:
            return [self._found[number] for number in sorted(self._found)]


def medians(batches: list[dict[str, int]]) -> dict[str, float]:
    """Return the median duration of each part, over the last two thirds of the batches."""
    settled = batches[len(batches) // 3 :]
    names = {name for batch in settled for name in batch}
    return {name: median(batch.get(name, 0) for batch in settled) for name in sorted(names)}
