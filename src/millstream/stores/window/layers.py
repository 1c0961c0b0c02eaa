"""The bytes under a window store: segments that expire."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import compress

from millstream.core.state import StateStore, StateStoreContext, WindowStore
from millstream.core.state.access import WindowAdds
from millstream.core.store import Entry
from millstream.stores.layers import Above, Encode, PointLayer
from millstream.stores.window.adds import StoredAdds
from millstream.stores.window.index import WindowIndex
from millstream.stores.window.keys import (
    WindowKeys,
    by_time,
    clamp,
    key_of,
    start_bytes,
    start_of,
    wanted,
)

logger = logging.getLogger("millstream.stores")

# Segments begin with a byte below 0x80, so these come after all of them.
INDEX = b"\x80"
META_KEY = b"\xffmeta"


BeforeDrop = Callable[[int | None], None]


class WindowLayer(PointLayer):
    """Window keys to bytes; see ``window_keys``."""

    time_ordered: bool
    """Windows of several keys come by time, then key; else by segment, then key."""
    before_drop: BeforeDrop | None = None
    """Told when windows are about to be dropped, and of the first start that stays.

    None instead of a start: open iterators go on as if nothing were dropped.
    """

    @abstractmethod
    def fetch(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        """Yield the live windows within bounds, all of them inclusive, in the store's order."""

    def near(self, key: bytes, first: int, last: int) -> list[Entry]:
        """Return what ``fetch`` does for one key, for those who ask for few keys' windows often."""
        return list(self.fetch(key, key, first, last, reverse=False))

    def oldest_seen(self, latest: int) -> int:
        """Return the first start that can be read after a window from ``latest`` was written."""
        return 0

    def adder(self, encode: Encode, plain: type | None) -> WindowAdds | None:
        """Return what adds values where nobody looks in between, if this can be done."""
        return None


