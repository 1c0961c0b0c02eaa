"""Policy for the first position in a topic that the application has not read before."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoOffsetReset:
    """Where to begin in a topic without committed offsets.

    Attributes:
        strategy: ``none``, ``earliest``, ``latest`` or ``by_duration``.
        duration_ms: How far before now to begin; None but for ``by_duration``.

    Source: ``org.apache.kafka.streams.AutoOffsetReset`` (KIP-1106).
    """

    strategy: str
    duration_ms: int | None = None

    @staticmethod
    def none() -> AutoOffsetReset:
        """Return the policy that stops the application instead."""
        return AutoOffsetReset(strategy="none")

    @staticmethod
    def earliest() -> AutoOffsetReset:
        """Return the policy that begins with the oldest record."""
        return AutoOffsetReset(strategy="earliest")

    @staticmethod
    def latest() -> AutoOffsetReset:
        """Return the policy that begins with the next record to come."""
        return AutoOffsetReset(strategy="latest")

    @staticmethod
    def byDuration(duration: DurationLike) -> AutoOffsetReset:
        """Return the policy that begins ``duration`` before now.

        Raises:
            IllegalArgumentException: It is negative.
        """
        if duration is None:
            raise NullPointerException("duration cannot be null")
        duration_ms = to_millis(duration, "duration")
        if duration_ms < 0:
            raise IllegalArgumentException(
                "Duration cannot be negative", detail=f"It is {duration_ms} ms."
            )
        return AutoOffsetReset(strategy="by_duration", duration_ms=duration_ms)


class EarlierAutoOffsetReset:
    """The two policies of ``Topology.AutoOffsetReset``, the enum that Kafka 4.0 deprecated."""

    EARLIEST = AutoOffsetReset.earliest()
    LATEST = AutoOffsetReset.latest()
