"""``max.task.idle.ms`` in the test driver: by its mock clock, with every lag at 0."""

from __future__ import annotations

import logging
from collections.abc import Iterable

log = logging.getLogger(__name__)


class Idling:
    """Decides whether a task may process a record while some of its inputs are empty.

    Args:
        max_idle_ms: How long to wait for an empty input; 0 or less waits for none.
        inputs: Topics that the task reads; for a source with a pattern, the pattern.

    Source: Kafka's ``PartitionGroup.readyToProcess`` (KIP-353, KIP-695).
    """

    def __init__(self, max_idle_ms: int, inputs: Iterable[str]) -> None:
        self._max_idle_ms = max_idle_ms
        self._inputs = tuple(inputs) if max_idle_ms > 0 else ()
        self._deadlines: dict[str, int] = {}
        if max_idle_ms > 0:
            log.info(
                "records wait for other inputs, at most max.task.idle.ms=%d: call "
                "advanceWallClockTime, or pipe records into every input",
                max_idle_ms,
            )

    @property
    def waits(self) -> bool:
        """Whether ``ready`` can return False."""
        return bool(self._inputs)

    def ready(self, queued: Iterable[str], now_ms: int) -> bool:
        """Tell whether the next record may be processed.

        Args:
            queued: The inputs with records.
            now_ms: The wall clock.
        """
        waiting = set(queued) if self._inputs else ()
        for each in self._inputs:
            if each in waiting:
                self._deadlines.pop(each, None)
            elif now_ms < self._deadlines.setdefault(each, now_ms + self._max_idle_ms):
                return False
        return True
