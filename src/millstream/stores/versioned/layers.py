"""Layers of bytes under a versioned store."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator
from operator import index
from typing import Any, SupportsIndex

from millstream.core.state import (
    StateStore,
    StateStoreContext,
    VersionedKeyValueStore,
    VersionedRecord,
)
from millstream.core.wording import a_kind
from millstream.stores.layers import Layer
from millstream.stores.supplied import SuppliedLayer
from millstream.stores.time_keys import META_KEY
from millstream.stores.versioned.ranges import KeyHistory, merged_by_key
from millstream.stores.versioned.rows import (
    Found,
    Latest,
    Row,
    earliest_of,
    held_at,
    latest_of,
    next_of,
    versions_between,
    with_newest,
    with_version,
)

logger = logging.getLogger("millstream.stores")

LATEST = b"\x00"
HISTORY = b"\x01"

UNDEFINED = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED
NOT_PUT = VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT
_ENDS = (
    "until when the version holds in ms, PUT_RETURN_CODE_VALID_TO_UNDEFINED for the latest, or "
    "PUT_RETURN_CODE_NOT_PUT"
)


class VersionLayer(Layer):
    """Bytes and times to bytes."""

    logs = False
    """Every write is logged."""
    folds = False
    """Writes need no current record, unless they are ``expired``."""

    def expired(self, time: int) -> bool:
        """Tell whether a version of that time is too old to be put, where writes need no record."""
        raise NotImplementedError

    @abstractmethod
    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        """Add a version or, if the value is None, a deletion; return until when it holds."""

    @abstractmethod
    def latest(self, key: bytes) -> Latest | None:
        """Return value and time of the latest version; None if that is a deletion."""

    @abstractmethod
    def as_of(self, key: bytes, time: int) -> Found | None:
        """Return value, start and end of the version that held at a time; no end: the latest."""

    def history(self, key: bytes, first: int | None, last: int | None) -> list[Found] | None:
        """Return the versions that held between two times, newest first; None if unknown."""
        del key, first, last
        return None

    def between(
        self,
        lower: bytes | None,
        upper: bytes | None,
        first: int | None,
        last: int | None,
        *,
        reverse: bool,
    ) -> Iterator[KeyHistory] | None:
        """Do what ``history`` does for each key with ``lower <= key < upper``, in key order.

        Keys without a version come too, or not.
        """
        del lower, upper, first, last, reverse
        return None


class StoredVersions(VersionLayer):
    """Versions in a task's working copy of a byte store.

    The latest version of a key has its own place and never expires. Older ones are in segments by
    the time at which they stopped to hold; a segment is dropped as a whole once nothing in it can
    be asked for. That the latest is a deletion is known from the newest row's ``next``.
    """

    folds = True

    def __init__(
        self, name: str, kind: str, retention: int, interval: int, *, durable: bool
    ) -> None:
        self._name = name
        self._kind = kind
        self._retention = retention
        self._interval = interval
        self.stores_durably = durable

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        self._copy = context.working_copy(self._name, self._kind)
        self._get = self._copy.get
        self._set = self._copy.put
        self.reload()

    def close(self) -> None:
        self._copy.close()

    def reload(self) -> None:
        meta = self._get(META_KEY) or b""
        self._observed = int.from_bytes(meta[:8], "big") if meta else -1
        places = range(8, len(meta), 8)
        self._segments = {int.from_bytes(meta[at : at + 8], "big") for at in places}
        self._saved_segments = meta[8:]
        self._read_last: tuple[bytes, bytes | None] = (b"", None)
        """Place and bytes of the latest version that was read or written last: a write follows a
        read of the same key as a rule. No place is empty."""

    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        if self.expired(time):
            self._context.count_dropped_record(self._name)
            logger.warning(
                "Skipping record for expired put. store=[%s] timestamp=[%d] streamTime=[%d]",
                self._name,
                time,
                self._observed,
            )
            return NOT_PUT
        if time > self._observed:
            self._advance(time)
        latest = self.latest(key)
        if latest is None:
            return self._put_before(key, value, time, None)
        if time < latest[1]:
            return self._put_before(key, value, time, latest[1])
        if time > latest[1]:
            self._add_newest(key, latest[1], time, latest[0])
        self._set_latest(key, value, time)
        return UNDEFINED

    def latest(self, key: bytes) -> Latest | None:
        place = LATEST + key
        last, data = self._read_last
        if last != place:
            data = self._get(place)
            self._read_last = place, data
        return None if data is None else latest_of(data)

    def as_of(self, key: bytes, time: int) -> Found | None:
        latest = self.latest(key)
        if latest is not None and latest[1] <= time:
            return (*latest, None)
        if self.expired(time):
            return None
        for _, data in self._rows(key, time):
            if next_of(data) <= time:
                return None
            if earliest_of(data) <= time:
                held = held_at(data, time)
                value = held.value_in(data)
                return None if value is None else (value, held.start, held.end)
        return None

    def history(self, key: bytes, first: int | None, last: int | None) -> list[Found]:
        first = -1 if first is None else first
        rows = () if self.expired(last) else (data for _, data in self._rows(key, first))
        return versions_between(self.latest(key), rows, first, last)

    def between(
        self,
        lower: bytes | None,
        upper: bytes | None,
        first: int | None,
        last: int | None,
        *,
        reverse: bool,
    ) -> Iterator[KeyHistory]:
        first = -1 if first is None else first
        prefixes = [LATEST]
        if not self.expired(last):
            prefixes.extend(self._place(segment, b"") for segment in self._segments_from(first))
        found = merged_by_key(self._copy.scan, prefixes, lower, upper, reverse=reverse)
        for key, latest, rows in found:
            yield key, versions_between(latest, rows, first, last)

    def _put_before(self, key: bytes, value: bytes | None, time: int, end: int | None) -> int:
        """Add a version that is older than the latest, whose time is ``end`` if there is one."""
        for segment, data in self._rows(key, time):
            if next_of(data) <= time:
                break
            earliest = earliest_of(data)
            if earliest <= time:
                return self._put_within(key, value, time, segment, data)
            end = earliest
        if end is None:
            if value is not None:
                self._set_latest(key, value, time)
            else:
                self._note_deletion(key, time)
            return UNDEFINED
        known = self._get(self._place(self._segment(end), key))
        if known is None:
            added = Row(end, [(time, value)]).to_bytes()
        elif next_of(known) <= time:
            added = with_newest(known, time, end, value)
        else:
            row = Row.of_bytes(known)
            row.add_oldest(time, value)
            added = row.to_bytes()
        self._set_bytes(key, end, added)
        return end

    def _put_within(
        self, key: bytes, value: bytes | None, time: int, segment: int, data: bytes
    ) -> int:
        held = held_at(data, time)
        instead = held.start == time
        if not instead and self._segment(time) != segment:
            # What held so far now ends in an older segment, and so moves there.
            self._add_newest(key, held.start, time, held.value_in(data))
            instead = True
        data = with_version(data, held, time, value, instead=instead)
        self._set(self._place(segment, key), data)
        return held.end

    def _note_deletion(self, key: bytes, time: int) -> None:
        row = self._row(key, time)
        if row is None:
            row = Row(time, [])
        elif row.next < time:
            row.add_newest(row.next, time, None)
        self._set_row(key, time, row)

    def _add_newest(self, key: bytes, start: int, end: int, value: bytes | None) -> None:
        data = self._get(self._place(self._segment(end), key))
        if data is None:
            data = Row(end, [(start, value)]).to_bytes()
        else:
            data = with_newest(data, start, end, value)
        self._set_bytes(key, end, data)

    def _set_latest(self, key: bytes, value: bytes | None, time: int) -> None:
        place = LATEST + key
        data = None if value is None else time.to_bytes(8, "big", signed=True) + value
        self._set(place, data)
        self._read_last = place, data

    def _rows(self, key: bytes, time: int) -> Iterator[tuple[int, bytes]]:
        """Yield segments and rows of versions that ended at ``time`` or later, newest first."""
        for segment in self._segments_from(time):
            data = self._get(self._place(segment, key))
            if data is not None:
                yield segment, data

    def _segments_from(self, time: int) -> list[int]:
        """Return the segments of versions that ended at ``time`` or later, newest first."""
        first = self._segment(time)
        return sorted((s for s in self._segments if s >= first), reverse=True)

    def expired(self, time: int | None) -> bool:
        return time is not None and time < self._observed - self._retention

    def _row(self, key: bytes, end: int) -> Row | None:
        data = self._get(self._place(self._segment(end), key))
        return None if data is None else Row.of_bytes(data)

    def _set_row(self, key: bytes, end: int, row: Row) -> None:
        self._set_bytes(key, end, row.to_bytes())

    def _set_bytes(self, key: bytes, end: int, data: bytes) -> None:
        segment = self._segment(end)
        self._set(self._place(segment, key), data)
        if segment not in self._segments:
            self._segments.add(segment)
            self._note_segments()
            self._save()

    def _place(self, segment: int, key: bytes) -> bytes:
        return HISTORY + segment.to_bytes(8, "big") + key

    def _segment(self, time: int) -> int:
        return max(0, time) // self._interval

    def _advance(self, time: int) -> None:
        self._observed = time
        first = self._segment(time - self._retention)
        if self._segments and min(self._segments) < first:
            expired = {segment for segment in self._segments if segment < first}
            self._segments -= expired
            lower, upper = min(expired), max(expired) + 1
            self._copy.drop_range(self._place(lower, b""), self._place(upper, b""))
            self._note_segments()
        self._save()

    def _note_segments(self) -> None:
        self._saved_segments = b"".join(s.to_bytes(8, "big") for s in sorted(self._segments))

    def _save(self) -> None:
        self._set(META_KEY, self._observed.to_bytes(8, "big") + self._saved_segments)


class SuppliedVersions(SuppliedLayer, VersionLayer):
    """A versioned store of bytes that a user's own supplier made."""

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._store.init(context, root)

    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        end = self._store.put(key, value, time)
        if isinstance(end, bool) or not isinstance(end, SupportsIndex):
            # Tables would take an update that is late for the latest, or leave out those that are.
            raise self._refusal("put()", a_kind(end), _ENDS)
        return index(end)

    def latest(self, key: bytes) -> Latest | None:
        found = self._found(self._store.get(key))
        return None if found is None else found[:2]

    def as_of(self, key: bytes, time: int) -> Found | None:
        return self._found(self._store.get(key, time))

    def _found(self, found: Any) -> Found | None:
        if found is None:
            return None
        if isinstance(found, VersionedRecord):
            return found.value(), found.timestamp(), found.validTo()
        # A ``VersionedBytesStore`` cannot tell until when a version holds.
        data = self._value(found, "get()")
        assert data is not None
        return (*latest_of(data), None)
