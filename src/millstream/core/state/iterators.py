"""Iterators over stores: Java's methods and Python's protocol in one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from millstream.core.keyvalue import KeyValue
from millstream.core.readable import Closing, Readable, ReadOnly

K = TypeVar("K")
V = TypeVar("V")


class KeyValueIterator(Readable, Closing, ReadOnly, ABC, Iterator[KeyValue[K, V]], Generic[K, V]):
    """Entries of a store, in its order. Close it, best by ``with store.all() as entries:``.

    Source: ``state.KeyValueIterator``.
    """

    @abstractmethod
    def hasNext(self) -> bool:
        """Tell whether ``next`` has something to return."""

    @abstractmethod
    def next(self) -> KeyValue[K, V]:
        """Return the next entry.

        Raises:
            NoSuchElementException: There is none left.
        """

    @abstractmethod
    def peekNextKey(self) -> K:
        """Return the next entry's key and stay before it.

        Raises:
            NoSuchElementException: There is none left.
        """

    @abstractmethod
    def close(self) -> None:
        """Release what the iterator holds; calling it twice is fine."""

    def forEachRemaining(self, action: Callable[[KeyValue[K, V]], Any]) -> None:
        """Call ``action`` with each entry that is left."""
        for entry in self:
            action(entry)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> KeyValue[K, V]:
        if not self.hasNext():
            raise StopIteration
        return self.next()


class WindowStoreIterator(KeyValueIterator[int, V]):
    """The windows of one key: the entry's key is the window's start in epoch milliseconds.

    Source: ``state.WindowStoreIterator``.
    """
