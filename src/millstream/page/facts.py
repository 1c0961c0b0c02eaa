"""PageFacts about an application at one moment, from which the page's snapshot is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from millstream.core.plan import Plan
from millstream.page.readings import Readings
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.driver.view import ApplicationView
from millstream.topology.spark.placement.facts import Executor, TaskPlace

WANTED = frozenset(
    {
        "records-consumed-total",
        "records-produced-total",
        "process-total",
        "record-e2e-latency-min",
        "dropped-records-total",
        "dropped-records-by-reason-total",
        "late-record-drop-total",
        "expired-window-record-drop-total",
        "dead-letter-records-total",
        "hit-ratio-avg",
        "put-rate",
        "put-all-rate",
        "put-if-absent-rate",
        "delete-rate",
        "remove-rate",
        "get-rate",
        "fetch-rate",
        "range-rate",
        "all-rate",
        "suppression-buffer-size-current",
        "suppression-buffer-count-current",
        "process-rate",
        "state-size-bytes",
    }
)
"""The metrics that a snapshot shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """One look at an application."""

    at_ms: int
    id: str
    state: str
    plan: Plan
    readings: Readings
    guarantee: str = "at_least_once"
    version: str = ""
    started_ms: int | None = None
    master: str | None = None
    paused: bool = False
    spare_for: str | None = None
    waiting: str | None = None
    layout: Layout | None = None
    """None before the start."""
    failures: int = 0
    last: Mapping[str, Any] | None = None
    """Spark's progress of the last batch; None before the first has ended."""
    places: Sequence[TaskPlace] = ()
    executors: Sequence[Executor] = ()
    replay: tuple[int, int] | None = None
    """How far a run over history is, and how far it goes, in offsets."""
    moving: str = ""
    """What the state is from that is moved into the checkpoint at the moment."""
    errors: Sequence[Mapping[str, Any]] = field(default=())
    detailed: bool = True
    """False below recording level DEBUG: what is recorded there reads 0, and is not known."""


def facts_of(
    view: ApplicationView,
    last: Mapping[str, Any] | None,
    *,
    started_ms: int | None,
    errors: Sequence[Mapping[str, Any]],
) -> PageFacts:
    """Return what an application shows of itself now.

    Args:
        view: The application.
        last: Spark's progress of its last batch.
        started_ms: When it began to run.
        errors: Its last errors.
    """
    return PageFacts(
        at_ms=view.now_ms(),
        id=view.id,
        state=view.state(),
        plan=view.plan,
        readings=Readings(view.values(last), WANTED),
        guarantee="exactly_once_v2" if view.exactly_once else "at_least_once",
        version=version("millstream"),
        started_ms=started_ms,
        master=view.master(),
        paused=view.streams.isPaused(),
        spare_for=view.spare_for() or None,
        waiting=view.waiting(),
        layout=view.layout,
        failures=view.failures(),
        last=last,
        places=view.places(),
        executors=view.executors(),
        replay=view.replay(),
        moving=view.moving(),
        errors=errors,
        detailed=view.detailed(),
    )
