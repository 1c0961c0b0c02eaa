"""How windows lie in ordered bytes: ``segment || key || start || sequence``.

Segment and start take 8 bytes, the sequence number 4, big endian. What follows the segment is the
key of Kafka's changelog topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter

from millstream.core.durations import LONG_MAX

NO_SEQUENCE = bytes(4)
LAST_SEQUENCE = (2**31 - 1).to_bytes(4, "big")
REMEMBERED_STARTS = 1024
SEPARATE_SEGMENTS = 16

MIN_SEGMENT_INTERVAL_MS = 60_000

Bounds = tuple[bytes, bytes]

start_bytes: Callable[[bytes], bytes] = itemgetter(slice(-12, -4))
"""Returns the start in a window key, as 8 bytes."""


class WindowKeys:
    """Makes window keys for one width of segments, in milliseconds."""

    def __init__(self, segment_interval: int) -> None:
        self.interval = segment_interval
        self._ends: dict[int, tuple[bytes, bytes]] = {}

    def join(self, key: bytes, start: int) -> bytes:
        """Return the window key of a key and a start."""
        ends = self._ends.get(start)
        if ends is None:
            ends = self._ends_of(start)
        return ends[0] + key + ends[1]

    def segment(self, time: int) -> bytes:
        """Return the first bytes of the keys whose window starts in the segment of ``time``."""
        return (time // self.interval).to_bytes(8, "big")

    def bounds(
        self, key_from: bytes | None, key_to: bytes | None, time_from: int, time_to: int
    ) -> Iterator[Bounds]:
        """Yield ``(lower, upper)``, upper exclusive, around all keys of interest, in order.

        Keys of other windows may lie between them: see ``wanted``.
        """
        first, last = time_from // self.interval, time_to // self.interval
        if last - first >= SEPARATE_SEGMENTS:
            yield first.to_bytes(8, "big"), (last + 1).to_bytes(8, "big")
            return
        suffix = time_to.to_bytes(8, "big") + LAST_SEQUENCE
        for number in range(first, last + 1):
            segment = number.to_bytes(8, "big")
            if key_from is not None and key_from == key_to:
                lower = segment + key_from + time_from.to_bytes(8, "big")
                upper = segment + key_from + suffix + b"\0"
            else:
                lower = segment if key_from is None else segment + key_from
                upper = (
                    (number + 1).to_bytes(8, "big")
                    if key_to is None
                    else segment + _last_key(key_to, suffix) + b"\0"
                )
            yield lower, upper

    def _ends_of(self, start: int) -> tuple[bytes, bytes]:
        if len(self._ends) >= REMEMBERED_STARTS:
            self._ends.clear()
        ends = self.segment(start), start.to_bytes(8, "big") + NO_SEQUENCE
        self._ends[start] = ends
        return ends


def key_of(window_key: bytes) -> bytes:
    """Return the key's bytes."""
    return window_key[8:-12]


def start_of(window_key: bytes) -> int:
    """Return the window's start."""
    return int.from_bytes(window_key[-12:-4], "big")


def by_time(window_key: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what orders windows by time, then key."""
    return window_key[-12:-4], window_key[8:-12], window_key[-4:]


def wanted(
    window_key: bytes, key_from: bytes | None, key_to: bytes | None, first: bytes, last: bytes
) -> bool:
    """Tell whether key and start, as 8 bytes, lie within bounds, all of them inclusive."""
    if not first <= window_key[-12:-4] <= last:
        return False
    key = window_key[8:-12]
    return (key_from is None or key_from <= key) and (key_to is None or key <= key_to)


def clamp(time: int) -> int:
    """Return the nearest time that a window key can hold."""
    return max(0, min(time, LONG_MAX))


def default_segment_interval(retention: int) -> int:
    """Return Kafka's width of segments for a retention period."""
    return max(retention // 2, MIN_SEGMENT_INTERVAL_MS)


def _last_key(key: bytes, suffix: bytes) -> bytes:
    """Return bytes that no window key of a key up to ``key`` comes after.

    A prefix of ``key`` is such a key too, and a late start may sort it after ``key`` itself.
    """
    length = min(1, len(key))
    while length < len(key) and key[length] >= suffix[0]:
        length += 1
    return key[:length] + suffix
