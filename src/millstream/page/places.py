"""Tasks and executors as the page shows them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from millstream.page.facts import PageFacts
from millstream.page.lags import lags_of, of_task
from millstream.topology.spark.placement.facts import TaskPlace

DRIVER = "driver"
Row = dict[str, Any]


def task_rows(facts: PageFacts) -> list[Row]:
    """Return every task with its executor, copies, lag and records."""
    if facts.layout is None:
        return []
    places = {place.task: place for place in facts.places}
    hosts = {executor.id: executor.host for executor in facts.executors}
    records = facts.readings.sums("records-consumed-total", "task-id")
    lags = lags_of(facts.last)
    return [
        {
            "id": repr(task),
            "stage": stage.index,
            **_place(places.get(task), hosts),
            "lag": of_task(lags, stage, task.partition()) if stage.topics else _inside(facts),
            "records": int(records.get(repr(task), 0)),
        }
        for stage in facts.layout.stages
        for task in stage.task_ids()
    ]


def executor_rows(facts: PageFacts) -> list[Row]:
    """Return the executors; in local mode the driver is the only one."""
    tasks = Counter(place.executor for place in facts.places)
    copies = Counter(copy.executor for place in facts.places for copy in place.standbys)
    found: list[Row] = [
        {"id": each.id, "host": each.host, "cores": each.cores} for each in facts.executors
    ]
    if not found and tasks.get(DRIVER):
        found = [{"id": DRIVER, "host": None, "cores": local_cores(facts.master)}]
    return [
        row | {"tasks": tasks.get(row["id"], 0), "standbys": copies.get(row["id"], 0)}
        for row in found
    ]


def local_cores(master: str | None) -> int | None:
    """Return how many cores Spark uses in local mode; None for another master."""
    match = re.fullmatch(r"local(?:\[(\*|\d+)(?:,.*)?\])?", master or "")
    if match is None:
        return None
    if match[1] is None:
        return 1
    return os.cpu_count() if match[1] == "*" else int(match[1])


def _inside(facts: PageFacts) -> int | None:
    """Return the lag of a task that reads other stages only: a batch leaves nothing between."""
    return None if facts.last is None else 0


def _place(place: TaskPlace | None, hosts: Mapping[str, str]) -> Row:
    if place is None:
        return {"executor": None, "host": None, "standbys": [], "previous": None}
    moved = place.moved
    previous = None
    if moved is not None and moved.source is not None:
        previous = {"executor": moved.source, "at": moved.at_ms, "why": moved.reason}
    return {
        "executor": place.executor,
        "host": hosts.get(place.executor or ""),
        "standbys": [copy.executor for copy in place.standbys],
        "previous": previous,
    }
