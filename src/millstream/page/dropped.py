"""Records that tasks have not processed, with the reason, and those in the dead letter queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from millstream.page.readings import Rates, Readings

OTHER = "other"
DEAD_LETTER = "dead letter: "
"""Before the reason for which a record was sent to the dead letter queue."""


class Loss(NamedTuple):
    """How many records of a task were left out, and for what reason."""

    task: str
    node: str | None
    reason: str
    dead: bool
    """Whether they are in the dead letter queue."""
    total: float

    @property
    def counter(self) -> tuple[str, Any]:
        """What its rate is noted by."""
        return "lost", self[:4]


def losses(readings: Readings) -> list[Loss]:
    """Return all losses that are not 0.

    A dropped record that is in the dead letter queue, too, is in two of them.
    """
    found = [
        *_told(readings, "dropped-records-by-reason-total", dead=False),
        *_told(readings, "dead-letter-records-total", dead=True),
    ]
    explained: dict[str, float] = {}
    for loss in found:
        if not loss.dead:
            explained[loss.task] = explained.get(loss.task, 0.0) + loss.total
    for task, total in readings.sums("dropped-records-total", "task-id").items():
        rest = max(0.0, total - explained.get(task, 0.0))
        found.append(Loss(task, None, OTHER, False, rest))
    return [loss for loss in found if loss.total > 0]


def rows(found: list[Loss], rates: Rates) -> list[dict[str, Any]]:
    """Return losses as the page shows them, the largest first."""
    return [
        {
            "task": loss.task,
            "node": loss.node,
            "reason": (DEAD_LETTER if loss.dead else "") + loss.reason,
            "total": int(loss.total),
            "per_s": rates.per_s(loss.counter),
        }
        for loss in sorted(found, key=lambda each: -each.total)
    ]


def late(readings: Readings) -> int:
    """Return how many records were dropped since their window was over."""
    names = ("late-record-drop-total", "expired-window-record-drop-total")
    return int(sum(readings.sum(name) or 0 for name in names))


def _told(readings: Readings, name: str, *, dead: bool) -> Iterator[Loss]:
    for tags, total in readings.all(name):
        task, node = tags.get("task-id", ""), tags.get("processor-node-id")
        yield Loss(task, node, tags.get("reason", OTHER), dead, total)
