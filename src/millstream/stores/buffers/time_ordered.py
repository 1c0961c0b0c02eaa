"""Entries of a suppression buffer in one working copy, in order of time."""

from __future__ import annotations

import heapq
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice

from millstream.core.buffers import BufferedChange, entry_size
from millstream.core.durations import LONG_MAX
from millstream.core.errors import ProcessorStateException
from millstream.core.record_bytes import (
    ABSENT,
    BytesReader,
    context_bytes,
    sized,
    topic_name,
)
from millstream.core.record_context import RecordContext
from millstream.core.working_copy import WorkingCopy

_LONG = struct.Struct(">q")
_TIME = struct.Struct(">Q")
TOTALS_FORM = struct.Struct(">qq")

# The first bytes of the keys in the working copy.
TOTALS = b"\0"
BY_KEY = b"\1"
BY_TIME = b"\2"
AFTER_TIMES = b"\3"
_KEY_START = len(BY_TIME) + _TIME.size

# A row without prior value up to its topic; what follows that; no headers and no old value.
_PLAIN = struct.Struct(">qiqqi")
_AFTER = struct.Struct(">iiii")
_BARE = bytes(4) + ABSENT

_SIGN = 1 << 63
_NOWHERE = (-_SIGN - 1, b"")
_HEAD = 4096
_LARGEST_HEAD = 16384
_FEW = 8
"""How many entries are taken out of the head one by one, before it is sorted."""

Place = tuple[int, bytes]
"""An entry's place in the order: its time and its key."""

_Added = tuple[int, BufferedChange]
"""An entry that the batch has added, after its size."""


