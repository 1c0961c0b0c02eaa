"""Working copy of one store: a byte store and the changes of the current batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from millstream.core.errors import (
    ConfigException,
    InvalidStateStoreException,
    PluginError,
    TaskCorruptedException,
)
from millstream.core.sorted_map import MapSnapshot, SortedMap
from millstream.core.store import ByteStore, Entry, Range
from millstream.core.wording import said


@dataclass(frozen=True, slots=True)
class Changes:
    """What one batch changed in one store: ranges dropped first, then entries set or deleted."""

    entries: dict[bytes, bytes | None]
    dropped: tuple[Range, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries or self.dropped)


@contextmanager
def store_errors(name: str = "", method: str = "") -> Iterator[None]:
    """Raise what a byte store raises as ``TaskCorruptedException``.

    No exception handler may pass over it, or results would be silently wrong; the host rebuilds the
    store from what it keeps.
    """
    try:
        yield
    except Exception as error:
        raise _untrusted(error, name, method) from error


@dataclass(slots=True)
class WorkingCopy:
    """Reads and writes of a task's store; nothing reaches the byte store before ``apply``.

    Until its batch is known to have been committed by the host, a change lives only here. A batch
    that failed is therefore undone by forgetting it, whatever the byte store can do. ``changes`` is
    at the same time what the host makes durable: the last value of each key that changed.
    """

    store: ByteStore
    _staged: SortedMap[bytes | None] = field(default_factory=SortedMap)
    _dropped: list[Range] = field(default_factory=list)
    name: str = ""
    """The name of the store, which errors say."""
    on_close: Callable[[WorkingCopy], None] | None = None
    """Called when the store above is closed, by hosts that keep no byte store open after it."""

    _is_plugins: bool = field(init=False)
    _scans_may_fail: bool = field(init=False)
    _front: bytes = b""
    """No entry is before this key: a scan need not pass what the batch has deleted there."""
    _added: int | None = None
    """How many entries the batch has added, less those it has deleted, once that was asked for."""
    _tracked: bool = False
    """One of these is known, and follows the writes."""

    def __post_init__(self) -> None:
        self._is_plugins = not _is_own(self.store)
        self._scans_may_fail = self.store.traits.durable or self._is_plugins

    def close(self) -> None:
        """Say that the store above is closed; the byte store is the host's."""
        if self.on_close is not None:
            self.on_close(self)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""
        staged = self._staged.values
        if key in staged:
            return staged[key]
        for lower, upper in self._dropped:
            if lower <= key < upper:
                return None
        try:
            return self.store.get(key)
        except Exception as error:
            raise _untrusted(error, self.name, "get()") from error

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the value of each key, in order."""
        staged, stored = self._staged.values, self.store.get
        try:
            if not staged and not self._dropped:
                return self.store.get_many(keys)
            if self._is_plugins:
                return self._asked_together(list(keys))
            if self._dropped:
                return list(map(self.get, keys))
            return [staged[key] if key in staged else stored(key) for key in keys]
        except Exception as error:
            raise _untrusted(error, self.name, "get_many()") from error

    def _asked_together(self, keys: list[bytes]) -> list[bytes | None]:
        """Ask once for all that the batch has not changed: each call may go over a network."""
        staged = self._staged.values
        missing = [key for key in keys if key not in staged]
        for lower, upper in self._dropped:
            missing = [key for key in missing if not lower <= key < upper]
        found = dict(zip(missing, self.store.get_many(missing) if missing else (), strict=True))
        return [staged[key] if key in staged else found.get(key) for key in keys]

    def put(self, key: bytes, value: bytes | None) -> None:
        """Set the value of ``key``; None deletes."""
        if self._tracked:
            self._track(key, value)
        self._staged.set(key, value)

    def put_all(self, entries: dict[bytes, bytes | None]) -> None:
        """Set many values; None deletes."""
        if self._tracked:
            for key, value in entries.items():
                self._track(key, value)
        self._staged.update(entries)

    def drop_range(self, lower: bytes, upper: bytes) -> None:
        """Delete every key with ``lower <= key < upper``; none of them may be written again.

        It costs nothing per key in the byte store, which is what expiry needs.
        """
        for key in list(self._staged.keys(lower, upper)):
            self._staged.pop(key)
        self._added = None
        # Stores drop one segment after the other: as one range, or each read passes hundreds.
        for number, (first, last) in enumerate(self._dropped):
            if lower <= last and first <= upper:
                self._dropped[number] = min(first, lower), max(last, upper)
                return
        self._dropped.append((lower, upper))

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order, as they are now.

        A write that is made while it runs does not show, whether it is of this batch or of another:
        what a program reads must not depend on where batches are cut.
        """
        from_front = lower is None or lower <= self._front
        if from_front:
            lower = self._front or lower
        if lower is not None and upper is not None and lower >= upper:
            return iter(())
        try:
            stored = self.store.scan(lower, upper, reverse=reverse)
        except Exception as error:
            raise _untrusted(error, self.name, "scan()") from error
        if self._scans_may_fail:
            stored = self._guarded(stored)
        if self._dropped:
            stored = self._without_dropped(stored)
        if not self._staged.values:
            return stored
        staged = self._staged.snapshot(lower, upper, reverse=reverse)
        found = self._merged(stored, staged, reverse)
        return self._noting_front(found, staged) if from_front and not reverse else found

    def size_estimate(self) -> int:
        """Return about how many entries there are."""
        with store_errors(self.name, "size_estimate()"):
            if self._added is None:
                self._tracked, writes = True, self._staged.values.items()
                self._added = sum(self._effect(key, value) for key, value in writes)
            return self.store.size_estimate() + self._added

    def changes(self) -> Changes:
        """Return what was written since the last ``apply`` or ``forget``."""
        return Changes(self._staged.values, tuple(self._dropped))

    def apply(self, version: bytes) -> None:
        """Write the staged changes through to the byte store, as ``version``."""
        with store_errors(self.name, "write()"):
            self.store.write(self._staged.values, version, dropped=self._dropped)
        self.forget()

    def forget(self) -> None:
        """Drop the staged changes: their batch did not happen."""
        self._staged.clear()
        self._dropped = []
        self._front, self._added, self._tracked = b"", None, False

    def _track(self, key: bytes, value: bytes | None) -> None:
        """Note what a write, before it is made, does to what reads have found out."""
        if value is not None and key < self._front:
            self._front = key
        if self._added is not None:
            staged = self._staged.values
            before = self._effect(key, staged[key]) if key in staged else 0
            self._added += self._effect(key, value) - before

    def _effect(self, key: bytes, value: bytes | None) -> int:
        """Return by how many entries a write changes the number in the byte store."""
        with store_errors(self.name, "get()"):
            there = self.store.get(key) is not None
        return (value is not None) - there

    def _guarded(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        try:
            yield from entries
        except Exception as error:
            raise _untrusted(error, self.name, "scan()") from error

    def _without_dropped(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in entries:
            if not any(lower <= entry[0] < upper for lower, upper in self._dropped):
                yield entry

    def _noting_front(
        self, entries: Iterator[Entry], staged: MapSnapshot[bytes | None]
    ) -> Iterator[Entry]:
        first = next(entries, None)
        if first is not None:
            if staged.is_current:
                self._front, self._tracked = first[0], True
            yield first
            yield from entries

    def _merged(
        self, stored: Iterator[Entry], staged: MapSnapshot[bytes | None], reverse: bool
    ) -> Iterator[Entry]:
        following = next(stored, None)
        for key, value in staged:
            while following is not None and (following[0] > key if reverse else following[0] < key):
                yield following
                following = next(stored, None)
            if following is not None and following[0] == key:
                following = next(stored, None)
            if value is not None:
                yield key, value
        while following is not None:
            yield following
            following = next(stored, None)


def _is_own(store: Any) -> bool:
    """Return whether a store is millstream's, below whatever wraps it."""
    while hasattr(store, "below"):
        store = store.below
    return type(store).__module__.startswith("millstream.")


# To restore the store would help with none of them.
_OF_THE_PROGRAM = (
    ConfigException,
    InvalidStateStoreException,
    PluginError,
    TaskCorruptedException,
)


def _untrusted(error: Exception, name: str, method: str) -> Exception:
    if isinstance(error, _OF_THE_PROGRAM):
        return error
    which = f'store "{name}"' if name else "a store"
    where = f"the {method} of its byte store raised " if method else ""
    return TaskCorruptedException(
        f"{which} cannot be trusted any more", detail=f"{where}{said(error)}"
    )
