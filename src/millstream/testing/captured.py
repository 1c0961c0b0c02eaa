"""Calls of a processor, captured by the mock contexts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from millstream.core.arguments import of_type, text_or_none
from millstream.core.errors import NullPointerException
from millstream.core.headers import Headers
from millstream.core.java_durations import Duration
from millstream.core.java_time import Instant, from_epoch_millis, from_millis
from millstream.core.keyvalue import KeyValue
from millstream.core.processor import Cancellable, PunctuationType
from millstream.core.records import FixedKeyRecord, Record

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class CalledPunctuator:
    """Adapter from a callable to a ``Punctuator``; equal to the callable."""

    callback: Callable[[int], None]

    def punctuate(self, timestamp: int) -> None:
        """Call it."""
        self.callback(timestamp)

    def __call__(self, timestamp: int) -> None:
        self.callback(timestamp)

    def __eq__(self, other: object) -> bool:
        return self.callback == (other.callback if type(other) is type(self) else other)

    def __hash__(self) -> int:
        return hash(self.callback)


class CapturedPunctuator(Cancellable):
    """One call of ``schedule``; a test runs it by ``getPunctuator().punctuate(time)``.

    Source: ``MockProcessorContext.CapturedPunctuator``.
    """

    _shown = ("_interval_ms", "_kind", "_cancelled")

    def __init__(
        self,
        start_ms: int | None,
        interval_ms: int | None,
        kind: PunctuationType | None,
        callback: Any,
    ) -> None:
        self._start_ms = start_ms
        self._interval_ms = interval_ms
        self._kind = kind
        self._callback = callback
        self._cancelled = False

    def getStartTime(self) -> Instant | None:
        """Return the start time of the schedule; None if it was scheduled without one."""
        return None if self._start_ms is None else from_epoch_millis(self._start_ms)

    def getInterval(self) -> Duration | None:
        """Return the interval, cut to the longest ``Duration``; None if None was given."""
        return None if self._interval_ms is None else from_millis(self._interval_ms)

    def getIntervalMs(self) -> int | None:
        """Return the interval in milliseconds; None if None was given."""
        return self._interval_ms

    def getType(self) -> PunctuationType | None:
        """Return the clock; None if None was given."""
        return self._kind

    def getPunctuator(self) -> Any:
        """Return the processor's punctuator; a callable gets a method ``punctuate``."""
        if self._callback is None or hasattr(self._callback, "punctuate"):
            return self._callback
        return CalledPunctuator(self._callback)

    def cancel(self) -> None:
        """Record the cancellation, as the handle returned by ``schedule`` does."""
        self._cancelled = True

    def cancelled(self) -> bool:
        """Tell whether it was cancelled."""
        return self._cancelled


@dataclass(frozen=True, slots=True)
class CapturedForward(Generic[K, V]):
    """One call of ``forward``.

    Source: ``MockProcessorContext.CapturedForward``.
    """

    _record: Any
    _child: str | None = None

    def __post_init__(self) -> None:
        if self._record is None:
            raise NullPointerException("record cannot be null")
        kinds = (Record, FixedKeyRecord)
        of_type(self._record, kinds, "record", "Give Record(key, value, timestamp).")
        text_or_none(self._child, "childName", "Give the name of a child.")

    def __str__(self) -> str:
        child = "Optional.empty" if self._child is None else f"Optional[{self._child}]"
        return f"CapturedForward{{record={self._record}, childName={child}}}"

    def record(self) -> Any:
        """Return the record: a ``FixedKeyRecord`` where a fixed-key processor forwarded it."""
        return self._record

    def childName(self) -> str | None:
        """Return the name of the target child; None for all children."""
        return self._child

    def keyValue(self) -> KeyValue[K, V]:
        """Return the record's key and value."""
        return KeyValue(self._record.key(), self._record.value())

    def timestamp(self) -> int:
        """Return the record's event time in epoch milliseconds."""
        return int(self._record.timestamp())

    def headers(self) -> Headers:
        """Return the record's headers."""
        headers: Headers = self._record.headers()
        return headers
