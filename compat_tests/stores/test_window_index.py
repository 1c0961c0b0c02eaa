"""The index of a join's windows takes any number of records of one key and time."""

from __future__ import annotations

from typing import Any

from millstream.stores.window.index import WindowIndex
from millstream.stores.window.keys import WindowKeys


class Counting(bytes):
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counting.compared += 1
        return bytes.__eq__(self, other)

    def __hash__(self) -> int:
        return bytes.__hash__(self)


def test_no_record_is_compared_with_those_of_its_time() -> None:
    none: list[Any] = []
    index = WindowIndex(lambda key, first, last: iter(none), adds=True)
    row = index.remember(b"k")
    keys = WindowKeys(60_000)
    for number in range(200):
        window_key = keys.join(b"k", 5)[:-4] + number.to_bytes(4, "big")
        index.note_in(row, 5, Counting(window_key), b"%d" % number)

    assert Counting.compared == 0
    assert [value for _, value in index.find(b"k", 0, 5, 5)] == [b"%d" % n for n in range(200)]
