"""The bytes under a session store: segments that expire."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator

from millstream.core.errors import UnsupportedOperationException
from millstream.core.state import SessionStore, StateStore, StateStoreContext
from millstream.core.store import Entry
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores.layers import Above, PointLayer
from millstream.stores.session.keys import (
    SessionKeys,
    clamp,
    end_of,
    key_of,
    latest_start_first,
    start_of,
    wanted,
)
from millstream.stores.window.layers import INDEX, META_KEY, BeforeDrop

logger = logging.getLogger("millstream.stores")


class SessionLayer(PointLayer):
    """Session keys to bytes; see ``session_keys``."""

    time_ordered: bool
    """Sessions come by end, then key; else by segment, then key."""
    before_drop: BeforeDrop | None = None
    """See ``WindowLayer``; of ends."""

    @abstractmethod
    def find(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        """Yield the live sessions within bounds, all of them inclusive, in the store's order."""

    @property
    def observed(self) -> int:
        """The latest end in the bytes, where the layer folds."""
        raise NotImplementedError

    def limits(self, observed: int) -> tuple[int, int]:
        """Return the earliest ends that are found and taken once ``observed`` is the latest."""
        raise NotImplementedError

    @abstractmethod
    def ended(self, first_end: int, last_end: int) -> Iterator[Entry]:
        """Yield the sessions of all keys that end within bounds, both inclusive, by end."""


