"""Headers of a chunk's records as Arrow columns, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise, starmap
from typing import Any

import numpy as np
import pyarrow as pa

from millstream.core.headers import Header, Headers, headers_of_row, new_header, unread

HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))

_ASKED_LIMIT = 32
"""Of so many names the newest headers are kept by row; of others they are searched for."""
Pair = tuple[str, bytes | None]


class ArrowHeaders:
    """The headers of a column; ``Headers`` of its rows read from here.

    Args:
        column: Lists of names and values; null where a record has none.
    """

    def __init__(self, column: pa.Array) -> None:
        self.column = column
        sizes = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        starts = np.zeros(len(column) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        self.starts: list[int] = starts.tolist()
        """Where each row's headers begin in ``parts``; last, where they end."""
        self._newest: dict[str, list[Header | None]] = {}

    @cached_property
    def parts(self) -> tuple[pa.Array, pa.Array]:
        """Names and values of all rows, in order."""
        names, values = self.column.flatten().flatten()
        return names, values

    @cached_property
    def pairs(self) -> list[Pair]:
        """The headers of all rows, in order."""
        return list(self.each_pair())

    def each_pair(self) -> Iterator[Pair]:
        """Yield the headers of all rows, in order."""
        values = self.parts[1].to_numpy(zero_copy_only=False).tolist()
        return zip(self._names, values, strict=True)

    def full(self) -> list[Headers | None]:
        """Return each row's headers; None for a row without."""
        bounds = enumerate(pairwise(self.starts))
        return [
            headers_of_row(self, row) if stop > start else None for row, (start, stop) in bounds
        ]

    def size(self, row: int) -> int:
        """Return how many headers a row has."""
        return self.starts[row + 1] - self.starts[row]

    def items(self, row: int) -> list[Header]:
        """Return a row's headers."""
        return list(starmap(new_header, self.pairs[self.starts[row] : self.starts[row + 1]]))

    def last(self, row: int, key: str) -> Header | None:
        """Return a row's newest header of this name; None if there is none."""
        newest = self._newest.get(key)
        if newest is not None:
            return newest[row]
        code = self._codes.get(key)
        if code is None:
            return None
        if len(self._newest) < _ASKED_LIMIT:
            newest = self._newest[key] = self._newest_of(code)
            return newest[row]
        some = reversed(self.pairs[self.starts[row] : self.starts[row + 1]])
        return next(starmap(new_header, (pair for pair in some if pair[0] == key)), None)

    def _newest_of(self, code: int) -> list[Header | None]:
        """Return each row's newest header of a name: what is asked of one is asked of others."""
        places = np.flatnonzero(self._encoded.indices.to_numpy() == code)
        rows = np.searchsorted(self.starts, places, side="right") - 1
        last = np.empty(len(rows), bool)
        last[-1:] = True
        last[:-1] = rows[1:] != rows[:-1]
        values = self.parts[1].take(pa.array(places[last])).to_numpy(zero_copy_only=False)
        newest: list[Header | None] = [None] * len(self.column)
        key = self._encoded.dictionary[code].as_py()
        for row, value in zip(rows[last].tolist(), values.tolist(), strict=True):
            newest[row] = new_header(key, value)
        return newest

    @cached_property
    def _encoded(self) -> Any:
        return self.parts[0].dictionary_encode()

    @cached_property
    def _names(self) -> list[str]:
        # One object for each name, however often it comes.
        distinct = np.array([*self._codes, None], object)
        return distinct[self._encoded.indices.to_numpy()].tolist()  # type: ignore[no-any-return]

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self._encoded.dictionary.to_pylist())}


def header_pairs(column: pa.Array | None) -> Iterator[list[Pair]] | None:
    """Return each record's headers as pairs; None if no record has any.

    Not all at once: a list of a million pairs makes Python look for garbage many times.
    """
    if column is None or column.null_count == len(column):
        return None
    found = ArrowHeaders(column)
    pairs = found.each_pair()
    return (list(islice(pairs, stop - start)) for start, stop in pairwise(found.starts))


def headers_list(column: pa.Array | None) -> list[Headers | None] | None:
    """Return the headers of a column that ``headers_column`` made."""
    if column is None or column.null_count == len(column):
        return None
    return ArrowHeaders(column).full()


def headers_column(headers: Sequence[Headers | None] | None) -> pa.Array | None:
    """Return the column of headers; None if no record has any.

    What is still in columns as it came is not made into objects.

    Raises:
        OverflowError: They have 2 GiB or more in total.
    """
    if headers is None or not any(headers):
        return None
    columns: dict[int, tuple[ArrowHeaders, int]] = {}
    """Columns by identity, and where each begins among the parts of all of them."""
    more: list[Header] = []
    begin, starts, counts, added = 0, [], [], []
    for each in headers:
        if each is None:
            starts.append(0)
            counts.append(0)
            added.append(0)
            continue
        rows, row, items = unread(each)
        added.append(len(items))
        more += items
        if not isinstance(rows, ArrowHeaders):
            starts.append(0)
            counts.append(0)
            continue
        known = columns.get(id(rows))
        if known is None:
            known = columns[id(rows)] = rows, begin
            begin += rows.starts[-1]
        start = rows.starts[row]
        starts.append(known[1] + start)
        counts.append(rows.starts[row + 1] - start)
    parts = [rows.parts for rows, _ in columns.values()]
    if more:
        parts.append(_parts(more))
    places = _places(np.array(starts), np.array(counts), np.array(added), begin)
    return _assembled(parts, places, np.array(counts) + np.array(added))


def _places(starts: Any, counts: Any, added: Any, begin: int) -> Any:
    """Return the places of headers in order: of each record those in columns, then those added.

    Args:
        starts: Where each record's headers begin among those in columns.
        counts: How many they are.
        added: How many have been added to each record.
        begin: Where the added ones begin.
    """
    sizes = counts + added
    total = int(sizes.sum())
    firsts = np.cumsum(sizes) - sizes
    within = np.arange(total) - np.repeat(firsts, sizes)
    known = np.repeat(counts, sizes)
    in_columns = np.repeat(starts, sizes) + within
    in_added = np.repeat(begin + np.cumsum(added) - added, sizes) + within - known
    return np.where(within < known, in_columns, in_added)


def _parts(items: Sequence[Header]) -> tuple[pa.Array, pa.Array]:
    names = pa.array([item._key for item in items], pa.string())
    return names, pa.array([item._value for item in items], pa.binary())


def _assembled(parts: Sequence[tuple[pa.Array, pa.Array]], places: Any, sizes: Any) -> pa.Array:
    try:
        names, values = (pa.concat_arrays(list(each)) for each in zip(*parts, strict=True))
    except pa.ArrowInvalid as error:
        raise OverflowError("a binary array cannot hold these headers") from error
    if len(places) != len(names) or (np.diff(places) != 1).any():
        chosen = pa.array(places)
        names, values = names.take(chosen), values.take(chosen)
    offsets = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    fields = [HEADERS.value_type.field(index) for index in range(2)]
    pairs = pa.StructArray.from_arrays([names, values], fields=fields)
    return pa.ListArray.from_arrays(
        pa.array(offsets), pairs, type=HEADERS, mask=pa.array(sizes == 0)
    )
