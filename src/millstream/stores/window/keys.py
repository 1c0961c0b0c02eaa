"""Keys of windows: ``segment || key || start || sequence``.

The sequence number takes 4 bytes, big endian; see ``time_keys`` for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from millstream.stores.time_keys import INDEX, TimedKeys

NO_SEQUENCE = bytes(4)
LAST_SEQUENCE = (2**31 - 1).to_bytes(4, "big")
REMEMBERED_STARTS = 1024

MIN_SEGMENT_INTERVAL_MS = 60_000

start_bytes: Callable[[bytes], bytes] = itemgetter(slice(-12, -4))
"""Returns the start in a window key, as 8 bytes."""


class WindowKeys(TimedKeys):
    """Layout of window keys for one width of segments, in milliseconds."""

    time_at = slice(-12, -4)

    def __init__(self, segment_interval: int) -> None:
        super().__init__(segment_interval)
        self._segment, self._segment_bytes = -1, b""
        self._ends: dict[int, tuple[bytes, bytes]] = {}

    def join(self, key: bytes, start: int) -> bytes:
        """Return the window key of a key and a start."""
        ends = self._ends.get(start)
        if ends is None:
            ends = self._ends_of(start)
        return ends[0] + key + ends[1]

    @staticmethod
    def key_of(raw: bytes) -> bytes:
        return raw[8:-12]

    @staticmethod
    def by_time(raw: bytes) -> tuple[bytes, bytes, bytes]:
        """Return what orders windows by start, then key."""
        return raw[-12:-4], raw[8:-12], raw[-4:]

    def index_key(self, key: bytes) -> bytes:
        return INDEX + key[-12:-4] + key[8:-12] + key[-4:]

    def indexed_key(self, entry: bytes) -> bytes:
        start = entry[1:9]
        return self.segment(int.from_bytes(start, "big")) + entry[9:-4] + start + entry[-4:]

    def _end(self, last_time: int) -> bytes:
        return last_time.to_bytes(8, "big") + LAST_SEQUENCE + b"\0"

    def _ends_of(self, start: int) -> tuple[bytes, bytes]:
        if len(self._ends) >= REMEMBERED_STARTS:
            self._ends.clear()
        number = start // self.interval
        if number != self._segment:
            self._segment, self._segment_bytes = number, number.to_bytes(8, "big")
        ends = self._ends[start] = self._segment_bytes, (start << 32).to_bytes(12, "big")
        return ends


key_of = WindowKeys.key_of


def start_of(window_key: bytes) -> int:
    """Return the window's start."""
    return int.from_bytes(window_key[-12:-4], "big")


def wanted(
    window_key: bytes, key_from: bytes | None, key_to: bytes | None, first: bytes, last: bytes
) -> bool:
    """Tell whether key and start, as 8 bytes, lie within bounds, all of them inclusive."""
    if not first <= window_key[-12:-4] <= last:
        return False
    key = window_key[8:-12]
    return (key_from is None or key_from <= key) and (key_to is None or key <= key_to)


def default_segment_interval(retention: int) -> int:
    """Return Kafka's width of segments for a retention period."""
    return max(retention // 2, MIN_SEGMENT_INTERVAL_MS)