class StoredSessions(SessionLayer):
    """Sessions in a task's working copy of a byte store.

    A session that ends at or before the latest end minus retention is not seen any more. A store
    that is said to be persistent accepts and keeps sessions until their whole segment is that old,
    one in memory does not: that is how Kafka's two kinds differ.
    """

    folds = True

    def __init__(
        self,
        name: str,
        kind: str,
        retention: int,
        keys: SessionKeys,
        *,
        durable: bool,
        indexed: bool,
    ) -> None:
        """Describe it; ``indexed`` keeps a second order, by end, for ``ended``."""
        self._name = name
        self._kind = kind
        self._retention = retention
        self._keys = keys
        self._indexed = indexed
        self.stores_durably = durable
        self.time_ordered = not durable

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        self._copy = context.working_copy(self._name, self._kind)
        self._copy_get = self._copy.get
        self._copy_put = self._copy.put
        self.get = self._get
        self.put = self._put
        self.reload()

    def find(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        first = clamp(max(earliest_end, self._observed - self._retention + 1))
        if self._observed < first or latest_start < 0:
            return iter(())
        first_end, start = first.to_bytes(8, "big"), clamp(latest_start).to_bytes(8, "big")
        bounds = list(self._keys.bounds(key_from, key_to, first, self._observed))
        entries = (
            entry
            for lower, upper in (reversed(bounds) if reverse else bounds)
            for entry in self._copy.scan(lower, upper, reverse=reverse)
            if wanted(entry[0], key_from, key_to, first_end, start)
        )
        return self._in_order(entries, reverse=reverse) if self.time_ordered else entries

    def ended(self, first_end: int, last_end: int) -> Iterator[Entry]:
        if not self.time_ordered and not self._indexed:
            raise _no_time_order(self._name)
        first, last = clamp(first_end), min(last_end, self._observed)
        if self.time_ordered:
            first = max(first, self._observed - self._retention + 1)
        if last < first:
            return iter(())
        if self._indexed:
            entries = self._by_index(first, last)
        else:
            bounds = self._keys.bounds(None, None, first, last)
            entries = (
                entry
                for lower, upper in bounds
                for entry in self._copy.scan(lower, upper)
                if first <= end_of(entry[0]) <= last
            )
        return self._in_order(entries) if self.time_ordered else entries

    @property
    def observed(self) -> int:
        return self._observed

    def limits(self, observed: int) -> tuple[int, int]:
        oldest = observed - self._retention
        if not self.stores_durably:
            return clamp(oldest + 1), clamp(oldest + 1)
        interval = self._keys.interval
        return clamp(oldest + 1), clamp(oldest) // interval * interval

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        if self._indexed:
            super().put_all(entries)
            return
        before = latest = self._observed_bytes
        oldest = self._live_from
        taken: dict[bytes, bytes | None] = {}
        for key, value in entries.items():
            end = key[-16:-8]
            if end > latest:
                latest = end
                oldest = self.limits(int.from_bytes(end, "big"))[1].to_bytes(8, "big")
            elif end < oldest:
                self._refuse(key)
                continue
            taken[key] = value
        self._copy.put_all(taken)
        # What this drops may be among the entries: they were taken before time moved on.
        if latest > before:
            self._advance(latest)

    def close(self) -> None:
        self._copy.close()

    def reload(self) -> None:
        meta = self._copy_get(META_KEY)
        self._observed = -1
        self._observed_bytes = self._live_from = self._seen_from = b""
        self._kept_from = 0
        if meta is not None:
            self._move_to(meta)

    def _by_index(self, first: int, last: int) -> Iterator[Entry]:
        lower, upper = INDEX + first.to_bytes(8, "big"), INDEX + (last + 1).to_bytes(8, "big")
        segments, interval = self._copy_get, self._keys.interval
        for found, _ in self._copy.scan(lower, upper):
            end = found[1:9]
            segment = (int.from_bytes(end, "big") // interval).to_bytes(8, "big")
            key = segment + found[17:] + end + found[9:17]
            value = segments(key)
            if value is not None:
                yield key, value

    def _in_order(self, entries: Iterator[Entry], *, reverse: bool = False) -> Iterator[Entry]:
        return iter(sorted(entries, key=lambda e: latest_start_first(e[0]), reverse=reverse))

    def _get(self, key: bytes) -> bytes | None:
        return self._copy_get(key) if key[-16:-8] >= self._seen_from else None

    def _put(self, key: bytes, value: bytes | None) -> None:
        end = key[-16:-8]
        if end > self._observed_bytes:
            self._advance(end)
        elif end < self._live_from:
            self._refuse(key)
            return
        self._set(key, value)

    def remove(self, key: bytes) -> None:
        end = key[-16:-8]
        if self.stores_durably and end > self._observed_bytes:
            self._advance(end)
        if end >= self._live_from:
            self._set(key, None)

    def _set(self, key: bytes, value: bytes | None) -> None:
        self._copy_put(key, value)
        if self._indexed:
            by_end = INDEX + key[-16:] + key[8:-16]
            self._copy_put(by_end, None if value is None else b"")

    def _advance(self, end: bytes) -> None:
        self._move_to(end)
        self._copy_put(META_KEY, end)

    def _move_to(self, end: bytes) -> None:
        self._observed_bytes = end
        self._observed = int.from_bytes(end, "big")
        oldest = self._observed - self._retention
        self._seen_from = clamp(oldest + 1).to_bytes(8, "big")
        self._live_from = self.limits(self._observed)[1].to_bytes(8, "big")
        first_segment = clamp(oldest) // self._keys.interval
        if first_segment > self._kept_from:
            self._drop(self._kept_from, first_segment)
            self._kept_from = first_segment

    def _drop(self, first: int, upper: int) -> None:
        if self.before_drop is not None:
            self.before_drop(upper * self._keys.interval if self.stores_durably else None)
        self._copy.drop_range(first.to_bytes(8, "big"), upper.to_bytes(8, "big"))
        if self._indexed:
            interval = self._keys.interval
            self._copy.drop_range(
                INDEX + (first * interval).to_bytes(8, "big"),
                INDEX + (upper * interval).to_bytes(8, "big"),
            )

    def _refuse(self, key: bytes) -> None:
        self._context.count_dropped_record(self._name)
        logger.warning(
            "Skipping record for expired segment. store=[%s] sessionEnd=[%d] streamTime=[%d]",
            self._name,
            end_of(key),
            self._observed,
        )


class SuppliedSessions(Above, SessionLayer):
    """A store of bytes that a user's own supplier made."""

    def __init__(self, store: SessionStore[bytes, bytes], keys: SessionKeys) -> None:
        self._store = self._passes_to = store
        self._keys = keys
        self.stores_durably = store.persistent()
        self.time_ordered = not self.stores_durably

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._store.init(context, root)
        self.get = self._get
        self.put = self._put

    def find(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        reads = self._store.backwardFindSessions if reverse else self._store.findSessions
        if key_from is not None and key_from == key_to:
            return self._entries(reads(key_from, earliest_end, latest_start))
        return self._entries(reads(key_from, key_to, earliest_end, latest_start))

    def ended(self, first_end: int, last_end: int) -> Iterator[Entry]:
        return self._entries(self._store.findSessions(first_end, last_end))

    def _entries(self, found: object) -> Iterator[Entry]:
        join = self._keys.join
        with found as sessions:  # type: ignore[attr-defined]
            for entry in sessions:
                window = entry.key.window()
                yield join(entry.key.key(), window.start(), window.end()), entry.value

    def _get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._store.fetchSession(key_of(key), start_of(key), end_of(key))
        return value

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._store.put(_windowed(key), value)

    def remove(self, key: bytes) -> None:
        self._store.remove(_windowed(key))


def _windowed(key: bytes) -> Windowed[bytes]:
    return Windowed(key_of(key), SessionWindow(start_of(key), end_of(key)))


def _no_time_order(store: str) -> UnsupportedOperationException:
    return UnsupportedOperationException(
        f'session store "{store}" cannot find the sessions of all keys by their end',
        hint="Read a key or a range of keys; stores in memory and those of emit-on-close can.",
    )