class TimeOrderedEntries:
    """Entries by time and key, and for each key its time.

    The places of the first entries are in memory, in a heap: the *head*. An entry leaves only
    through the head, so the working copy is read in order only when the head is empty.

    What the batch adds becomes rows of the working copy when the batch ends, as most of it leaves
    before: an entry costs more as two rows that are written, read and deleted than as an object.
    """

    def __init__(self, copy: WorkingCopy) -> None:
        self.copy = copy
        self.reload()

    def reload(self) -> None:
        """Read the totals anew and clear what is in memory."""
        totals = self.copy.get(TOTALS)
        self.count, self.size = (0, 0) if totals is None else _unpacked(TOTALS_FORM, totals)
        self._noted = (self.count, self.size)
        self._added: dict[bytes, _Added] = {}
        self._head: list[Place] = []
        self._head_ends: Place | None = _NOWHERE if self.count else None
        """Everything up to here is in the head; None: everything is."""

    def flush(self) -> None:
        """Write what the batch has added, and the totals, to the working copy."""
        self._write_added()
        totals = (self.count, self.size)
        if totals != self._noted:
            self.copy.put(TOTALS, TOTALS_FORM.pack(*totals))
            self._noted = totals

    def get(self, key: bytes) -> BufferedChange | None:
        """Return the entry of a key; None if it is not here."""
        added = self._added.get(key)
        if added is not None:
            return added[1]
        found = self._find(LONG_MAX, key) if self.count > len(self._added) else None
        return None if found is None else from_row(*found)

    def update(
        self, time: int, key: bytes, old: bytes | None, new: bytes | None, context: RecordContext
    ) -> bool:
        """Make an update the last one of a key that is here; return whether it is.

        ``time`` is a guess of the entry's time that saves a step if it is right.
        """
        added = self._added.get(key)
        if added is not None:
            size, (first, prior, *_) = added
            change = BufferedChange(first, prior, old, new, context)
            self._added[key] = after = (change.size(key), change)
            self.size += after[0] - size
            return True
        # Without a look at the working copy where all entries are of this batch.
        found = self._find(time, key) if self.count > len(self._added) else None
        if found is None:
            return False
        first, before = found
        row = to_row(key, row_prior(before), old, new, context)
        self.copy.put(by_time(first, key), row)
        self.size += row_size(row) - row_size(before)
        return True

    def add(self, key: bytes, change: BufferedChange) -> None:
        """Add the entry of a key that is not here."""
        size = change.size(key)
        self._added[key] = size, change
        self.count += 1
        self.size += size
        place = (change.time, key)
        if self._head_ends is None or place <= self._head_ends:
            heapq.heappush(self._head, place)
            if len(self._head) > 2 * _LARGEST_HEAD:
                self._set_head(sorted(self._head)[:_LARGEST_HEAD])

    def first(self) -> Place | None:
        """Return the place of the first entry; None if there is none."""
        if self._head:
            return self._head[0]
        if not self.count:
            return None
        self._refill()
        return self._head[0]

    def take(self, limit: Place) -> Iterator[tuple[bytes, BufferedChange]]:
        """Remove the entries before a place in order, each as its key and itself are yielded.

        The caller may stop early. It adds nothing in the meantime.
        """
        rounds = 0
        while (place := self.first()) is not None and place < limit:
            rounds += 1
            alone = rounds <= _FEW
            if alone:
                due = [heapq.heappop(self._head)]
            else:
                # What is sorted is a heap, too.
                self._head.sort()
                due = self._head[: bisect_left(self._head, limit)]
            taken = 0
            try:
                for time, key in due:
                    change = self._taken(time, key)
                    taken += 1
                    yield key, change
            finally:
                if not alone:
                    del self._head[:taken]
                if not self.count:
                    self._head_ends = None

    def remove(self, key: bytes) -> bool:
        """Remove an entry that need not be the first; return whether it was here."""
        change = self.get(key)
        if change is None:
            return False
        self._taken(change.time, key)
        self._head = [place for place in self._head if place != (change.time, key)]
        heapq.heapify(self._head)
        return True

    def _find(self, time: int, key: bytes) -> tuple[int, bytes] | None:
        """Return time and row of a key in the working copy."""
        get = self.copy.get
        row = get(by_time(time, key))
        if row is not None:
            return time, row
        found = get(BY_KEY + key)
        if found is None:
            return None
        (time,) = _unpacked(_LONG, found)
        row = get(by_time(time, key))
        if row is None:
            raise _lost(1)
        return time, row

    def _taken(self, time: int, key: bytes) -> BufferedChange:
        added = self._added.pop(key, None)
        if added is not None:
            size, change = added
        else:
            slot = by_time(time, key)
            row = self.copy.get(slot)
            if row is None:
                raise _lost(1)
            size, change = row_size(row), from_row(time, row)
            self.copy.put(slot, None)
            self.copy.put(BY_KEY + key, None)
        self.count -= 1
        self.size -= size
        return change

    def _write_added(self) -> None:
        rows: dict[bytes, bytes | None] = {}
        for key, (size, change) in self._added.items():
            rows[BY_KEY + key] = _LONG.pack(change.time)
            rows[by_time(change.time, key)] = _row(size, *change[1:])
        self.copy.put_all(rows)
        self._added = {}

    def _refill(self) -> None:
        self._write_added()
        limit = min(_LARGEST_HEAD, max(_HEAD, self.count // 16))
        ends = self._head_ends
        lower = BY_TIME if ends in (None, _NOWHERE) else by_time(*ends) + b"\0"
        entries = self.copy.scan(lower, AFTER_TIMES)
        self._set_head(place_of(key) for key, _ in islice(entries, limit))
        if len(self._head) == self.count:
            self._head_ends = None

    def _set_head(self, places: Iterable[Place]) -> None:
        self._head = list(places)
        if not self._head:
            raise _lost(self.count)
        self._head_ends = self._head[-1]


def to_row(
    key: bytes, prior: bytes | None, old: bytes | None, new: bytes | None, context: RecordContext
) -> bytes:
    """Return an entry without its time and key: size, prior value, context, old and new value."""
    return _row(entry_size(key, prior, old, new, context), prior, old, new, context)


def _row(
    size: int, prior: bytes | None, old: bytes | None, new: bytes | None, context: RecordContext
) -> bytes:
    parts = _LONG.pack(size), sized(prior), context_bytes(context), sized(old), sized(new)
    return b"".join(parts)


def from_row(time: int, row: bytes) -> BufferedChange:
    """Return the entry that ``to_row`` made a row of."""
    # Most rows have no prior and no old value, and their records no headers.
    if row[8:12] == ABSENT and len(row) >= _PLAIN.size:
        _, _, timestamp, offset, size = _PLAIN.unpack_from(row)
        at = _PLAIN.size + size
        if len(row) >= at + _AFTER.size and row[at + 4 : at + 12] == _BARE:
            partition, _, _, length = _AFTER.unpack_from(row, at)
            new = row[at + _AFTER.size :]
            if length == len(new):
                topic = topic_name(row[_PLAIN.size : at]) if size else None
                context = RecordContext(topic, partition, offset, timestamp)
                return BufferedChange(time, None, None, new, context)
    reader = BytesReader(row, _LONG.size)
    prior, context = reader.sized(), reader.context()
    return BufferedChange(time, prior, reader.sized(), reader.sized(), context)


def row_prior(row: bytes) -> bytes | None:
    """Return the prior value of a row."""
    return BytesReader(row, _LONG.size).sized()


def row_size(row: bytes) -> int:
    """Return what the entry of a row counts for."""
    return int(_unpacked(_LONG, row[: _LONG.size])[0])


def _lost(count: int) -> ProcessorStateException:
    return ProcessorStateException(
        "a suppression buffer has lost entries",
        detail=f"{count} of them are not in its byte store.",
        hint="Delete the local state: it is rebuilt from the checkpoint.",
    )


def by_time(time: int, key: bytes) -> bytes:
    """Return the row key of an entry."""
    return BY_TIME + _TIME.pack(time + _SIGN) + key


def place_of(key: bytes) -> Place:
    """Return the time and the key in a row key."""
    return _unpacked(_TIME, key[1:_KEY_START])[0] - _SIGN, key[_KEY_START:]


def _unpacked(form: struct.Struct, data: bytes) -> tuple[int, ...]:
    try:
        return form.unpack(data)
    except struct.error as error:
        raise ProcessorStateException(
            "a row of a suppression buffer cannot be read",
            detail=f"{len(data)} bytes stand where {form.size} belong.",
        ) from error
