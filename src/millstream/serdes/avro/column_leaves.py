"""Readers of Avro's single values for many data at once, by columns of numpy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]
_LONGEST = 8
"""Bytes of the largest value that is read at one place."""
_MOST_BYTES = 1 << 25
"""Of data that are copied to read them together: large ones gain nothing by it."""


class Unsuited(Exception):
    """Bytes or a schema that are not read by columns: the other decoder reads or refuses them."""


class DataRun:
    """Many data, one behind the other.

    Args:
        values: The data.
        start: Bytes before the datum in each of them.

    Raises:
        Unsuited: They are too large.
    """

    def __init__(self, values: Sequence[bytes], start: int) -> None:
        sizes = np.fromiter(map(len, values), np.int64, len(values))
        if int(sizes.sum()) > _MOST_BYTES:
            raise Unsuited
        self.data = b"".join((*values, bytes(_LONGEST)))
        self.bytes: Numbers = np.frombuffer(self.data, np.uint8)
        self.ends: Numbers = np.cumsum(sizes)
        self.starts: Numbers = self.ends - sizes + start
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The data with a character for each byte."""
        if self._text is None:
            self._text = self.data.decode("latin-1")
        return self._text

    def window(self, kind: str) -> Numbers:
        """Return the values of a type of numpy that begin at each byte."""
        found: Numbers = np.ndarray(len(self.data) - _LONGEST, kind, self.data, strides=(1,))
        return found


def unsigned(data: DataRun, at: Numbers) -> tuple[Numbers, Numbers]:
    """Return the numbers that begin at places, before zigzag is undone, and the next places.

    Raises:
        Unsuited: One has more than 64 bits.
    """
    first = data.bytes[at]
    value = (first & 127).astype(np.uint64)
    after = at + 1
    more = np.flatnonzero(first > 127)
    shift = 7
    while more.size:
        byte = data.bytes[after[more]]
        if shift > 63 or (shift == 63 and bool((byte > 1).any())):
            raise Unsuited
        after[more] += 1
        value[more] |= (byte & 127).astype(np.uint64) << np.uint64(shift)
        more = more[byte > 127]
        shift += 7
    return value, after


def longs(data: DataRun, at: Numbers) -> tuple[Numbers, Numbers]:
    """Return the longs that begin at places, and the next places."""
    value, after = unsigned(data, at)
    return _signed(value), after


def _signed(value: Numbers) -> Numbers:
    found: Numbers = -(value & np.uint64(1)).astype(np.int64)
    found ^= (value >> np.uint64(1)).astype(np.int64)
    return found


class Leaf(ABC):
    """Reader of a type without parts.

    Args:
        converts: Called one after the other with each object.
    """

    def __init__(self, converts: Sequence[Callable[[Any], Any]]) -> None:
        self._converts = converts

    @abstractmethod
    def raw(self, data: DataRun, at: Numbers) -> tuple[tuple[Numbers, ...], Numbers]:
        """Return columns that tell the values at places, and the next places."""

    def plain(self, data: DataRun, columns: Sequence[Numbers]) -> list[Any]:
        """Return the values that columns tell."""
        found: list[Any] = columns[0].tolist()
        return found

    def objects(self, data: DataRun, columns: Sequence[Numbers]) -> list[Any]:
        """Return the finished objects."""
        found = self.plain(data, columns)
        for convert in self._converts:
            found = list(map(convert, found))
        return found


class Long(Leaf):
    """Reader of longs."""

    def raw(self, data: DataRun, at: Numbers) -> tuple[tuple[Numbers, ...], Numbers]:
        found, after = longs(data, at)
        return (found,), after


class Int(Leaf):
    """Reader of ints, which have 32 bits."""

    def raw(self, data: DataRun, at: Numbers) -> tuple[tuple[Numbers, ...], Numbers]:
        found, after = unsigned(data, at)
        if bool((found >> np.uint64(32)).any()):
            raise Unsuited
        return (_signed(found),), after


class Enum(Int):
    """Reader of the symbols of an enum."""

    def __init__(self, converts: Sequence[Callable[[Any], Any]], symbols: Sequence[str]) -> None:
        super().__init__(converts)
        self._symbols = symbols

    def plain(self, data: DataRun, columns: Sequence[Numbers]) -> list[Any]:
        if bool((columns[0] < 0).any()):
            raise Unsuited
        return list(map(self._symbols.__getitem__, columns[0].tolist()))


class Floating(Leaf):
    """Reader of floats or doubles."""

    def __init__(self, converts: Sequence[Callable[[Any], Any]], size: int) -> None:
        super().__init__(converts)
        self._size = size

    def raw(self, data: DataRun, at: Numbers) -> tuple[tuple[Numbers, ...], Numbers]:
        return (data.window(f"<f{self._size}")[at],), at + self._size


class Boolean(Leaf):
    """Reader of booleans."""

    def raw(self, data: DataRun, at: Numbers) -> tuple[tuple[Numbers, ...], Numbers]:
        found = data.bytes[at]
        if bool((found > 1).any()):
            raise Unsuited
        return (found == 1,), at + 1


class Bytes(Leaf):
    """Reader of bytes; of a fixed size, if one is given."""

    def __init__(self, converts: Sequence[Callable[[Any], Any]], size: int | None = None) -> None:
        super().__init__(converts)
        self._size = size

    def raw(self, data: DataRun, at: Numbers) -> tuple[tuple[Numbers, ...], Numbers]:
        if self._size is not None:
            return (at, at + self._size), at + self._size
        size, begin = longs(data, at)
        # Places only go on: that the last one is the end then shows that all were inside.
        if bool(((size < 0) | (size > len(data.data))).any()):
            raise Unsuited
        return (begin, begin + size), begin + size

    def plain(self, data: DataRun, columns: Sequence[Numbers]) -> list[Any]:
        whole = data.data
        return [whole[a:b] for a, b in zip(columns[0].tolist(), columns[1].tolist(), strict=True)]


class Text(Bytes):
    """Reader of strings."""

    def plain(self, data: DataRun, columns: Sequence[Numbers]) -> list[Any]:
        text = data.text
        found = [text[a:b] for a, b in zip(columns[0].tolist(), columns[1].tolist(), strict=True)]
        if all(map(str.isascii, found)):
            return found
        return [each.decode() for each in super().plain(data, columns)]
