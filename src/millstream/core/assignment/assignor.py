"""``TaskAssignor``: the interface of task assignors."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from millstream.core.arguments import of_type
from millstream.core.assignment.group import GroupAssignment, GroupSubscription
from millstream.core.assignment.result import KafkaStreamsAssignment
from millstream.core.assignment.state import ApplicationState
from millstream.core.readable import Readable


class TaskAssignor(Readable, ABC):
    """Assigns tasks to processes; configured by ``task.assignor.class``.

    An assignor of a plugin has a ``name``. It is created without arguments; ``configure`` is called
    with the application's configuration, then ``assign`` when processes join or leave.

    Source: KIP-924, ``processor.assignment.TaskAssignor``.
    """

    name: ClassVar[str]
    """The name for ``task.assignor.class`` of an assignor that a plugin offers."""
    sticky: ClassVar[bool] = False
    """Whether the assignor moves only as many tasks as balance requires."""

    class AssignmentError(enum.Enum):
        """Kinds of invalid assignments."""

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
            hint = "Give a list of KafkaStreamsAssignment."
            self._assignment: Collection[KafkaStreamsAssignment] = of_type(
                assignment, Collection, "assignment", hint
            )

        def assignment(self) -> Collection[KafkaStreamsAssignment]:
            """Return one entry for each process."""
            return self._assignment

        def __repr__(self) -> str:
            return f"TaskAssignment({self._assignment!r})"

    @abstractmethod
    def assign(self, applicationState: ApplicationState) -> TaskAssignment:
        """Assign each task to one process, and standbys of stateful tasks to others.

        Raises:
            TaskAssignmentException: The tasks cannot be assigned.
        """

    def onAssignmentComputed(
        self, assignment: GroupAssignment, subscription: GroupSubscription, error: AssignmentError
    ) -> None:
        """Called after ``assign``, with the resulting group assignment.

        Args:
            assignment: The assignment of each consumer of the group.
            subscription: The subscription of each consumer.
            error: The reason if the assignment was invalid, else ``NONE``.
        """
        return

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take the application's configuration; called once, before anything else."""
        return