class StoredWindows(WindowLayer):
    """Windows in a task's working copy of a byte store.

    A window that starts at or before the latest start minus retention is not seen any more. A
    store that is said to be persistent accepts and keeps windows until their whole segment is that
    old, one in memory does not: that is how Kafka's two kinds differ.
    """

    folds = True

    def __init__(
        self,
        name: str,
        kind: str,
        retention: int,
        keys: WindowKeys,
        *,
        duplicates: bool,
        durable: bool,
        emits_final: bool = False,
        sliding: bool = False,
    ) -> None:
        """Describe it.

        ``emits_final`` keeps a second order, by start, for reads of all keys. On disk that is also
        the order seen, and retention includes its last moment; ``sliding`` sees it only there, and
        ranges of keys by key.
        """
        self._name = name
        self._kind = kind
        self._retention = retention
        self._keys = keys
        self._duplicates = self.adds = duplicates
        self.stores_durably = durable
        self.time_ordered = emits_final or not durable
        self._indexed = emits_final
        self._ranges_by_key = emits_final and durable and sliding
        self._first_seen = 0 if emits_final and durable else 1
        self.sequence = 0
        self.observed = -1
        self._kept_from = b""

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        self._copy = context.working_copy(self._name, self._kind)
        self._copy_get = self._copy.get
        self._copy_put = self._copy.put
        self.index = WindowIndex(
            lambda key, first, last: self.fetch(key, key, first, last, reverse=False)
        )
        self.get = self._get_last if self._duplicates else self._get
        self.put = self._add if self._duplicates else self._put
        self.reload()

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        if self._duplicates:
            return list(map(self.get, keys))
        # Nothing is there before the oldest start that is seen or after the latest one.
        first, last, keys = self._seen_from, self._observed_bytes, list(keys)
        there = [first <= start <= last for start in map(start_bytes, keys)]
        found = self._copy.get_many(compress(keys, there))
        if len(found) == len(keys):
            return found
        values = iter(found)
        return [next(values) if seen else None for seen in there]

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        starts = set(map(start_bytes, entries))
        latest = max(starts, default=b"")
        moves = latest > self._observed_bytes
        oldest = self._oldest_live(latest) if moves else self._live_from
        if self._duplicates or self._indexed or min(starts, default=b"") < oldest:
            super().put_all(entries)
            return
        if moves:
            self._move_to(latest)
            self._save()
        self._copy.put_all(entries)
        if self.index:
            for key, value in entries.items():
                self.index.note(key, value)

    def adder(self, encode: Encode, plain: type | None) -> StoredAdds | None:
        if not self._duplicates or self._indexed:
            return None
        late_after = None if self.stores_durably else self._retention - 1
        interval = self._keys.interval
        put = self._copy.put
        return StoredAdds(self, self.index, put, encode, plain, interval, late_after)

    def settle(self) -> None:
        """Catch up with ``observed`` and ``sequence`` after they were set from outside."""
        self._move_to(self.observed.to_bytes(8, "big"))
        self._save()

    def near(self, key: bytes, first: int, last: int) -> list[Entry]:
        oldest = self.observed - self._retention + self._first_seen
        return self.index.find(key, oldest, first, min(last, self.observed))

    def fetch(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        oldest = self.observed - self._retention + self._first_seen
        first = clamp(max(time_from, oldest))
        last = min(time_to, self.observed)
        if last < first:
            return iter(())
        if self._indexed and key_from is None and key_to is None:
            return self._by_index(first, last, reverse=reverse)
        return self._between(key_from, key_to, first, last, reverse=reverse)

    def _between(
        self, key_from: bytes | None, key_to: bytes | None, first: int, last: int, *, reverse: bool
    ) -> Iterator[Entry]:
        lower_time, upper_time = first.to_bytes(8, "big"), last.to_bytes(8, "big")
        several = key_from is None or key_from != key_to
        sorts = several and self.time_ordered and not self._ranges_by_key
        bounds = list(self._keys.bounds(key_from, key_to, first, last))
        for lower, upper in reversed(bounds) if reverse else bounds:
            entries: Iterator[Entry] = (
                entry
                for entry in self._copy.scan(lower, upper, reverse=reverse)
                if wanted(entry[0], key_from, key_to, lower_time, upper_time)
            )
            if sorts:
                yield from sorted(entries, key=lambda entry: by_time(entry[0]), reverse=reverse)
            else:
                yield from entries

    def oldest(self) -> int:
        """Return the first start that is still seen."""
        return self.observed - self._retention + self._first_seen

    def oldest_seen(self, latest: int) -> int:
        return max(0, max(self.observed, latest) - self._retention + self._first_seen)

    def close(self) -> None:
        self._copy.close()

    def reload(self) -> None:
        self.index.forget()
        meta = self._copy_get(META_KEY)
        # Only joins look for nearly every key that they write.
        self.index.complete = meta is None and self._duplicates
        self.observed = -1
        self._first_segment = -1
        self.first_accepted = self.moves_at = 0
        self.sequence = 0
        self._observed_bytes = self._live_from = self._seen_from = b""
        self._kept_from = bytes(8)
        if meta is not None:
            self.sequence = int.from_bytes(meta[8:], "big")
            self._move_to(meta[:8])

    def _by_index(self, first: int, last: int, *, reverse: bool) -> Iterator[Entry]:
        lower, upper = INDEX + first.to_bytes(8, "big"), INDEX + (last + 1).to_bytes(8, "big")
        get, interval = self._copy_get, self._keys.interval
        for found, _ in self._copy.scan(lower, upper, reverse=reverse):
            start = found[1:9]
            segment = (int.from_bytes(start, "big") // interval).to_bytes(8, "big")
            key = segment + found[9:-4] + start + found[-4:]
            value = get(key)
            if value is not None:
                yield key, value

    def _get(self, key: bytes) -> bytes | None:
        return self._copy_get(key) if key[-12:-4] >= self._seen_from else None

    def _get_last(self, key: bytes) -> bytes | None:
        # Kafka's persistent store looks for the sequence number it gave out last; the one in
        # memory finds nothing.
        if not self.stores_durably:
            return None
        return self._get(key[:-4] + self.sequence.to_bytes(4, "big"))

    def _put(self, key: bytes, value: bytes | None) -> None:
        start = key[-12:-4]
        if start > self._observed_bytes:
            self._move_to(start)
            self._save()
        elif start < self._live_from:
            self._refuse(key)
            return
        self._copy_put(key, value)
        if self.index:
            self.index.note(key, value)
        if self._indexed:
            by_start = INDEX + start + key[8:-12] + key[-4:]
            self._copy_put(by_start, None if value is None else b"")

    def _add(self, key: bytes, value: bytes | None) -> None:
        if value is None:
            # There is nothing to delete; but time moves on in Kafka's store in memory.
            if not self.stores_durably and key[-12:-4] > self._observed_bytes:
                self._move_to(key[-12:-4])
                self._save()
            return
        number = self.sequence = (self.sequence + 1) & 0x7FFFFFFF
        start, last = key[-12:-4], number.to_bytes(4, "big")
        if start > self._observed_bytes:
            self._move_to(start)
        self._put(key[:-4] + last, value)
        self._copy_put(META_KEY, self._observed_bytes + last)

    def _move_to(self, start: bytes) -> None:
        # In a join's store this runs for every record, so it does no more than it has to.
        self._observed_bytes = start
        self.observed = int.from_bytes(start, "big")
        oldest = self.observed - self._retention
        self._seen_from = max(0, oldest + self._first_seen).to_bytes(8, "big")
        first_segment = max(0, oldest) // self._keys.interval
        if not self.stores_durably or first_segment != self._first_segment:
            self._live_from = self._oldest_live(start)
        if first_segment != self._first_segment:
            self._first_segment = first_segment
            self.first_accepted = first_segment * self._keys.interval
            self.moves_at = self.first_accepted + self._keys.interval + self._retention
            self._drop_before(first_segment)

    def _drop_before(self, first_segment: int) -> None:
        kept_from = first_segment.to_bytes(8, "big")
        if kept_from > self._kept_from:
            if self.before_drop is not None:
                first_start = first_segment * self._keys.interval
                self.before_drop(first_start if self.stores_durably else None)
            self._copy.drop_range(self._kept_from, kept_from)
            self._kept_from = kept_from
            if self._indexed:
                oldest_kept = (first_segment * self._keys.interval).to_bytes(8, "big")
                self._copy.drop_range(INDEX + bytes(8), INDEX + oldest_kept)

    def _oldest_live(self, start: bytes) -> bytes:
        """Return the oldest start that is not refused once ``start`` has been observed."""
        oldest = int.from_bytes(start, "big") - self._retention
        if not self.stores_durably:
            return clamp(oldest + 1).to_bytes(8, "big")
        interval = self._keys.interval
        return (clamp(oldest) // interval * interval).to_bytes(8, "big")

    def _save(self) -> None:
        self._copy_put(META_KEY, self._observed_bytes + self.sequence.to_bytes(4, "big"))

    def _refuse(self, key: bytes) -> None:
        self._context.count_dropped_record(self._name)
        logger.warning(
            "Skipping record for expired segment. store=[%s] windowStart=[%d] streamTime=[%d]",
            self._name,
            start_of(key),
            self.observed,
        )


class SuppliedWindows(Above, WindowLayer):
    """A store of bytes that a user's own supplier made."""

    def __init__(self, store: WindowStore[bytes, bytes], keys: WindowKeys) -> None:
        self._store = self._passes_to = store
        self._keys = keys
        self.stores_durably = store.persistent()
        self.time_ordered = not self.stores_durably

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._store.init(context, root)
        self.get = self._get
        self.put = self._put

    def fetch(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        store, join = self._store, self._keys.join
        if key_from is not None and key_from == key_to:
            reads = store.backwardFetch if reverse else store.fetch
            with reads(key_from, time_from, time_to) as windows:
                for entry in windows:
                    yield join(key_from, entry.key), entry.value
            return
        if key_from is None and key_to is None:
            everything = store.backwardFetchAll if reverse else store.fetchAll
            found = everything(time_from, time_to)
        else:
            reads = store.backwardFetch if reverse else store.fetch
            found = reads(key_from, key_to, time_from, time_to)
        with found as windowed:
            for entry in windowed:
                yield join(entry.key.key(), entry.key.window().start()), entry.value

    def _get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._store.fetch(key_of(key), start_of(key))
        return value

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._store.put(key_of(key), value, start_of(key))
