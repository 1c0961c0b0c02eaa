"""Expiry of segments: observed time, retention, and refusal of what comes too late.

Windows expire by their start, sessions by their end.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import ClassVar

from millstream.core.state import StateStore, StateStoreContext
from millstream.core.store import Entry
from millstream.stores.layers import PointLayer
from millstream.stores.time_keys import INDEX, META_KEY, TimedKeys, clamp

logger = logging.getLogger("millstream.stores")

BeforeDrop = Callable[["int | None"], None]


class TimedLayer(PointLayer):
    """Bytes of entries that have a time."""

    time_ordered: bool
    """Entries of several keys come by time, then key; else by segment, then key."""
    before_drop: BeforeDrop | None = None
    """Called before entries are dropped, with the first time that stays.

    None instead of a time: open iterators go on as if nothing were dropped.
    """


class ExpiringLayer(TimedLayer):
    """Segments in a task's working copy of a byte store.

    An entry whose time is at or before the observed time minus retention is not read any more. A
    store that is durable accepts and keeps entries until their whole segment is that old, one in
    memory does not: that is how Kafka's two kinds differ.
    """

    folds = True
    time_name: ClassVar[str]
    """The time's name in the log."""

    def __init__(
        self,
        name: str,
        kind: str,
        retention: int,
        keys: TimedKeys,
        *,
        durable: bool,
        indexed: bool,
        first_seen: int = 1,
    ) -> None:
        """Describe it.

        ``indexed`` keeps a second order, by time, for reads of all keys. The first time that is
        read is the observed time minus retention plus ``first_seen``.
        """
        self._name = name
        self._kind = kind
        self._retention = retention
        self._keys = keys
        self._indexed = indexed
        self._first_seen = first_seen
        self._time_at = keys.time_at
        self._time_of: Callable[[bytes], bytes] = itemgetter(keys.time_at)
        self.stores_durably = durable

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        self._copy = context.working_copy(self._name, self._kind)
        self._copy_get = self._copy.get
        self._copy_put = self._copy.put
        self.get = self._get
        self.put = self._put
        self.reload()

    def reload(self) -> None:
        self.observed = self._first_segment = -1
        self.first_accepted = self.moves_at = 0
        self._observed_bytes = self._live_from = self._seen_from = b""
        meta = self._copy_get(META_KEY)
        if meta is not None:
            self._restore(meta)

    def close(self) -> None:
        self._copy.close()

    def oldest(self) -> int:
        """Return the first time that is still read; it may be negative."""
        return self.observed - self._retention + self._first_seen

    def newest(self) -> int:
        """Return the last time that an iterator reads to.

        On disk that is the end of the newest segment: a segment is read as it is when it is
        reached, as with Kafka's stores.
        """
        if not self.stores_durably or self.observed < 0:
            return self.observed
        interval = self._keys.interval
        return self.observed // interval * interval + interval - 1

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        if self.adds:
            super().put_all(entries)
            return
        times = set(map(self._time_of, entries))
        latest = max(times, default=b"")
        moves = latest > self._observed_bytes
        oldest = self._oldest_live(latest) if moves else self._live_from
        if min(times, default=b"") < oldest:
            entries = self._accepted(entries)
        # Before time moves on: that may drop some of these entries, as single puts would.
        self._put_column(entries)
        if moves:
            self._advance(latest)

    def _accepted(self, entries: dict[bytes, bytes | None]) -> dict[bytes, bytes | None]:
        """Return the entries that single puts, in order, would accept; the others are refused."""
        latest, oldest = self._observed_bytes, self._live_from
        accepted: dict[bytes, bytes | None] = {}
        for key, value in entries.items():
            time = key[self._time_at]
            if time > latest:
                latest, oldest = time, self._oldest_live(time)
            elif time < oldest:
                self._refuse(key)
                continue
            accepted[key] = value
        return accepted

    def _put_column(self, entries: dict[bytes, bytes | None]) -> None:
        self._copy.put_all(entries)
        if self._indexed:
            index_key = self._keys.index_key
            index = {
                index_key(key): None if value is None else b"" for key, value in entries.items()
            }
            self._copy.put_all(index)

    def _get(self, key: bytes) -> bytes | None:
        return self._copy_get(key) if key[self._time_at] >= self._seen_from else None

    def _put(self, key: bytes, value: bytes | None) -> None:
        time = key[self._time_at]
        if time > self._observed_bytes:
            self._advance(time)
        elif time < self._live_from:
            self._refuse(key)
            return
        self._set(key, value)

    def _set(self, key: bytes, value: bytes | None) -> None:
        self._copy_put(key, value)
        if self._indexed:
            self._copy_put(self._keys.index_key(key), None if value is None else b"")

    def _by_index(self, first: int, last: int, *, reverse: bool = False) -> Iterator[Entry]:
        """Yield the entries between two times, both inclusive, in the second order."""
        lower, upper = INDEX + first.to_bytes(8, "big"), INDEX + (last + 1).to_bytes(8, "big")
        get, key_of = self._copy_get, self._keys.indexed_key
        for found, _ in self._copy.scan(lower, upper, reverse=reverse):
            key = key_of(found)
            value = get(key)
            if value is not None:
                yield key, value

    def _advance(self, time: bytes) -> None:
        self._move_to(time)
        self._save()

    def _move_to(self, time: bytes) -> None:
        # In a join's store this runs for every record, so it does no more than it has to.
        self._observed_bytes = time
        self.observed = int.from_bytes(time, "big")
        oldest = self.observed - self._retention
        self._seen_from = max(0, oldest + self._first_seen).to_bytes(8, "big")
        first_segment = max(0, oldest) // self._keys.interval
        if not self.stores_durably or first_segment != self._first_segment:
            self._live_from = self._oldest_live(time)
        if first_segment != self._first_segment:
            kept_from, self._first_segment = max(0, self._first_segment), first_segment
            self.first_accepted = first_segment * self._keys.interval
            self.moves_at = self.first_accepted + self._keys.interval + self._retention
            if first_segment > kept_from:
                self._drop(kept_from, first_segment)

    def _oldest_live(self, time: bytes) -> bytes:
        """Return the oldest time that is not refused once ``time`` has been observed."""
        return self._first_live(int.from_bytes(time, "big")).to_bytes(8, "big")

    def _first_live(self, observed: int) -> int:
        oldest = observed - self._retention
        if not self.stores_durably:
            return clamp(oldest + 1)
        return clamp(oldest) // self._keys.interval * self._keys.interval

    def _drop(self, first: int, upper: int) -> None:
        """Drop the segments from ``first`` to before ``upper``."""
        first_time, upper_time = first * self._keys.interval, upper * self._keys.interval
        if self.before_drop is not None:
            self.before_drop(upper_time if self.stores_durably else None)
        self._copy.drop_range(first.to_bytes(8, "big"), upper.to_bytes(8, "big"))
        if self._indexed:
            lower = INDEX + first_time.to_bytes(8, "big")
            self._copy.drop_range(lower, INDEX + upper_time.to_bytes(8, "big"))

    def _save(self) -> None:
        self._copy_put(META_KEY, self._observed_bytes)

    def _restore(self, meta: bytes) -> None:
        self._move_to(meta)

    def _refuse(self, key: bytes) -> None:
        self._context.count_dropped_record(self._name)
        logger.warning(
            "Skipping record for expired segment. store=[%s] %s=[%d] streamTime=[%d]",
            self._name,
            self.time_name,
            int.from_bytes(key[self._time_at], "big"),
            self.observed,
        )
