"""``ProcessId``: identity of a process of the application."""

from __future__ import annotations

from functools import total_ordering
from uuid import UUID, uuid4

from millstream.core.arguments import of_type, required


def _signed(uuid: UUID) -> tuple[int, int]:
    # Java compares the two halves as signed numbers.
    high, low = uuid.int >> 64, uuid.int & (1 << 64) - 1
    return (high ^ 1 << 63, low ^ 1 << 63)


@total_ordering
class ProcessId:
    """Identity of a process of the group; a restart keeps it.

    Source: KIP-924, ``processor.assignment.ProcessId``.

    Example:
        >>> ProcessId(UUID(int=7)).id()
        UUID('00000000-0000-0000-0000-000000000007')
    """

    __slots__ = ("_id",)

    def __init__(self, id: UUID) -> None:
        self._id: UUID = of_type(id, UUID, "id", "Give a uuid.UUID.")

    @staticmethod
    def randomProcessId() -> ProcessId:
        """Return a new random id."""
        return ProcessId(uuid4())

    def id(self) -> UUID:
        """Return the UUID."""
        return self._id

    def compareTo(self, other: ProcessId) -> int:
        """Return a negative number, zero or a positive one, as Java's ``compareTo``."""
        of_type(required(other, "other"), ProcessId, "other", "Give a ProcessId.")
        return (self > other) - (self < other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProcessId) and self._id == other._id

    def __lt__(self, other: ProcessId) -> bool:
        known = isinstance(other, ProcessId)
        return _signed(self._id) < _signed(other._id) if known else NotImplemented

    def __hash__(self) -> int:
        return hash(self._id)

    def __str__(self) -> str:
        return str(self._id)

    def __repr__(self) -> str:
        return f"ProcessId({self._id})"
