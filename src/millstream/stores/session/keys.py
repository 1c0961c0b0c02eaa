"""How sessions lie in ordered bytes: ``segment || key || end || start``.

All numbers take 8 bytes, big endian; a segment is a stretch of end times. What follows the segment
is the key of Kafka's changelog topics.
"""

from __future__ import annotations

from collections.abc import Iterator

from millstream.core.durations import LONG_MAX
from millstream.stores.window.keys import SEPARATE_SEGMENTS, Bounds

# Comes after every time, because times are not negative.
AFTER_TIMES = b"\x80"


class SessionKeys:
    """Makes session keys for one width of segments, in milliseconds."""

    def __init__(self, segment_interval: int) -> None:
        self.interval = segment_interval

    def join(self, key: bytes, start: int, end: int) -> bytes:
        """Return the session key of a key, a start and an end."""
        segment = (end // self.interval).to_bytes(8, "big")
        return segment + key + end.to_bytes(8, "big") + start.to_bytes(8, "big")

    def bounds(
        self, key_from: bytes | None, key_to: bytes | None, first_end: int, last_end: int
    ) -> Iterator[Bounds]:
        """Yield ``(lower, upper)``, upper exclusive, around all keys of interest, in order.

        Keys of other sessions may lie between them: see ``wanted``.
        """
        first, last = first_end // self.interval, last_end // self.interval
        if last - first >= SEPARATE_SEGMENTS:
            yield first.to_bytes(8, "big"), (last + 1).to_bytes(8, "big")
            return
        for number in range(first, last + 1):
            segment = number.to_bytes(8, "big")
            lower = segment if key_from is None else segment + key_from
            if key_to is None:
                upper = (number + 1).to_bytes(8, "big")
            elif key_from == key_to:
                lower += max(first_end, number * self.interval).to_bytes(8, "big")
                upper = segment + key_to + AFTER_TIMES
            else:
                upper = segment + _stem(key_to) + AFTER_TIMES
            yield lower, upper


def key_of(session_key: bytes) -> bytes:
    """Return the key's bytes."""
    return session_key[8:-16]


def end_of(session_key: bytes) -> int:
    """Return the session's end."""
    return int.from_bytes(session_key[-16:-8], "big")


def start_of(session_key: bytes) -> int:
    """Return the session's start."""
    return int.from_bytes(session_key[-8:], "big")


def by_end(session_key: bytes) -> tuple[bytes, bytes]:
    """Return what orders sessions by end, then key, then start."""
    return session_key[-16:-8], session_key[8:]


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


def clamp(time: int) -> int:
    """Return the nearest time that a session key can hold."""
    return max(0, min(time, LONG_MAX))


def _stem(key: bytes) -> bytes:
    """Return so much of ``key`` that no session key of a key up to it sorts behind its times.

    A prefix of ``key`` is such a key too, and its times may sort it after ``key`` itself.
    """
    length = min(1, len(key))
    while length < len(key) and key[length] >= AFTER_TIMES[0]:
        length += 1
    return key[:length]
