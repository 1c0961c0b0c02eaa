"""Wrappers around byte stores that do not promise everything.

``completed`` is how every host opens its stores, so that its users may rely on sorted scans
that no write changes and on ranges that expire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any
from weakref import WeakSet

from typing_extensions import Self

from millstream.core.store import ByteStore, Entry, Range

_HEAD = 16


class WrappedStore(ByteStore):
    """A byte store over another one; as it is, it passes everything on."""

    def __init__(self, below: ByteStore, **promises: bool) -> None:
        self.below = below
        self.name = below.name  # type: ignore[misc]
        self.traits = replace(below.traits, **promises)  # type: ignore[misc]
        # Called for almost every record.
        self.get = below.get  # type: ignore[method-assign]
        self.get_many = below.get_many  # type: ignore[method-assign]

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Refuse: it is made of a store that is open.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"{cls.__name__} wraps a store that is open")

    def get(self, key: bytes) -> bytes | None:
        return self.below.get(key)

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        return self.below.get_many(keys)

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        self.below.write(batch, version, dropped=dropped)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        return self.below.scan(lower, upper, reverse=reverse)

    def version(self) -> bytes | None:
        return self.below.version()

    def size_estimate(self) -> int:
        return self.below.size_estimate()

    def rest(self) -> None:
        self.below.rest()

    def close(self) -> None:
        """Close what is below."""
        self.below.close()


class SortedScans(WrappedStore):
    """Picks and sorts what a store without ``ordered`` yields."""

    def __init__(self, below: ByteStore) -> None:
        super().__init__(below, ordered=True, snapshot_scans=True)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order, as they are now."""
        found = [
            entry
            for entry in self.below.scan(lower, upper, reverse=reverse)
            if (lower is None or lower <= entry[0]) and (upper is None or entry[0] < upper)
        ]
        found.sort(reverse=reverse)
        return iter(found)


class SnapshotScans(WrappedStore):
    """Keeps writes out of open scans: before a write, what is left of each is read into memory."""

    def __init__(self, below: ByteStore) -> None:
        super().__init__(below, snapshot_scans=True)
        self._open: WeakSet[_Pieces] = WeakSet()

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch, which no open scan will show."""
        for pieces in list(self._open):
            pieces.read_rest()
        self._open = WeakSet()
        self.below.write(batch, version, dropped=dropped)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order, as they are now."""
        # A list would be read from its begin each time.
        entries = iter(self.below.scan(lower, upper, reverse=reverse))
        # Most scans are of a few entries, which are had sooner than a scan that is watched.
        head = list(islice(entries, _HEAD))
        if len(head) < _HEAD:
            return iter(head)
        pieces = _Pieces(entries)
        self._open.add(pieces)
        # A chain goes from entry to entry without a Python frame.
        return chain(head, chain.from_iterable(pieces))


class ScannedRanges(WrappedStore):
    """Deletes, key by key, the expired ranges of a store without ``native_ttl``."""

    def __init__(self, below: ByteStore) -> None:
        super().__init__(below, native_ttl=True)

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch; the keys of dropped ranges are among its deletions."""
        if dropped:
            gone: dict[bytes, bytes | None] = {}
            for lower, upper in dropped:
                gone.update((key, None) for key, _ in self.below.scan(lower, upper))
            batch = {**gone, **batch}
        self.below.write(batch, version)


def completed(store: ByteStore) -> ByteStore:
    """Return a store that keeps every promise about scans and expiry, whatever it is made of."""
    traits = store.traits
    layers: tuple[tuple[bool, Callable[[ByteStore], ByteStore]], ...] = (
        (traits.ordered, SortedScans),
        (traits.native_ttl, ScannedRanges),
        (traits.snapshot_scans or not traits.ordered, SnapshotScans),
    )
    for promised, layer in layers:
        if not promised:
            store = layer(store)
    return store


class _Pieces:
    """The parts of one scan: what the store yields, and then what had to be read ahead."""

    __slots__ = ("__weakref__", "_items", "_rest", "_step")

    def __init__(self, items: Iterator[Entry]) -> None:
        self._items = items
        self._rest: list[Entry] = []
        self._step = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Iterable[Entry]:
        self._step += 1
        if self._step == 1:
            return self._items
        if self._step == 2:
            return self._rest
        raise StopIteration

    def read_rest(self) -> None:
        """Read to the end; the scan goes on with what was found."""
        if self._step < 2:
            self._rest.extend(self._items)
