"""Index of windows in memory, by key and in order, for the keys that operators look up often."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

from millstream.core.durations import LONG_MAX
from millstream.core.store import Entry
from millstream.stores.window.keys import key_of, start_of

REMEMBERED_WINDOWS = 200_000
FORGOTTEN_AT_ONCE = 4

Row = tuple[list[int], list[Entry]]
"""A key's starts, and the entries to each of them."""


class WindowIndex:
    """Lookups of one key's windows without a scan of the byte store.

    A key is read from the store when it is first asked for, and is up to date from then on. When
    the index is too large, it is cleared.
    """

    def __init__(
        self, read: Callable[[bytes, int, int], Iterator[Entry]], *, adds: bool = False
    ) -> None:
        """Bind to a store: ``read`` yields a key's entries between two starts, in order.

        ``adds``: each write is an entry of its own, which takes the place of no other.
        """
        self._read = read
        self._adds = adds
        self.rows: dict[bytes, Row] = {}
        """Key -> its windows; always the same dict."""
        self._remembered = 0
        self.complete = False
        """Every window of the store is in the index: nothing is read from the store."""

    def find(self, key: bytes, oldest: int, first: int, last: int) -> list[Entry]:
        """Return a key's entries from ``first`` to ``last``; ``oldest`` is the first still seen."""
        row = self.rows.get(key)
        if row is None:
            row = self.remember(key)
        starts, entries = row
        expired = bisect_left(starts, oldest)
        if expired >= FORGOTTEN_AT_ONCE:
            del starts[:expired]
            del entries[:expired]
            self._remembered -= expired
        begin = bisect_left(starts, max(first, oldest))
        return entries[begin : bisect_right(starts, last, begin)]

    def note(self, window_key: bytes, value: bytes | None) -> None:
        """Index a write; of several entries with one start the last written comes last."""
        key = key_of(window_key)
        row, has_all = self.rows.get(key), self.complete
        if row is None and has_all:
            row = self.remember(key)
            if not self.complete:
                return  # it was cleared, and what has been read has the write
        if row is not None:
            self.note_in(row, start_of(window_key), window_key, value)

    def note_in(self, row: Row, start: int, window_key: bytes, value: bytes | None) -> None:
        """Index a write in the key's row."""
        starts, entries = row
        if value is not None and (not starts or start > starts[-1]):
            starts.append(start)
            entries.append((window_key, value))
            self._remembered += 1
            return
        end = bisect_right(starts, start)
        first = end if self._adds else bisect_left(starts, start, 0, end)
        for index in range(first, end):
            if entries[index][0] == window_key:
                if value is None:
                    del starts[index], entries[index]
                    self._remembered -= 1
                else:
                    entries[index] = window_key, value
                return
        if value is not None:
            starts.insert(end, start)
            entries.insert(end, (window_key, value))
            self._remembered += 1

    def forget(self) -> None:
        """Clear the index: the store was changed in another way."""
        self.rows.clear()
        self._remembered = 0
        self.complete = False

    def __bool__(self) -> bool:
        return self.complete or bool(self.rows)

    def remember(self, key: bytes) -> Row:
        """Read a key's row from the store."""
        if self._remembered > REMEMBERED_WINDOWS or len(self.rows) > REMEMBERED_WINDOWS:
            self.forget()
        entries = [] if self.complete else list(self._read(key, 0, LONG_MAX))
        row = self.rows[key] = [start_of(window_key) for window_key, _ in entries], entries
        self._remembered += len(entries)
        return row
