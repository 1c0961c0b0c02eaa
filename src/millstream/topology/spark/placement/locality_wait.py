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
    all the rest. It also waits for the cores of one whose workers are being started, as it wants to
    read topics there at once. A short one lets tasks of a busy executor run where their stores are
    not, except where Spark's scheduler is told (LostTasks.java): there they wait three seconds.

    Args:
        config: The application's configuration. Nothing changes if it has an own
            ``spark.locality.wait``, nor without standbys while no workers are being started.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self.given = any(key.startswith(LOCALITY_WAIT) for key in config.originals())
        """Whether the configuration has an own wait, which stays."""
        self._standbys = config.getInt("num.standby.replicas") > 0
        self._batches: deque[float] = deque(maxlen=_BATCHES)
        self._now = MOST_MS

    def after(self, progress: Mapping[str, Any], *, cold: bool = False) -> int | None:
        """Return the new wait after a batch, in milliseconds; None to leave it as it is.

        Args:
            progress: Spark's progress of the batch.
            cold: Whether the workers of an executor are being started, so that its cores are taken.
        """
        took = (progress.get("durationMs") or {}).get("triggerExecution")
        if self.given or took is None:
            return None
        # Batches that wait for such a core are no ordinary ones: the wait would grow by itself.
        if not cold:
            self._batches.append(took)
        if len(self._batches) < _BATCHES:
            return None
        short = self._standbys or cold
        wait = int(min(MOST_MS, max(LEAST_MS, median(self._batches) / 2))) if short else MOST_MS
        if abs(wait - self._now) < self._now / 5:
            return None
        self._now = wait
        return wait
