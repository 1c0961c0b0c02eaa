"""Executors and tasks at one moment, and what changed since the moment before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from millstream.core.processor import TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class Executor:
    """A process of Spark's that runs tasks."""

    id: str
    host: str
    port: int = 0
    """Where Spark's own processes find it; 0 while it is not known."""
    cores: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the driver sees in one look."""

    batch: int
    """The last batch that is complete; -1 before the first."""
    executors: tuple[Executor, ...]
    located: Mapping[TaskId, str]
    """The executor of each task: where Spark ran it last, or where it was told to run it next."""
    processed: Mapping[TaskId, int] = field(default_factory=dict)
    """How many records each task has read since the beginning."""
    now_ms: int = 0
    """Wall clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A task's change of executor, as it was seen."""

    source: str | None
    """Where it ran before; None if it ran nowhere."""
    target: str
    batch: int
    """The batch after which it was seen there."""
    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlace:
    """Where a task is."""

    task: TaskId
    executor: str | None
    """Where it ran last; None before its first batch."""
    wanted: str | None
    """Where it is to run; None before a decision."""
    moved: Move | None
    """Its last move."""
