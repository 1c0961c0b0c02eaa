"""Layers of bytes under a window store."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any

from millstream.core.state import StateStore, StateStoreContext, WindowStore
from millstream.core.state.access import WindowAdds
from millstream.core.store import Entry
from millstream.core.wording import a_kind
from millstream.stores.expiry import ExpiringLayer, TimedLayer
from millstream.stores.layers import Encode
from millstream.stores.supplied import SuppliedLayer
from millstream.stores.time_keys import META_KEY, clamp
from millstream.stores.window.adds import StoredAdds
from millstream.stores.window.index import WindowIndex
from millstream.stores.window.keys import (
    WindowKeys,
    key_of,
    start_bytes,
    start_of,
    wanted,
)


class WindowLayer(TimedLayer):
    """Window keys to bytes; see ``WindowKeys``. A window's time is its start."""

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

    def may_have(self, first: int, last: int) -> bool:
        """Return False only if no window that can be read starts within bounds."""
        return True

    def near(self, key: bytes, first: int, last: int) -> list[Entry]:
        """Return what ``fetch`` does for one key; fast for few keys that are read often."""
        return list(self.fetch(key, key, first, last, reverse=False))

    def oldest_seen(self, latest: int) -> int:
        """Return the first start that can be read after a window from ``latest`` was written."""
        return 0

    def adder(self, encode: Encode, plain: type | None) -> WindowAdds | None:
        """Return an access for batched adds; None if the layer has none."""
        return None


class StoredWindows(ExpiringLayer, WindowLayer):
    """Windows in a task's working copy of a byte store, in segments that expire."""

    time_name = "windowStart"

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
        the order of iterators, and retention includes its last moment; ``sliding`` uses it for
        reads of all keys only.
        """
        first_seen = 0 if emits_final and durable else 1
        super().__init__(
            name,
            kind,
            retention,
            keys,
            durable=durable,
            indexed=emits_final,
            first_seen=first_seen,
        )
        self._duplicates = self.adds = duplicates
        self.time_ordered = emits_final or not durable
        self._ranges_by_key = emits_final and durable and sliding
        self.sequence = 0

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self.index = WindowIndex(
            lambda key, first, last: self.fetch(key, key, first, last, reverse=False),
            adds=self._duplicates,
        )
        super().init(context, root)
        if self._duplicates:
            self.get, self.put = self._get_last, self._add

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

    def _put_column(self, entries: dict[bytes, bytes | None]) -> None:
        super()._put_column(entries)
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
        self._advance(self.observed.to_bytes(8, "big"))

    def may_have(self, first: int, last: int) -> bool:
        return max(first, self.oldest()) <= min(last, self.observed)

    def near(self, key: bytes, first: int, last: int) -> list[Entry]:
        return self.index.find(key, self.oldest(), first, min(last, self.observed))

    def fetch(
        self,
        key_from: bytes | None,
        key_to: bytes | None,
        time_from: int,
        time_to: int,
        *,
        reverse: bool,
    ) -> Iterator[Entry]:
        first = clamp(max(time_from, self.oldest()))
        last = min(time_to, self.newest())
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
                yield from sorted(
                    entries, key=lambda entry: self._keys.by_time(entry[0]), reverse=reverse
                )
            else:
                yield from entries

    def oldest_seen(self, latest: int) -> int:
        return max(0, max(self.observed, latest) - self._retention + self._first_seen)

    def reload(self) -> None:
        self.index.forget()
        self.sequence = 0
        # Only joins look for nearly every key that they write.
        self.index.complete = self._duplicates and self._copy_get(META_KEY) is None
        super().reload()

    def _get_last(self, key: bytes) -> bytes | None:
        # Kafka's persistent store looks for the sequence number it gave out last; the one in
        # memory finds nothing.
        if not self.stores_durably:
            return None
        return self._get(key[:-4] + self.sequence.to_bytes(4, "big"))

    def _set(self, key: bytes, value: bytes | None) -> None:
        super()._set(key, value)
        if self.index:
            self.index.note(key, value)

    def _add(self, key: bytes, value: bytes | None) -> None:
        if value is None:
            # There is nothing to delete; but Kafka's store in memory moves on, and refuses.
            if not self.stores_durably:
                self._pass_by(key)
            return
        number = self.sequence = (self.sequence + 1) & 0x7FFFFFFF
        start, last = key[-12:-4], number.to_bytes(4, "big")
        if start > self._observed_bytes:
            self._move_to(start)
        self._put(key[:-4] + last, value)
        self._copy_put(META_KEY, self._observed_bytes + last)

    def _pass_by(self, key: bytes) -> None:
        start = key[-12:-4]
        if start > self._observed_bytes:
            self._advance(start)
        if start < self._live_from:
            self._refuse(key)

    def _save(self) -> None:
        self._copy_put(META_KEY, self._observed_bytes + self.sequence.to_bytes(4, "big"))

    def _restore(self, meta: bytes) -> None:
        self.sequence = int.from_bytes(meta[8:], "big")
        self._move_to(meta[:8])


class SuppliedWindows(SuppliedLayer, WindowLayer):
    """A store of bytes that a user's own supplier made."""

    def __init__(self, store: WindowStore[bytes, bytes], keys: WindowKeys) -> None:
        super().__init__(store)
        self._keys = keys
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
        if key_from is None and key_to is None:
            method = "backwardFetchAll" if reverse else "fetchAll"
            found = getattr(store, method)(time_from, time_to)
        else:
            method = "backwardFetch" if reverse else "fetch"
            reads = getattr(store, method)
            if key_from is not None and key_from == key_to:
                for start, value in self._pairs(reads(key_from, time_from, time_to), f"{method}()"):
                    yield join(key_from, self._start(start, method)), value
                return
            found = reads(key_from, key_to, time_from, time_to)
        for key, value in self._windowed(found, f"{method}()"):
            yield join(key.key(), key.window().start()), value

    def _start(self, key: Any, method: str) -> int:
        if not isinstance(key, int):
            raise self._refusal(f"{method}()", f"{a_kind(key)} as a key", "starts of windows")
        return key

    def _get(self, key: bytes) -> bytes | None:
        return self._value(self._store.fetch(key_of(key), start_of(key)), "fetch()")

    def _put(self, key: bytes, value: bytes | None) -> None:
        self._store.put(key_of(key), value, start_of(key))
