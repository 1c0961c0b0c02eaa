"""Layers of bytes under a session store."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from millstream.core.errors import UnsupportedOperationException
from millstream.core.state import SessionStore, StateStore, StateStoreContext
from millstream.core.store import Entry
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores.expiry import ExpiringLayer, TimedLayer
from millstream.stores.session.keys import (
    SessionKeys,
    end_of,
    key_of,
    latest_start_first,
    start_of,
    wanted,
)
from millstream.stores.supplied import SuppliedLayer
from millstream.stores.time_keys import clamp


class SessionLayer(TimedLayer):
    """Session keys to bytes; see ``SessionKeys``. A session's time is its end."""

    observed: int
    """The latest end in the bytes, where the layer folds."""
    refuses_inverted = False
    """It is asked for no range whose last end or key comes before the first, as a Java map's."""

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

    def limits(self, observed: int) -> tuple[int, int]:
        """Return the earliest ends that are found and taken once ``observed`` is the latest."""
        raise NotImplementedError

    @abstractmethod
    def ended(self, first_end: int, last_end: int) -> Iterator[Entry]:
        """Yield the sessions of all keys that end within bounds, both inclusive, by end."""


class StoredSessions(ExpiringLayer, SessionLayer):
    """Sessions in a task's working copy of a byte store, in segments that expire."""

    time_name = "sessionEnd"

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
        super().__init__(name, kind, retention, keys, durable=durable, indexed=indexed)
        self.time_ordered = self.refuses_inverted = not durable

    def find(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        earliest_end: int,
        latest_start: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        first = clamp(max(earliest_end, self.oldest()))
        newest = self.newest()
        if newest < first or latest_start < 0:
            return iter(())
        first_end, start = first.to_bytes(8, "big"), clamp(latest_start).to_bytes(8, "big")
        bounds = list(self._keys.bounds(key_from, key_to, first, newest))
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
        first, last = clamp(first_end), min(last_end, self.observed)
        if self.time_ordered:
            first = max(first, self.oldest())
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

    def limits(self, observed: int) -> tuple[int, int]:
        return clamp(observed - self._retention + 1), self._first_live(observed)

    def _in_order(self, entries: Iterator[Entry], *, reverse: bool = False) -> Iterator[Entry]:
        return iter(sorted(entries, key=lambda e: latest_start_first(e[0]), reverse=reverse))

    def remove(self, key: bytes) -> None:
        end = key[-16:-8]
        if self.stores_durably and end > self._observed_bytes:
            self._advance(end)
        if end >= self._live_from:
            self._set(key, None)


class SuppliedSessions(SuppliedLayer, SessionLayer):
    """A store of bytes that a user's own supplier made."""

    def __init__(self, store: SessionStore[bytes, bytes], keys: SessionKeys) -> None:
        super().__init__(store)
        self._keys = keys
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
        method = "backwardFindSessions" if reverse else "findSessions"
        reads = getattr(self._store, method)
        if key_from is not None and key_from == key_to:
            return self._entries(reads(key_from, earliest_end, latest_start), method)
        return self._entries(reads(key_from, key_to, earliest_end, latest_start), method)

    def ended(self, first_end: int, last_end: int) -> Iterator[Entry]:
        return self._entries(self._store.findSessions(first_end, last_end), "findSessions")

    def _entries(self, found: object, method: str) -> Iterator[Entry]:
        join = self._keys.join
        for key, value in self._windowed(found, f"{method}()"):
            window = key.window()
            yield join(key.key(), window.start(), window.end()), value

    def _get(self, key: bytes) -> bytes | None:
        found = self._store.fetchSession(key_of(key), start_of(key), end_of(key))
        return self._value(found, "fetchSession()")

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._store.put(_windowed(key), value)

    def remove(self, key: bytes) -> None:
        self._store.remove(_windowed(key))


def _windowed(key: bytes) -> Windowed[bytes]:
    return Windowed(key_of(key), SessionWindow.of_events(start_of(key), end_of(key)))


def _no_time_order(store: str) -> UnsupportedOperationException:
    return UnsupportedOperationException(
        f'session store "{store}" cannot find the sessions of all keys by their end',
        hint="Read a key or a range of keys; stores in memory and those of emit-on-close can.",
    )
