"""Rows of old versions: those of one key in one segment, in the bytes of Kafka's stores.

``next || earliest || (time, size) from new to old || values from old to new``: times take 8 bytes,
sizes 4, big endian; a size of -1 is a deletion. ``next`` is the end of the newest version here, and
``earliest`` the time of the oldest. If both are equal there is no version, only the fact that the
key was deleted then.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from millstream.core.errors import ProcessorStateException

Latest = tuple[bytes, int]
"""The latest value and from when it holds."""
Found = tuple[bytes, int, "int | None"]
"""A value, from when and until when it holds; None: it is the latest."""
Version = tuple[int, bytes | None]
"""From when it holds, and the value; None for a deletion."""

_HEAD = struct.Struct(">qq")
_ITEM = struct.Struct(">qi")


class Row:
    """Versions that follow each other without a gap, newest first; each ends where the one before
    it in the list begins."""

    __slots__ = ("next", "versions")

    def __init__(self, next_time: int, versions: list[Version]) -> None:
        self.next = next_time
        self.versions = versions

    @classmethod
    def of_bytes(cls, data: bytes) -> Row:
        """Return the row of some bytes.

        Raises:
            ProcessorStateException: They are not those of a row.
        """
        versions: list[Version] = []
        try:
            next_time, earliest = _HEAD.unpack_from(data)
            place, end = _HEAD.size, len(data)
            time = next_time
            while time != earliest:
                time, size = _ITEM.unpack_from(data, place)
                place += _ITEM.size
                if size < 0:
                    versions.append((time, None))
                else:
                    versions.append((time, data[end - size : end]))
                    end -= size
        except struct.error as error:
            raise _damaged(data) from error
        if end < place:
            raise _damaged(data)
        return cls(next_time, versions)

    def to_bytes(self) -> bytes:
        """Return the row's bytes."""
        versions = self.versions
        earliest = versions[-1][0] if versions else self.next
        parts = [_HEAD.pack(self.next, earliest)]
        parts.extend(_ITEM.pack(t, -1 if v is None else len(v)) for t, v in versions)
        parts.extend(v for _, v in reversed(versions) if v)
        return b"".join(parts)

    def end_of(self, index: int) -> int:
        """Return the time at which a version stopped to hold."""
        return self.versions[index - 1][0] if index else self.next

    def add_newest(self, start: int, end: int, value: bytes | None) -> None:
        """Add a version after all others; a gap before it is a deletion."""
        if self.next < start:
            self.versions.insert(0, (self.next, None))
        self.versions.insert(0, (start, value))
        self.next = end

    def add_oldest(self, start: int, value: bytes | None) -> None:
        """Add a version that holds until the oldest one, or the deletion, noted here."""
        self.versions.append((start, value))


def _damaged(data: bytes) -> ProcessorStateException:
    return ProcessorStateException(
        "a row of old versions cannot be read", detail=f"Its {len(data)} bytes do not fit together."
    )


def with_newest(data: bytes, start: int, end: int, value: bytes | None) -> bytes:
    """Return a row's bytes with a version more, after all others; see ``Row.add_newest``.

    Nearly every write adds such a one: a key that is written often has thousands of versions, which
    need not be looked at.

    Raises:
        ProcessorStateException: The bytes are not those of a row.

    Example:
        >>> data = Row(5, [(1, b"one")]).to_bytes()
        >>> Row.of_bytes(with_newest(data, 7, 9, b"two")).versions
        [(7, b'two'), (5, None), (1, b'one')]
    """
    if len(data) < _HEAD.size or next_of(data) > start:
        row = Row.of_bytes(data)
        row.add_newest(start, end, value)
        return row.to_bytes()
    next_time, earliest = _HEAD.unpack_from(data)
    gap = _ITEM.pack(next_time, -1) if next_time < start else b""
    item = _ITEM.pack(start, -1 if value is None else len(value))
    return b"".join((_HEAD.pack(end, earliest), item, gap, data[_HEAD.size :], value or b""))


