"""``To``: target and event time of a forwarded key and value, as before ``Record``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from millstream.core.arguments import text_or_none, whole
from millstream.core.java_text import java_text


@dataclass(frozen=True, slots=True)
class To:
    """The child, or all children, and the event time of ``forward(key, value, to)``.

    Only ``MockProcessorContext`` still takes it; processors forward a ``Record``.

    Example:
        >>> To.child("sink").withTimestamp(5)
        To(child_name='sink', timestamp=5)

    Source: ``processor.To``.
    """

    child_name: str | None = None
    """None for all children."""
    timestamp: int | None = None
    """Epoch milliseconds; None for that of the current record."""

    def __post_init__(self) -> None:
        child = text_or_none(self.child_name, "childName", "Give the name of a child.")
        object.__setattr__(self, "child_name", child)
        if self.timestamp is not None:
            object.__setattr__(self, "timestamp", whole(self.timestamp, "timestamp"))

    @staticmethod
    def child(childName: str) -> To:
        """Return the target of one child."""
        return To(childName)

    @staticmethod
    def all() -> To:
        """Return the target of all children."""
        return To()

    def withTimestamp(self, timestamp: int) -> To:
        """Return a copy with another event time; -1 stands for that of the current record."""
        given = whole(timestamp, "timestamp")
        return replace(self, timestamp=None if given == -1 else given)

    def __str__(self) -> str:
        name, time = java_text(self.child_name), -1 if self.timestamp is None else self.timestamp
        return f"To{{childName='{name}', timestamp={time}}}"
