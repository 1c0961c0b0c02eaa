"""Calls of a standby update listener, from what executors report of their copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from millstream.core.kafka import TopicPartition
from millstream.core.processor import TaskId
from millstream.core.state.restore import SuspendReason
from millstream.topology.spark.driver.callbacks import called
from millstream.topology.spark.driver.listener_types import TellsStandbys
from millstream.topology.spark.state.standby_files import CopyReport, ExecutorReport, parsed


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """A store's copy on an executor."""

    executor: str
    task: TaskId
    store: str


class StandbyUpdates:
    """Compares the reports with those before, and calls a listener for what has changed.

    Offsets are numbers of segments of the task's changelog. A copy is known when it has its first
    batch, so that its start and that batch are told at once.

    Args:
        listener: The listener; its errors are logged.
        application_id: The application's name.
    """

    def __init__(self, listener: TellsStandbys, application_id: str) -> None:
        self._listener = listener
        self._application_id = application_id
        self._known: dict[_Place, tuple[int, CopyReport]] = {}
        """Entries that a copy had taken in, and the report that said so."""

    def look(self, reports: Iterable[ExecutorReport], runs: Mapping[TaskId, str]) -> None:
        """Call the listener for what is new.

        Args:
            reports: What executors have reported.
            runs: Task -> the executor that runs it.
        """
        now: dict[_Place, tuple[int, CopyReport]] = {}
        for report in reports:
            for copy in report.copies:
                task = parsed(copy.task)
                for store, entries in copy.entries.items() if task else ():
                    assert task is not None
                    now[_Place(report.executor, task, store)] = (entries, copy)
        known, self._known = self._known, now
        for place in sorted(known.keys() - now.keys()):
            self._safely(self._suspended, place, known[place][1], runs.get(place.task))
        for place, (entries, copy) in now.items():
            before = known.get(place)
            if before is None:
                self._safely(self._started, place)
            if before is None or (before[0], before[1].seq) != (entries, copy.seq):
                loaded = max(0, entries - (0 if before is None else before[0]))
                self._safely(self._loaded, place, copy, loaded)

    def _started(self, place: _Place) -> None:
        self._listener.onUpdateStart(self._topic(place), place.store, 0)

    def _loaded(self, place: _Place, copy: CopyReport, entries: int) -> None:
        at = self._topic(place)
        self._listener.onBatchLoaded(at, place.store, place.task, copy.seq, entries, copy.end)

    def _suspended(self, place: _Place, copy: CopyReport, runs_on: str | None) -> None:
        here = runs_on == place.executor
        reason = SuspendReason.PROMOTED if here else SuspendReason.MIGRATED
        at = self._topic(place)
        self._listener.onUpdateSuspended(at, place.store, copy.seq, copy.end, reason)

    def _topic(self, place: _Place) -> TopicPartition:
        name = f"{self._application_id}-{place.store}-changelog"
        return TopicPartition(name, place.task.partition())

    def _safely(self, call: Callable[..., None], place: _Place, *rest: Any) -> None:
        called(call, place, *rest, role=f'a standby update listener (store "{place.store}")')
