"""The interface of a task assignor."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from millstream.core.assignment.group import GroupAssignment, GroupSubscription
from millstream.core.assignment.result import KafkaStreamsAssignment
from millstream.core.assignment.state import ApplicationState


class TaskAssignor(ABC):
    """Decides which process runs which task: chosen by ``task.assignor.class``.

    One that comes as a plugin has a ``name``. It is made without arguments, ``configure`` is called
    with the application's configuration, then ``assign`` whenever processes come or go.

    Source: KIP-924, ``processor.assignment.TaskAssignor``.
    """

    name: ClassVar[str]
    """What ``task.assignor.class`` calls it when a plugin offers it."""
    sticky: ClassVar[bool] = False
    """Whether it promises to move no more tasks than balance demands."""

    class AssignmentError(enum.Enum):
        """What can be wrong with an assignment."""

        NONE = enum.auto()
        ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES = enum.auto()
        INVALID_STANDBY_TASK = enum.auto()
        MISSING_PROCESS_ID = enum.auto()
        UNKNOWN_PROCESS_ID = enum.auto()
        UNKNOWN_TASK_ID = enum.auto()

    class TaskAssignment:
        """The tasks of every process."""

        __slots__ = ("_assignment",)

        def __init__(self, assignment: Collection[KafkaStreamsAssignment]) -> None:
            self._assignment = assignment

        def assignment(self) -> Collection[KafkaStreamsAssignment]:
            """Return one entry for each process."""
            return self._assignment

        def __repr__(self) -> str:
            return f"TaskAssignment({list(self._assignment)!r})"

    @abstractmethod
    def assign(self, applicationState: ApplicationState) -> TaskAssignment:
        """Give each task to one process, and copies of stateful tasks to others.

        Raises:
            TaskAssignmentException: It cannot be done.
        """

    def onAssignmentComputed(
        self, assignment: GroupAssignment, subscription: GroupSubscription, error: AssignmentError
    ) -> None:
        """Hear what became of an assignment; called after ``assign``.

        Args:
            assignment: What the consumers of the group are told.
            subscription: What they had said.
            error: What was wrong with the assignment, if anything.
        """
        return

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take the application's configuration; called once, before anything else."""
        return
