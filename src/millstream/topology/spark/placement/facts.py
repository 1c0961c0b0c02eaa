"""Observed executors and tasks, and the moves of tasks."""

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
    """Port of its block manager; 0 while it is not known."""
    cores: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """One observation of the driver."""

    batch: int
    """The last batch that is complete; -1 before the first."""
    executors: tuple[Executor, ...]
    located: Mapping[TaskId, str]
    """The executor of each task: where Spark ran it last, or the current hint."""
    processed: Mapping[TaskId, int] = field(default_factory=dict)
    """Number of records each task has read since its topics began."""
    copies: Mapping[str, frozenset[TaskId]] = field(default_factory=dict)
    """The tasks of which each executor has a standby copy that has caught up."""
    cold: frozenset[str] = frozenset()
    """Executors whose workers are being started, so that no task should move there yet."""
    fresh: frozenset[str] = frozenset()
    """Executors whose workers were started a moment ago, and that have not read in a batch since.
    No task moves there yet: its batch would wait for the first read and for the first state."""
    now_ms: int = 0
    """Wall clock in epoch milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An observed change of a task's executor."""

    source: str | None
    """The executor before; None if there was none."""
    target: str
    batch: int
    """The batch after which the move was observed."""
    at_ms: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standby:
    """A copy of a task's stores on an executor, as that one has reported."""

    executor: str
    running: bool
    """Whether it has caught up once, and follows; False while it warms up."""
    lag: int
    """Number of committed segments that it lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlace:
    """Current and wanted executor of a task."""

    task: TaskId
    executor: str | None
    """The executor that ran it last; None before its first batch."""
    wanted: str | None
    """The executor that should run it; None before a decision."""
    moved: Move | None
    """Its last move."""
    standbys: tuple[Standby, ...] = ()
    """Its copies on other executors."""
