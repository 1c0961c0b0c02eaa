"""Snapshot of an application as the page shows it: plain data for JSON."""

from __future__ import annotations

from typing import Any

from millstream.page.batches import BatchHistory
from millstream.page.dropped import Loss, late, losses, rows
from millstream.page.facts import PageFacts
from millstream.page.flows import node_rows, topic_rows
from millstream.page.places import executor_rows, task_rows
from millstream.page.readings import Rates
from millstream.page.stores import buffer_rows, store_rows
from millstream.topology.spark.progress import lag_of

Row = dict[str, Any]


class Snapshots:
    """Makes snapshots, one after another; rates come from what the earlier ones had."""

    def __init__(self) -> None:
        self.batches = BatchHistory()
        self._rates = Rates()

    def of(self, facts: PageFacts) -> Row:
        """Return the snapshot of an application."""
        lost = losses(facts.readings)
        self._rates.note(facts.at_ms, _counters(facts, lost))
        rates = self._rates
        return {
            "at": facts.at_ms,
            "application": _application(facts),
            "totals": _totals(facts, rates, lost),
            "nodes": node_rows(facts, rates),
            "topics": topic_rows(facts, rates),
            "tasks": task_rows(facts),
            "executors": executor_rows(facts),
            "batches": self.batches.rows(),
            "stores": store_rows(facts),
            "dropped": rows(lost, rates),
            "buffers": buffer_rows(facts),
            "errors": list(facts.errors),
            "work": work_of(facts),
        }


def _application(facts: PageFacts) -> Row:
    return {
        "id": facts.id,
        "state": facts.state,
        "started": facts.started_ms,
        "guarantee": facts.guarantee,
        "version": facts.version,
        "master": facts.master,
        "paused": facts.paused,
        "spare_for": facts.spare_for,
        "waiting": facts.waiting,
    }


def _counters(facts: PageFacts, lost: list[Loss]) -> dict[Any, float]:
    counters: dict[Any, float] = {loss.counter: loss.total for loss in lost}
    for name in ("records-consumed-total", "records-produced-total", "process-total"):
        for tag in ("topic", "processor-node-id"):
            sums = facts.readings.sums(name, tag)
            counters |= {(name, tag, value): total for value, total in sums.items()}
    counters["records"] = _records(facts)
    return counters


def _records(facts: PageFacts) -> float:
    """Return how many records were read from the broker; those between stages do not count."""
    inside = {topic for stage in _stages(facts) for topic in stage.internal}
    consumed = facts.readings.sums("records-consumed-total", "topic")
    return sum(total for topic, total in consumed.items() if topic not in inside)


def _stages(facts: PageFacts) -> Any:
    return () if facts.layout is None else facts.layout.stages


def _totals(facts: PageFacts, rates: Rates, lost: list[Loss]) -> Row:
    last = facts.last
    durations = (last or {}).get("durationMs") or {}
    size = facts.readings.sum("state-size-bytes")
    per_s = rates.per_s("records")
    if per_s is None:
        per_s = facts.readings.sum("process-rate", client_id=facts.id)
    return {
        "records": int(_records(facts)),
        "records_per_s": per_s,
        "lag": None if last is None else lag_of(last),
        "batch": None if last is None else last.get("batchId"),
        "batch_ms": durations.get("triggerExecution"),
        "state_bytes": None if size is None else int(size),
        "dropped": int(facts.readings.sum("dropped-records-total") or 0),
        "late": late(facts.readings),
        "dead_lettered": sum(int(loss.total) for loss in lost if loss.dead),
        "failures": facts.failures,
    }


def work_of(facts: PageFacts) -> Row | None:
    """Return what the application does besides its batches, and how far it is; None if nothing."""
    running = facts.state == "RUNNING"
    if facts.replay is not None and running:
        done, of = facts.replay
        what = "Records of history processed"
        return {"kind": "replay", "what": what, "done": done, "of": of, "unit": "records"}
    if facts.state == "REBALANCING" or (running and facts.last is None):
        # Neither Spark's start nor the first batch tells how far it is.
        kind, what = "start", "Starting Spark and the query" if not running else "The first batch"
        if facts.moving:
            kind, what = "restore", f"Bringing the state of {facts.moving} into the checkpoint"
        return {"kind": kind, "what": what, "done": 0, "of": None, "unit": ""}
    return None
