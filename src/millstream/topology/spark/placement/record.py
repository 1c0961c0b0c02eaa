"""Placement file: the executors of tasks, for readers outside the application."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from millstream.core.processor import TaskId
from millstream.topology.spark.placement.facts import Executor, Move, TaskPlace
from millstream.topology.spark.private import private_directory, write_private

FILE = "placement.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementRecord:
    """Placement of an application's tasks."""

    application_id: str
    assignor: str | None
    """Name of the assignor; None if Spark decides."""
    remark: str
    """Reason why Spark decides; empty if it does not."""
    batch: int
    """The last complete batch; -1 if there was none."""
    written_ms: int
    executors: tuple[Executor, ...]
    tasks: tuple[TaskPlace, ...]


def write_record(directory: Path, record: PlacementRecord) -> None:
    """Replace the record in a directory; a reader sees the old one or the new one.

    Raises:
        OSError: The file cannot be written.
    """
    private_directory(directory)
    new = directory / f".{FILE}.{os.getpid()}"
    write_private(new, json.dumps(asdict(record), indent=1, default=repr))
    new.replace(directory / FILE)


def read_record(directory: Path) -> PlacementRecord | None:
    """Return the record in a directory; None if there is none."""
    try:
        fields = json.loads((directory / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    fields["executors"] = tuple(Executor(**each) for each in fields["executors"])
    fields["tasks"] = tuple(map(_place, fields["tasks"]))
    return PlacementRecord(**fields)


def _place(fields: dict[str, Any]) -> TaskPlace:
    moved = fields["moved"]
    task = TaskId.parse(fields["task"])
    return TaskPlace(**fields | {"task": task, "moved": None if moved is None else Move(**moved)})
