"""Reports of restored stores from the workers, for the application's restore listener."""

from __future__ import annotations

from millstream.core.kafka import TopicPartition
from millstream.core.state.restore import StateRestoreListener
from millstream.topology.spark.driver.callbacks import called
from millstream.topology.spark.reports import Reports
from millstream.topology.spark.state.changelog import Rebuilt


class RebuiltStores(Reports[Rebuilt]):
    """Reports of stores that workers have restored."""


def tell(listener: StateRestoreListener, application_id: str, rebuilt: Rebuilt) -> None:
    """Call a listener for one store, from start to end; errors of the listener are logged."""
    place = TopicPartition(f"{application_id}-{rebuilt.store}-changelog", rebuilt.partition)

    def tell_all() -> None:
        listener.onRestoreStart(place, rebuilt.store, rebuilt.first, rebuilt.end)
        total = 0
        for number, entries in rebuilt.steps:
            total += entries
            listener.onBatchRestored(place, rebuilt.store, number, entries)
        listener.onRestoreEnd(place, rebuilt.store, total)

    called(tell_all, role=f'a restore listener (store "{rebuilt.store}")')
