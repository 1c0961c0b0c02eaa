"""Plain values of an assignment: instances, tasks, and the owner of each task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from millstream.core.errors import TaskAssignmentException
from millstream.core.processor import TaskId

NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One process that can run tasks: an executor, or a Kafka Streams client.

    Raises:
        TaskAssignmentException: It has no threads.
    """

    id: str
    threads: int = 1
    active: tuple[TaskId, ...] = ()
    """The tasks that it runs, or ran when it was last heard of."""
    standby: tuple[TaskId, ...] = ()
    """The tasks of which it has a copy, learners among them."""
    lags: Mapping[TaskId, int] = field(default_factory=lambda: NOTHING)
    """How many entries it is behind in the state of a task. Absent: it has none of that state.

    A task in ``active`` is never behind.
    """
    tags: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Its client tags, such as a zone, for placing standbys apart."""
    rack: str | None = None

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise TaskAssignmentException(
                f'instance "{self.id}" has {self.threads} threads',
                hint="Leave out what cannot run tasks.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What an assignor is asked about.

    Raises:
        TaskAssignmentException: Two instances have one id.
    """

    instances: tuple[Instance, ...]
    tasks: tuple[TaskId, ...]
    stateful: frozenset[TaskId] | None = None
    """The tasks that have state; None for all of them."""
    sizes: Mapping[TaskId, int] = field(default_factory=lambda: NOTHING)
    """Entries in the state of a task: as many as an instance that has none of it is behind.

    Absent: more than any lag that is acceptable.
    """
    racks: Mapping[TaskId, tuple[frozenset[str], ...]] = field(default_factory=lambda: NOTHING)
    """For each partition that a task reads, the racks that have a replica of it."""
    changelog_racks: Mapping[TaskId, tuple[frozenset[str], ...]] = field(
        default_factory=lambda: NOTHING
    )
    """The same for each partition that a task logs its state to."""

    def __post_init__(self) -> None:
        ids = [instance.id for instance in self.instances]
        if len(set(ids)) != len(ids):
            twice = next(each for each in ids if ids.count(each) > 1)
            raise TaskAssignmentException(f'two instances have the id "{twice}"')

    def is_stateful(self, task: TaskId) -> bool:
        """Return whether a task has state."""
        return self.stateful is None or task in self.stateful


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Tasks of each instance; a mapping has all instances' ids, and tasks in ascending order."""

    active: Mapping[str, tuple[TaskId, ...]]
    """The tasks that an instance is to run. Each task has one instance."""
    standby: Mapping[str, tuple[TaskId, ...]]
    """The tasks of which it is to have a standby copy."""
    warmup: Mapping[str, tuple[TaskId, ...]]
    """The tasks of which it is to build a copy, so as to run them later: learners."""
    followup: bool = False
    """Whether to assign again before anything else has changed: there are moves still to make."""

    def owners(self) -> dict[TaskId, str]:
        """Return the instance of each task."""
        return {task: name for name, tasks in self.active.items() for task in tasks}


def moved(before: Mapping[str, tuple[TaskId, ...]], after: Assignment) -> dict[TaskId, str]:
    """Return the tasks that had an owner and get another one, each with its new owner.

    Args:
        before: The tasks that each instance ran.
        after: What was assigned then.
    """
    owners = {task: name for name, tasks in before.items() for task in tasks}
    return {task: name for task, name in after.owners().items() if owners.get(task, name) != name}
