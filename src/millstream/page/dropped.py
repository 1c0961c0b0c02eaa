"""Records that tasks have not processed: late, dropped by rule, sent to the dead letter queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from millstream.page.readings import Rates, Readings

LATE, EXPIRED, OTHER, POISON, DEAD = (
    "late",
    "expired window",
    "other",
    "killed its worker",
    "dead letter",
)


class Loss(NamedTuple):
    """How many records of a task were left out, and for what reason."""

    task: str
    node: str | None
    reason: str
    total: float


def losses(readings: Readings) -> list[Loss]:
    """Return all losses that are not 0.

    Kafka's ``dropped-records`` has all records that a rule drops, late ones included; what no other
    metric explains has the reason ``other``: null keys and records that cannot be read.
    """
    found = [*_late(readings), *_expired(readings)]
    explained: dict[str, float] = {}
    for loss in found:
        explained[loss.task] = explained.get(loss.task, 0.0) + loss.total
    for task, total in readings.sums("dropped-records-total", "task-id").items():
        found.append(Loss(task, None, OTHER, max(0.0, total - explained.get(task, 0.0))))
    for name, reason in (("poisoned-records-total", POISON), ("dead-letters-total", DEAD)):
        sums = readings.sums(name, "task-id")
        found += [Loss(task, None, reason, total) for task, total in sums.items()]
    return [loss for loss in found if loss.total > 0]


def rows(found: list[Loss], rates: Rates) -> list[dict[str, Any]]:
    """Return losses as the page shows them, the largest first."""
    return [
        {
            "task": loss.task,
            "node": loss.node,
            "reason": loss.reason,
            "total": int(loss.total),
            "per_s": rates.per_s(("lost", *loss[:3])),
        }
        for loss in sorted(found, key=lambda each: -each.total)
    ]


def total_of(found: list[Loss], *reasons: str) -> int:
    """Return how many records were lost for some reasons."""
    return int(sum(loss.total for loss in found if loss.reason in reasons))


def _late(readings: Readings) -> Iterator[Loss]:
    for tags, total in readings.all("late-record-drop-total"):
        yield Loss(tags.get("task-id", ""), tags.get("processor-node-id"), LATE, total)


def _expired(readings: Readings) -> Iterator[Loss]:
    for tags, total in readings.all("expired-window-record-drop-total"):
        store = next((value for tag, value in tags.items() if tag.endswith("-state-id")), None)
        yield Loss(tags.get("task-id", ""), store, EXPIRED, total)
