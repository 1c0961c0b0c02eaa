"""Keys of sessions: ``segment || key || end || start``.

A segment is a stretch of end times. The start takes 8 bytes, big endian; see ``time_keys`` for the
rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from millstream.core.durations import LONG_MAX
from millstream.stores.time_keys import INDEX, SEPARATE_SEGMENTS, Bounds, TimedKeys, clamp

# Comes after every time, because times are not negative.
AFTER_TIMES = b"\x80"
_TIMES = Struct(">qq")


class SessionKeys(TimedKeys):
    """Layout of session keys for one width of segments, in milliseconds."""

    time_at = slice(-16, -8)

    def join(self, key: bytes, start: int, end: int) -> bytes:
        """Return the session key of a key, a start and an end."""
        segment = (end // self.interval).to_bytes(8, "big")
        return segment + key + end.to_bytes(8, "big") + start.to_bytes(8, "big")

    def near(
        self, key: bytes, first_end: int, last_end: int, latest_start: int
    ) -> Iterator[Bounds]:
        """Yield ``bounds`` around one key's sessions, as narrow as those of Kafka's cache.

        Even a session that begins too late is between them, unless it ends with its segment.
        """
        first, last = first_end // self.interval, last_end // self.interval
        if last - first >= SEPARATE_SEGMENTS:
            yield from self.bounds(key, key, first_end, last_end)
            return
        for number in range(first, last + 1):
            before, end = number.to_bytes(8, "big") + key, clamp((number + 1) * self.interval - 1)
            lower = max(first_end, number * self.interval)
            upper = end.to_bytes(8, "big") + min(latest_start, end).to_bytes(8, "big")
            yield before + lower.to_bytes(8, "big"), before + upper + b"\0"

    def ends_segment(self, time: int) -> bool:
        """Return whether a time is the last one of its segment."""
        return (time + 1) % self.interval == 0 or time == LONG_MAX

    @staticmethod
    def key_of(raw: bytes) -> bytes:
        return raw[8:-16]

    @staticmethod
    def by_time(raw: bytes) -> tuple[bytes, bytes]:
        """Return what orders sessions by end, then key, then start."""
        return raw[-16:-8], raw[8:]

    def index_key(self, key: bytes) -> bytes:
        return INDEX + key[-16:] + key[8:-16]

    def indexed_key(self, entry: bytes) -> bytes:
        end = entry[1:9]
        return self.segment(int.from_bytes(end, "big")) + entry[17:] + end + entry[9:17]

    def _end(self, last_time: int) -> bytes:
        return AFTER_TIMES


key_of = SessionKeys.key_of


def end_of(session_key: bytes) -> int:
    """Return the session's end."""
    return int.from_bytes(session_key[-16:-8], "big")


def start_of(session_key: bytes) -> int:
    """Return the session's start."""
    return int.from_bytes(session_key[-8:], "big")


def end_and_start(session_key: bytes) -> tuple[int, int]:
    """Return both."""
    return _TIMES.unpack(session_key[-16:])


def latest_start_first(session_key: bytes) -> tuple[bytes, bytes, int]:
    """Return what orders sessions as Kafka's store in memory does: by end, key, falling start."""
    return session_key[-16:-8], session_key[8:-16], -start_of(session_key)


def wanted(
    session_key: bytes, key_from: bytes | None, key_to: bytes | None, first_end: bytes, start: bytes
) -> bool:
    """Tell whether a session's key lies within bounds, all of them inclusive.

    ``first_end`` and ``start``, the latest one, are 8 bytes.
    """
    if session_key[-16:-8] < first_end or session_key[-8:] > start:
        return False
    key = session_key[8:-16]
    return (key_from is None or key_from <= key) and (key_to is None or key <= key_to)
