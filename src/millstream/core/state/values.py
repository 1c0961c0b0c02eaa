"""Values in stores besides plain ones: a value with its time, a version of a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from millstream.core.arguments import of_type, whole
from millstream.core.durations import stored_millis
from millstream.core.errors import NullPointerException
from millstream.core.java_shapes import java_optional
from millstream.core.java_text import java_text

V = TypeVar("V")
# A static method's own: the class's are unknown to a type checker there.
V_ = TypeVar("V_")


class ValueAndTimestamp(Generic[V]):
    """A table's value and the event time, in epoch milliseconds, of the record that set it.

    Example:
        >>> ValueAndTimestamp.make("up", 12).timestamp()
        12

    Source: ``state.ValueAndTimestamp``.
    """

    __slots__ = ("_timestamp", "_value")

    def __init__(self, value: V, timestamp: int) -> None:
        self._value = value
        self._timestamp = timestamp

    @staticmethod
    def make(value: V_ | None, timestamp: int) -> ValueAndTimestamp[V_] | None:
        """Return the pair; None if ``value`` is None. The time may be any number or a datetime.

        Raises:
            IllegalArgumentException: The time does not fit into 64 bits, or is None.
            ClassCastException: It is of another type.
        """
        return None if value is None else ValueAndTimestamp(value, stored_millis(timestamp))

    @staticmethod
    def makeAllowNullable(value: V_ | None, timestamp: int) -> ValueAndTimestamp[V_ | None]:
        """Return the pair even if ``value`` is None."""
        return ValueAndTimestamp(value, stored_millis(timestamp))

    @staticmethod
    def getValueOrNull(valueAndTimestamp: ValueAndTimestamp[V_] | None) -> V_ | None:
        """Return the value; None if there is no pair."""
        hint = "Give a ValueAndTimestamp, or None."
        given = of_type(valueAndTimestamp, ValueAndTimestamp, "valueAndTimestamp", hint)
        return None if given is None else given._value

    def value(self) -> V:
        """Return the value."""
        return self._value

    def timestamp(self) -> int:
        """Return the event time in epoch milliseconds."""
        return self._timestamp

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ValueAndTimestamp)
            and self._timestamp == other._timestamp
            and self._value == other._value
        )

    def __hash__(self) -> int:
        return hash((self._value, self._timestamp))

    def __repr__(self) -> str:
        return f"<{self._value},{self._timestamp}>"

    def __str__(self) -> str:
        return f"<{java_text(self._value)},{self._timestamp}>"


@dataclass(frozen=True, slots=True)
class VersionedRecord(Generic[V]):
    """A value, the time from which it holds, and the time at which it stopped, if it did.

    Raises:
        NullPointerException: The value is None.

    Source: KIP-889, ``state.VersionedRecord``.
    """

    _value: V
    _timestamp: int
    _validTo: int | None = None

    def __post_init__(self) -> None:
        if self._value is None:
            raise NullPointerException("value cannot be null.")
        # Stores make many of these, with plain numbers.
        if type(self._timestamp) is not int or self._timestamp >> 63 not in (0, -1):
            object.__setattr__(self, "_timestamp", whole(self._timestamp, "timestamp"))
        end = self._validTo
        if end is not None and (type(end) is not int or end >> 63 not in (0, -1)):
            object.__setattr__(self, "_validTo", whole(end, "validTo"))

    def value(self) -> V:
        """Return the value."""
        return self._value

    def timestamp(self) -> int:
        """Return the first moment (inclusive) at which the value held, in epoch milliseconds."""
        return self._timestamp

    def validTo(self) -> int | None:
        """Return the first moment at which it no longer held; None while it is the latest."""
        return self._validTo

    def __str__(self) -> str:
        return f"<{java_text(self._value)},{self._timestamp},{java_optional(self._validTo)}>"
