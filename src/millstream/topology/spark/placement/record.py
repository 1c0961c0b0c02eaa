"""Placement file: the executors of tasks, for readers outside the application."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from millstream.core.errors import StreamsException
from millstream.core.processor import TaskId
from millstream.core.typed_json import Time, read_json
from millstream.topology.spark.placement.facts import Executor, Move, Standby, TaskPlace
from millstream.topology.spark.private import private_directory, write_private

FILE = "placement.json"
LOCAL = "one process runs all tasks"
"""The remark of an application in local mode; its record is written once, at the start."""


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
    """Return the record in a directory; None if there is none.

    Raises:
        StreamsException: The file is damaged.
    """
    try:
        text = (directory / FILE).read_text(encoding="utf-8")
        found = read_json(text, _Record)
        return PlacementRecord(
            application_id=found.application_id,
            assignor=found.assignor,
            remark=found.remark,
            batch=found.batch,
            written_ms=found.written_ms,
            executors=found.executors,
            tasks=tuple(map(_place, found.tasks)),
        )
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StreamsException(
            f'cannot read "{directory / FILE}"',
            detail=f"{error}.",
            hint="Delete the file: a running application writes it anew.",
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    task: str
    executor: str | None
    wanted: str | None
    moved: Move | None
    standbys: tuple[Standby, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    application_id: str
    assignor: str | None
    remark: str
    batch: Time
    written_ms: Time
    executors: tuple[Executor, ...]
    tasks: tuple[_Task, ...]


def _place(each: _Task) -> TaskPlace:
    task = TaskId.parse(each.task)
    return TaskPlace(
        task=task,
        executor=each.executor,
        wanted=each.wanted,
        moved=each.moved,
        standbys=each.standbys,
    )
