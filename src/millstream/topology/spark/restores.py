"""Brings word of stores that workers have built anew to the driver, and to the listener there."""

from __future__ import annotations

import logging
from collections import deque
from typing import Any

from pyspark import AccumulatorParam

from millstream.core.kafka import TopicPartition
from millstream.core.state.restore import StateRestoreListener
from millstream.topology.spark.changelog import Rebuilt

log = logging.getLogger(__name__)

Rebuilds = list[Rebuilt]


class RebuiltStores(AccumulatorParam[Rebuilds]):
    """Adds up what workers report; the driver's own object keeps it until it is taken.

    Spark waits for the driver to have taken a report, so that no listener is called from here.
    """

    def __init__(self) -> None:
        self._arrived: deque[Rebuilt] | None = deque()

    def __getstate__(self) -> dict[str, Any]:
        return {"_arrived": None}

    def zero(self, value: Rebuilds) -> Rebuilds:
        """Return what nothing adds up to."""
        del value
        return []

    def addInPlace(self, value1: Rebuilds, value2: Rebuilds) -> Rebuilds:
        """Return both together; on the driver they are put aside."""
        if self._arrived is None:
            return value1 + value2
        self._arrived.extend(value2)
        return []

    def taken(self) -> Rebuilds:
        """Return what has arrived since the last call."""
        arrived = self._arrived or deque()
        return [arrived.popleft() for _ in range(len(arrived))]


def tell(listener: StateRestoreListener, application_id: str, rebuilt: Rebuilt) -> None:
    """Call a listener for one store, from its start to its end; what it raises is logged."""
    place = TopicPartition(f"{application_id}-{rebuilt.store}-changelog", rebuilt.partition)
    try:
        listener.onRestoreStart(place, rebuilt.store, rebuilt.first, rebuilt.end)
        total = 0
        for number, entries in rebuilt.steps:
            total += entries
            listener.onBatchRestored(place, rebuilt.store, number, entries)
        listener.onRestoreEnd(place, rebuilt.store, total)
    except Exception:
        log.exception("a restore listener failed store=%s", rebuilt.store)