class Held(NamedTuple):
    """Where a row's bytes have the version that held at some time.

    Attributes:
        place: Where its time and size begin.
        stop: Where its value ends.
        start: From when it held.
        size: The size of its value; -1: it is a deletion.
        end: Until when it held.
    """

    place: int
    stop: int
    start: int
    size: int
    end: int

    def value_in(self, data: bytes) -> bytes | None:
        """Return its value out of the row's bytes; None for a deletion."""
        return None if self.size < 0 else data[self.stop - self.size : self.stop]


def held_at(data: bytes, time: int) -> Held:
    """Return where the version of a row's bytes is that held at a time.

    It looks at this version and newer ones only.

    Args:
        data: The bytes.
        time: Between ``earliest`` and ``next`` (exclusive).

    Raises:
        ProcessorStateException: They are not those of a row.

    Example:
        >>> data = Row(5, [(3, b"two"), (1, b"one")]).to_bytes()
        >>> held = held_at(data, 2)
        >>> held.value_in(data), held.start, held.end
        (b'one', 1, 3)
    """
    end, place, stop = next_of(data), _HEAD.size, len(data)
    whole = stop - (stop - place) % _ITEM.size
    for start, size in _ITEM.iter_unpack(memoryview(data)[place:whole]):
        if start <= time:
            if stop - max(size, 0) < place + _ITEM.size:
                break
            return Held(place, stop, start, size, end)
        end = start
        place += _ITEM.size
        if size > 0:
            stop -= size
    raise _damaged(data)


def with_version(
    data: bytes, held: Held, time: int, value: bytes | None, *, instead: bool
) -> bytes:
    """Return a row's bytes with a version that begins while another one held.

    Late updates of a key are near its newest versions as a rule: older ones are copied unseen.

    Args:
        data: The bytes.
        held: The version that held at that time.
        time: From when the new one holds.
        value: Its value; None for a deletion.
        instead: Whether the other one is no longer in this row; else it holds until ``time``.

    Example:
        >>> data = Row(5, [(3, b"three"), (1, b"one")]).to_bytes()
        >>> Row.of_bytes(with_version(data, held_at(data, 2), 2, b"two", instead=False)).versions
        [(3, b'three'), (2, b'two'), (1, b'one')]
    """
    place, stop, start, size, _ = held
    next_time, earliest = _HEAD.unpack_from(data)
    older, older_stop = place, stop
    if instead:
        older += _ITEM.size
        older_stop -= max(size, 0)
        earliest = time if start == earliest else earliest
    head = _HEAD.pack(next_time, earliest)
    item = _ITEM.pack(time, -1 if value is None else len(value))
    newer = data[_HEAD.size : place]
    return b"".join((head, newer, item, data[older:older_stop], value or b"", data[stop:]))


def next_of(data: bytes) -> int:
    """Return ``next`` of a row's bytes."""
    return int.from_bytes(data[:8], "big", signed=True)


def earliest_of(data: bytes) -> int:
    """Return ``earliest`` of a row's bytes."""
    return int.from_bytes(data[8:16], "big", signed=True)


def latest_of(data: bytes) -> Latest:
    """Return value and time of the bytes of a latest version: ``time || value``."""
    return data[8:], int.from_bytes(data[:8], "big", signed=True)


def versions_between(
    latest: Latest | None, rows: Iterable[bytes], first: int, last: int | None
) -> list[Found]:
    """Return the versions of one key that held at some moment between two times, newest first.

    Both times are inclusive; None is no bound. Rows come newest first.
    """
    found: list[Found] = []
    if latest is not None and (last is None or latest[1] <= last):
        found.append((*latest, None))
    for data in rows:
        row = Row.of_bytes(data)
        for index, (start, value) in enumerate(row.versions):
            end = row.end_of(index)
            if value is not None and end > first and (last is None or start <= last):
                found.append((value, start, end))
    return found


def default_versioned_interval(retention: int) -> int:
    """Return Kafka's width of segments for a history retention, in milliseconds."""
    if retention <= 60_000:
        return max(retention // 3, 2_000)
    if retention <= 300_000:
        return max(retention // 5, 20_000)
    if retention <= 3_600_000:
        return max(retention // 12, 60_000)
    return max(retention // 24, 300_000)
