"""Keys of entries that have a time, in ordered bytes: ``segment || key || time ...``.

A segment is a stretch of time. Segment and time take 8 bytes, big endian. What follows the segment
is the key of Kafka's changelog topics. A store may have a second order, by time: ``INDEX || time``
and what else tells entries apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from millstream.core.durations import LONG_MAX

SEPARATE_SEGMENTS = 16
"""Ranges over so many segments or more are read as one."""

ZEROS_FIRST = 1 << 56
"""The bytes of any time before this one begin with a zero."""

# Segments begin with a byte below 0x80, so these come after all of them.
INDEX = b"\x80"
META_KEY = b"\xffmeta"

Bounds = tuple[bytes, bytes]


class TimedKeys(ABC):
    """Layout of keys for one width of segments, in milliseconds."""

    time_at: ClassVar[slice]
    """The 8 bytes of a key that are the time by which it expires."""

    def __init__(self, segment_interval: int) -> None:
        self.interval = segment_interval

    def segment(self, time: int) -> bytes:
        """Return the first bytes of the keys whose time is in the segment of ``time``."""
        return (time // self.interval).to_bytes(8, "big")

    def bounds(
        self, key_from: bytes | None, key_to: bytes | None, first_time: int, last_time: int
    ) -> Iterator[Bounds]:
        """Yield ``(lower, upper)``, upper exclusive, around all keys within bounds, in order.

        Other keys may be between them: see ``wanted`` of windows and of sessions.
        """
        first, last = first_time // self.interval, last_time // self.interval
        if last - first >= SEPARATE_SEGMENTS:
            yield first.to_bytes(8, "big"), (last + 1).to_bytes(8, "big")
            return
        end = self._end(last_time)
        for number in range(first, last + 1):
            segment = number.to_bytes(8, "big")
            lower = segment if key_from is None else segment + key_from
            if key_to is None:
                upper = (number + 1).to_bytes(8, "big")
            elif key_from == key_to:
                lower += max(first_time, number * self.interval).to_bytes(8, "big")
                upper = segment + key_to + end
            else:
                upper = segment + _last_key(key_to, end)
            yield lower, upper

    def spans(self, first_time: int, last_time: int) -> Iterator[Bounds]:
        """Yield the first and the last time, both inclusive, of each segment between two."""
        first, last = first_time // self.interval, last_time // self.interval
        if last - first >= SEPARATE_SEGMENTS:
            yield first_time.to_bytes(8, "big"), last_time.to_bytes(8, "big")
            return
        for number in range(first, last + 1):
            start = number * self.interval
            lower, upper = max(first_time, start), min(last_time, start + self.interval - 1)
            yield lower.to_bytes(8, "big"), upper.to_bytes(8, "big")

    @staticmethod
    @abstractmethod
    def key_of(raw: bytes) -> bytes:
        """Return the bytes of the user's key."""

    @staticmethod
    @abstractmethod
    def by_time(raw: bytes) -> tuple[Any, ...]:
        """Return what orders entries by time, then key."""

    @abstractmethod
    def index_key(self, key: bytes) -> bytes:
        """Return a key's entry in the second order."""

    @abstractmethod
    def indexed_key(self, entry: bytes) -> bytes:
        """Return the key of an entry in the second order."""

    @abstractmethod
    def _end(self, last_time: int) -> bytes:
        """Return bytes that come after whatever follows a key up to ``last_time``."""


def clamp(time: int) -> int:
    """Return the nearest time that a key can hold."""
    return max(0, min(time, LONG_MAX))


def _last_key(key: bytes, end: bytes) -> bytes:
    """Return bytes that no entry of a key up to ``key`` comes after; ``end`` follows its times.

    A prefix of ``key`` is such a key too, and a late time may sort it after ``key`` itself.
    """
    length = min(1, len(key))
    while length < len(key) and key[length] >= end[0]:
        length += 1
    return key[:length] + end
