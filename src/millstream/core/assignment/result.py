"""``KafkaStreamsAssignment``: the result of a task assignor for one process."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from millstream.core.arguments import of_type, required
from millstream.core.assignment.process import ProcessId
from millstream.core.durations import InstantLike, to_epoch_millis
from millstream.core.errors import IllegalStateException, NullPointerException
from millstream.core.java_text import java_instant, java_text
from millstream.core.java_time import Instant, from_epoch_millis
from millstream.core.processor import TaskId

_TASK = "Give AssignedTask(TaskId(0, 0), AssignedTask.Type.ACTIVE)."
_TASKS = "Give a set of AssignedTask."


class KafkaStreamsAssignment:
    """The tasks of one process; made by ``KafkaStreamsAssignment.of``.

    Source: KIP-924, ``processor.assignment.KafkaStreamsAssignment``.

    Example:
        >>> from uuid import UUID
        >>> task = AssignedTask(TaskId(0, 3), AssignedTask.Type.ACTIVE)
        >>> list(KafkaStreamsAssignment.of(ProcessId(UUID(int=1)), {task}).tasks())
        [0_3]
    """

    @dataclass(frozen=True, slots=True)
    class AssignedTask:
        """A task that is assigned as active or standby."""

        class Type(enum.Enum):
            """Active or standby."""

            ACTIVE = "active"
            STANDBY = "standby"

        _id: TaskId
        _type: Type

        def __post_init__(self) -> None:
            kind = type(self).Type
            of_type(self._id, TaskId, "id", "Give a TaskId.")
            of_type(self._type, kind, "taskType", "Give AssignedTask.Type.ACTIVE or STANDBY.")

        def __str__(self) -> str:
            kind = "null" if self._type is None else self._type.name
            return f"AssignedTask{{{kind}, {java_text(self._id)}}}"

        def id(self) -> TaskId:
            """Return the task."""
            return self._id

        def type(self) -> Type:
            """Return whether the task is active or standby."""
            return self._type

    __slots__ = ("_deadline_ms", "_process_id", "_tasks")

    def __init__(
        self,
        process_id: ProcessId,
        tasks: dict[TaskId, AssignedTask],
        deadline_ms: int | None = None,
    ) -> None:
        self._process_id = process_id
        self._tasks = tasks
        self._deadline_ms = deadline_ms

    @staticmethod
    def of(processId: ProcessId, assignment: Iterable[AssignedTask]) -> KafkaStreamsAssignment:
        """Return a process's tasks.

        Raises:
            IllegalStateException: A task is assigned twice.
        """
        tasks: dict[TaskId, AssignedTask] = {}
        of_type(processId, ProcessId, "processId", "Give a ProcessId.")
        of_type(required(assignment, "assignment"), Iterable, "assignment", _TASKS)
        for task in assignment:
            of_type(required(task, "assignment"), AssignedTask, "assignment", _TASKS)
            if tasks.setdefault(task.id(), task) is not task:
                raise IllegalStateException(
                    f"task {task.id()} is assigned to {processId} twice",
                    detail="It is assigned as active and as standby.",
                )
        return KafkaStreamsAssignment(processId, tasks)

    def withFollowupRebalance(self, rebalanceDeadline: InstantLike) -> KafkaStreamsAssignment:
        """Return the same with a time of the next rebalance.

        Args:
            rebalanceDeadline: A ``datetime``, or epoch milliseconds; a past time means now.
        """
        if rebalanceDeadline is None:
            raise NullPointerException("rebalanceDeadline can't be null")
        return KafkaStreamsAssignment(
            self._process_id,
            dict(self._tasks),
            to_epoch_millis(rebalanceDeadline, "rebalanceDeadline"),
        )

    def processId(self) -> ProcessId:
        """Return the process."""
        return self._process_id

    def tasks(self) -> Mapping[TaskId, AssignedTask]:
        """Return a read-only view of the tasks."""
        return MappingProxyType(self._tasks)

    def assignTask(self, newTask: AssignedTask) -> None:
        """Add a task, or change its type."""
        of_type(required(newTask, "newTask"), AssignedTask, "newTask", _TASK)
        self._tasks[newTask.id()] = newTask

    def removeTask(self, removedTask: AssignedTask) -> None:
        """Remove a task if it is assigned."""
        of_type(required(removedTask, "removedTask"), AssignedTask, "removedTask", _TASK)
        self._tasks.pop(removedTask.id(), None)

    def followupRebalanceDeadline(self) -> Instant | None:
        """Return the time of the next rebalance; None if none is requested."""
        return None if self._deadline_ms is None else from_epoch_millis(self._deadline_ms)

    def __str__(self) -> str:
        tasks = ", ".join(map(str, self._tasks.values()))
        deadline = "Optional.empty"
        if self._deadline_ms is not None:
            deadline = f"Optional[{java_instant(self._deadline_ms)}]"
        return f"KafkaStreamsAssignment{{{java_text(self._process_id)}, [{tasks}], {deadline}}}"

    def __repr__(self) -> str:
        tasks = sorted(self._tasks.values(), key=lambda task: task.id())
        shown = ", ".join(f"{task.id()} {task.type().name}" for task in tasks)
        return f"KafkaStreamsAssignment({self._process_id}: {shown})"


AssignedTask = KafkaStreamsAssignment.AssignedTask
