"""Bytes of the files of segments, by stage: Spark measures its own state only, which names them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from millstream.core.processor import TaskId
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.progress import SEGMENT_BYTES
from millstream.topology.spark.state.segment_files import SegmentFiles

_EVERY_S = 5.0
_SHARE = 50
"""Looking may take this part of the time, at most."""


class SegmentSizes:
    """Sizes of one application's stores, looked up seldom.

    Args:
        root: Directory of the checkpoint's segments; empty for none.
        stages: The stages, in their order.
        clock: Returns seconds.
    """

    def __init__(
        self, root: str, stages: Sequence[Stage], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._root = root
        self._stages = stages
        self._clock = clock
        self._looking = threading.Lock()
        self._next = float("-inf")
        self._found = [0] * len(stages)

    def of_stages(self) -> list[int]:
        """Return the bytes of each stage's segments, some seconds old."""
        with self._looking:
            began = self._clock()
            if self._root and began >= self._next:
                # What cannot be looked at now keeps its size: a report is no reason to fail.
                with suppress(OSError):
                    self._found = [self._of(stage) for stage in self._stages]
                took = self._clock() - began
                self._next = began + max(_EVERY_S, _SHARE * took)
            return list(self._found)

    def add_to(self, progress: dict[str, Any]) -> dict[str, Any]:
        """Add the sizes to Spark's report of a batch, whose operators begin at the line's end."""
        operators = progress.get("stateOperators") or ()
        if len(operators) == len(self._stages):
            for operator, size in zip(reversed(operators), self.of_stages(), strict=True):
                operator.setdefault("customMetrics", {})[SEGMENT_BYTES] = size
        return progress

    def _of(self, stage: Stage) -> int:
        tasks = [TaskId(stage.subtopology, number) for number in range(stage.tasks)]
        return sum(SegmentFiles.of(Path(self._root), task).size() for task in tasks)
