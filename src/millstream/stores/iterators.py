"""Iterators that the public methods of stores return."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from millstream.core.errors import NoSuchElementException
from millstream.core.keyvalue import KeyValue
from millstream.core.state import KeyValueIterator, WindowStoreIterator

K = TypeVar("K")
V = TypeVar("V")

NOTHING: Any = object()


class Entries(KeyValueIterator[K, V], Generic[K, V]):
    """Iterator over pairs of raw key and cell, shown as a store's keys and values.

    ``closed`` is what is raised once it has been closed; None: then it has simply ended.
    ``key_and_cell``, in the place of ``show_key``, shows a key that needs its cell for that.
    """

    def __init__(
        self,
        pairs: Iterator[tuple[Any, Any]],
        show_key: Callable[[Any], K],
        show_value: Callable[[Any], V],
        store: str,
        *,
        closed: type[Exception] | None = None,
        key_and_cell: Callable[[Any, Any], K] | None = None,
    ) -> None:
        self._closed = closed
        self._pairs = pairs
        self._show_key = show_key
        self._key_and_cell = key_and_cell
        self._show_value = show_value
        self._store = store
        self._ahead: Any = None
        self._open = True

    def hasNext(self) -> bool:
        self._check_open()
        if self._ahead is None:
            self._ahead = next(self._pairs, NOTHING)
        return self._ahead is not NOTHING

    def next(self) -> KeyValue[K, V]:
        raw, cell = self._take()
        self._ahead = None
        return KeyValue(self._key(raw, cell), self._show_value(cell))

    def peekNextKey(self) -> K:
        return self._key(*self._take())

    def close(self) -> None:
        self._open = False
        self.end()

    def end(self) -> None:
        """Have no more entries."""
        self._pairs = iter(())
        self._ahead = NOTHING

    def settle(self, time_of: Callable[[Any], int], first_kept: int | None) -> None:
        """Read what is left, before the store drops what has expired.

        Args:
            time_of: Returns a raw key's time.
            first_kept: The iterator loses what is older, too; None: it loses nothing, as with
                Kafka's stores in memory.
        """
        if self._ahead is NOTHING:
            return
        rows = list(self._pairs)
        if first_kept is not None:
            rows = [row for row in rows if time_of(row[0]) >= first_kept]
        self._pairs = iter(rows)

    def _key(self, raw: Any, cell: Any) -> K:
        return self._show_key(raw) if self._key_and_cell is None else self._key_and_cell(raw, cell)

    def _take(self) -> tuple[Any, Any]:
        if not self.hasNext():
            raise NoSuchElementException(f'the iterator over store "{self._store}" has ended')
        return self._ahead  # type: ignore[no-any-return]

    def _check_open(self) -> None:
        if not self._open and self._closed is not None:
            raise self._closed(f"Iterator of store {self._store} has closed.")


class WindowEntries(Entries[int, V], WindowStoreIterator[V]):
    """Iterator over pairs of a window's start and cell."""
