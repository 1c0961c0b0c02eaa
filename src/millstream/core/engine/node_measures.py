"""Measurements around a processor, for metrics that need every record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.metrics import Sensor, TaskMetrics
from millstream.core.metrics.task_metrics import late_by


class NodeMeasures:
    """A processor's calls, measured; only for nodes where there is something to measure.

    Args:
        measures: The task's way into the metrics.
        ends: Records the age of records, if they go no further.
        late: Records by how much they are behind, if the node minds.
    """

    def __init__(self, measures: TaskMetrics, ends: Sensor | None, late: Sensor | None) -> None:
        self._measures = measures
        self._ends = ends
        self._late = late
        self._stream_time = -1
        self._in_chunk = False

    def by_record(self, call: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return a measured ``process``."""

        def process(record: Any) -> None:
            if self._in_chunk:
                call(record)
                return
            times = (record.timestamp(),)
            self._before(times)
            call(record)
            self._after(times)

        return process

    def by_chunk(self, call: Callable[[Chunk], None]) -> Callable[[Chunk], None]:
        """Return a measured ``process_chunk``, which may fall back on ``process``."""

        def process_chunk(chunk: Chunk) -> None:
            self._before(chunk.timestamps)
            self._in_chunk = True
            try:
                call(chunk)
            finally:
                self._in_chunk = False
            self._after(chunk.timestamps)

        return process_chunk

    def elsewhere(self, chunk: Chunk) -> None:
        """Measure records that something else has processed for the node."""
        self._before(chunk.timestamps)
        self._after(chunk.timestamps)

    def _before(self, timestamps: Sequence[int]) -> None:
        if self._late is not None:
            self._stream_time = late_by(self._late, timestamps, self._stream_time)

    def _after(self, timestamps: Sequence[int]) -> None:
        if self._ends is not None:
            self._measures.ended(self._ends, timestamps)
