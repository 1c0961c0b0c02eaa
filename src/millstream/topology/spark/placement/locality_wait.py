"""Spark's wait for the executor of a task, where tasks have standbys."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from statistics import median
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.topology.spark.placement.internals import LOCALITY_WAIT

LEAST_MS, MOST_MS = 200, 3000
_BATCHES = 9


class LocalityWait:
    """Half of an ordinary batch, in place of Spark's three seconds.

    Spark waits for an executor that is lost, too: with standbys this wait would take longer than
    all the rest. A short one lets tasks of a busy executor run where their stores are not.

    Args:
        config: The application's configuration. Nothing changes if it asks for no standbys, or has
            an own ``spark.locality.wait``.
    """

    def __init__(self, config: StreamsConfig) -> None:
        given = any(key.startswith(LOCALITY_WAIT) for key in config.originals())
        self._wanted = config.getInt("num.standby.replicas") > 0 and not given
        self._batches: deque[float] = deque(maxlen=_BATCHES)
        self._now = MOST_MS

    def after(self, progress: Mapping[str, Any]) -> int | None:
        """Return the new wait after a batch, in milliseconds; None to leave it as it is.

        Args:
            progress: Spark's progress of the batch.
        """
        took = (progress.get("durationMs") or {}).get("triggerExecution")
        if not self._wanted or took is None:
            return None
        self._batches.append(took)
        wait = int(min(MOST_MS, max(LEAST_MS, median(self._batches) / 2)))
        if len(self._batches) < _BATCHES or abs(wait - self._now) < self._now / 5:
            return None
        self._now = wait
        return wait
