"""Iteration orders of Java's collections that are visible in Kafka Streams.

``describe()`` prints sets in ``HashSet`` and ``TreeSet`` order. Equal punctuation times and equal
head timestamps leave a ``PriorityQueue`` in heap order. Equal output needs the same orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


def string_hash(text: str) -> int:
    """Return Java's ``String.hashCode`` as an unsigned 32-bit number."""
    value = 0
    encoded = text.encode("utf-16-be")
    for index in range(0, len(encoded), 2):
        value = (31 * value + (encoded[index] << 8) + encoded[index + 1]) & 0xFFFFFFFF
    return value


def bytes_hash(data: bytes) -> int:
    """Return Java's ``Arrays.hashCode`` of bytes as an unsigned 32-bit number."""
    value = 1
    for byte in data:
        value = 31 * value + (byte - 256 if byte > 127 else byte) & 0xFFFFFFFF
    return value


def hash_order(names: Iterable[str], *, capacity: int = 16) -> list[str]:
    """Return distinct names in the order in which a ``HashSet`` filled in this order yields them.

    ``capacity`` is the initial size of the table.
    """
    distinct = list(dict.fromkeys(names))
    return bucket_order(distinct, string_hash, table_size(len(distinct), capacity))


def table_size(count: int, capacity: int = 16) -> int:
    """Return the size of a hash table, a power of two; it doubles at three quarters."""
    while count > capacity * 3 // 4:
        capacity *= 2
    return capacity


def bucket_order(items: Iterable[T], hash_of: Callable[[T], int], capacity: int) -> list[T]:
    """Return items in the iteration order of a hash table of that size.

    (Java turns a crowded bucket into a tree; its iteration order stays that of insertion.)
    """

    def bucket(item: T) -> int:
        value = hash_of(item)
        return (value ^ (value >> 16)) & (capacity - 1)

    return sorted(items, key=bucket)


def copied_hash_order(names: Iterable[str]) -> list[str]:
    """Return names in the order of ``new HashSet<>(collection)``, which sizes its table first."""
    distinct = list(dict.fromkeys(names))
    wanted, capacity = max(int(len(distinct) / 0.75) + 1, 16), 16
    while capacity < wanted:
        capacity *= 2
    return hash_order(distinct, capacity=capacity)


class _Cell(Generic[T]):
    """A node of the tree."""

    __slots__ = ("black", "item", "left", "parent", "right")

    def __init__(self, item: T, parent: _Cell[T] | None) -> None:
        self.item = item
        self.parent = parent
        self.left: _Cell[T] | None = None
        self.right: _Cell[T] | None = None
        self.black = True


class TreeSet(Generic[T]):
    """A red-black tree, for orders that change between insertions.

    Kafka inserts nodes whose sort key still grows, so the tree's shape at that moment decides each
    node's position. A sorted list would give another order.
    """

    def __init__(self, compare: Callable[[T, T], int]) -> None:
        self._compare = compare
        self._root: _Cell[T] | None = None

    def add(self, item: T) -> None:
        """Insert ``item`` unless the search for its position finds an equal item."""
        if self._root is None:
            self._root = _Cell(item, None)
            return
        cell: _Cell[T] | None = self._root
        parent: _Cell[T] = self._root
        order = 0
        while cell is not None:
            parent = cell
            order = self._compare(item, cell.item)
            if order == 0:
                return
            cell = cell.left if order < 0 else cell.right
        new = _Cell(item, parent)
        if order < 0:
            parent.left = new
        else:
            parent.right = new
        self._rebalance(new)

    def items(self) -> list[T]:
        """Return the items in tree order."""
        found: list[T] = []

        def walk(cell: _Cell[T] | None) -> None:
            if cell is not None:
                walk(cell.left)
                found.append(cell.item)
                walk(cell.right)

        walk(self._root)
        return found

    def _rebalance(self, cell: _Cell[T]) -> None:
        cell.black = False
        while cell.parent is not None and not cell.parent.black:
            parent = cell.parent
            grand = parent.parent
            assert grand is not None, "a red cell is never the root"
            on_left = parent is grand.left
            uncle = grand.right if on_left else grand.left
            if uncle is not None and not uncle.black:
                parent.black = uncle.black = True
                grand.black = False
                cell = grand
                continue
            if cell is (parent.right if on_left else parent.left):
                # The inner child is rotated above its parent before the grandparent is rotated.
                self._rotate(parent, left=on_left)
                cell, parent = parent, cell
            parent.black = True
            grand.black = False
            self._rotate(grand, left=not on_left)
        assert self._root is not None
        self._root.black = True

    def _rotate(self, cell: _Cell[T], *, left: bool) -> None:
        pivot = cell.right if left else cell.left
        assert pivot is not None
        inner = pivot.left if left else pivot.right
        if left:
            cell.right = inner
        else:
            cell.left = inner
        if inner is not None:
            inner.parent = cell
        pivot.parent = cell.parent
        if cell.parent is None:
            self._root = pivot
        elif cell.parent.left is cell:
            cell.parent.left = pivot
        else:
            cell.parent.right = pivot
        if left:
            pivot.left = cell
        else:
            pivot.right = cell
        cell.parent = pivot


class PriorityQueue(Generic[T]):
    """Java's binary heap: smallest key first, equal keys in the order of Java's heap."""

    __slots__ = ("_items", "_key")

    def __init__(self, key: Callable[[T], int]) -> None:
        self._key = key
        self._items: list[T] = []

    def __len__(self) -> int:
        return len(self._items)

    def peek(self) -> T | None:
        """Return the first item without removing it; None if there is none."""
        return self._items[0] if self._items else None

    def items(self) -> list[T]:
        """Return the items in heap order."""
        return list(self._items)

    def add(self, item: T) -> None:
        """Insert ``item``."""
        items, key = self._items, self._key
        items.append(item)
        index = len(items) - 1
        while index > 0:
            parent = (index - 1) >> 1
            if key(item) >= key(items[parent]):
                break
            items[index] = items[parent]
            index = parent
        items[index] = item

    def poll(self) -> T:
        """Remove and return the first item; there must be one."""
        first, last = self._items[0], self._items.pop()
        if self._items:
            self._sink(last)
        return first

    def add_and_poll_smallest(self, times: int) -> None:
        """Reorder the items as adding and polling a smallest item ``times`` times would."""
        seen: list[list[T]] = []
        while times and len(self._items) > 1:
            if self._items in seen:
                start = seen.index(self._items)
                self._items = seen[start + times % (len(seen) - start)]
                return
            seen.append(list(self._items))
            self._add_and_poll_smallest_once()
            times -= 1

    def _add_and_poll_smallest_once(self) -> None:
        items = self._items
        last = index = len(items)
        displaced = items[(last - 1) >> 1]
        while index > 0:
            parent = (index - 1) >> 1
            if index < last:
                items[index] = items[parent]
            index = parent
        self._sink(displaced)

    def _sink(self, last: T) -> None:
        """Replace the first item by ``last`` and sift it down."""
        items, key = self._items, self._key
        size, index = len(items), 0
        while index < size >> 1:
            child = 2 * index + 1
            right = child + 1
            if right < size and key(items[child]) > key(items[right]):
                child = right
            if key(last) <= key(items[child]):
                break
            items[index] = items[child]
            index = child
        items[index] = last
