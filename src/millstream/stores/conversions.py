"""Conversions of a store's rows, for a program that keeps them in another form.

Rows are keys and values of a byte store. Those of windows and sessions have, besides entries, a
second order by time and a row about all entries (``time_keys``); they are told apart by the first
byte of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import StreamsException
from millstream.core.serdes.header_bytes import split_headers
from millstream.core.state.bytes_stores import NO_HEADERS, NO_TIME
from millstream.stores.changelogs.formats import Noted
from millstream.stores.session.keys import SessionKeys
from millstream.stores.time_keys import INDEX, TimedKeys
from millstream.stores.unmatched_rows import is_left, turned
from millstream.stores.window.keys import WindowKeys

Columns = tuple[list[bytes], list[bytes]]
Bytes = Callable[[bytes], bytes]

HEADERS, TIMES, SEGMENTS, ORDER, WORD = "headers", "times", "segments", "order", "word"
TURNED, ONE_SIDE = "turned", "one side"
_TIMED: dict[str, type[TimedKeys]] = {"window": WindowKeys, "session": SessionKeys}
_FIRST_OF_OTHERS = INDEX[0]


@dataclass(frozen=True, slots=True)
class RowConversion:
    """Conversion of the rows of one store; any of its rows may be converted apart from the others.

    Args:
        store: The store's name, for errors.
        names: ``headers``: values without headers get none; ``times``: values get a place for
            times, or lose it; ``segments``: keys for segments of another width; ``order``: with or
            without the order by time; ``word``: plain values by the user's function. In this order.
            Of a join's records without partner: ``turned``: left ones are right ones, and the
            other way round; ``one side``: right ones are left out. In this order.
        before: What the rows are.
        after: What they are to be.
        word: The user's function, for ``word``.
    """

    store: str
    names: tuple[str, ...]
    before: Noted
    after: Noted
    word: Callable[[bytes], Any] | None = None

    def __call__(self, keys: Sequence[bytes], values: Sequence[bytes]) -> Columns:
        """Return the converted rows; there may be more of them, or fewer.

        Raises:
            StreamsException: The user's function failed, or did not return bytes.
        """
        timed = _TIMED.get(self.before.type)
        rows = list(zip(keys, values, strict=True))
        if TURNED in self.names:
            rows = [turned(*row) for row in rows]
        if ONE_SIDE in self.names:
            rows = [row for row in rows if is_left(row[0])]
        entries, others = rows, []
        if timed is not None:
            entries = [row for row in rows if row[0][0] < _FIRST_OF_OTHERS]
            others = [row for row in rows if row[0][0] >= _FIRST_OF_OTHERS]
        found_keys = [key for key, _ in entries]
        found = [value for _, value in entries]
        for change in self._changes():
            found = [change(value) for value in found]
        if WORD in self.names:
            found = [self._by_word(key, v) for key, v in zip(found_keys, found, strict=True)]
        if timed is not None:
            layout = timed(self.after.layout["segment interval"])
            if SEGMENTS in self.names:
                at = timed.time_at
                times = (int.from_bytes(key[at], "big") for key in found_keys)
                found_keys = [
                    layout.segment(time) + key[8:]
                    for time, key in zip(times, found_keys, strict=True)
                ]
            if ORDER in self.names:
                others = [row for row in others if row[0][:1] != INDEX]
                if self.after.layout["order by time"]:
                    others += [(layout.index_key(key), b"") for key in found_keys]
        return (
            found_keys + [key for key, _ in others],
            found + [value for _, value in others],
        )

    def _changes(self) -> list[Bytes]:
        changes: list[Bytes] = []
        session = self.before.type == "session"
        plain = self.before.values == "plain"
        if TIMES in self.names:
            changes.append(NO_TIME.__add__ if plain else _without_time)
        if HEADERS in self.names:
            bare = plain and not session and TIMES not in self.names
            changes.append((NO_HEADERS + NO_TIME if bare else NO_HEADERS).__add__)
        return changes

    def _by_word(self, key: bytes, value: bytes) -> bytes:
        assert self.word is not None
        start = self._start(value)
        try:
            made = self.word(value[start:])
        except Exception as error:
            detail = f"It raised {type(error).__name__}: {error} for the row 0x{key.hex()}."
            raise self._failed(detail) from error
        if not isinstance(made, bytes):
            kind = type(made).__name__
            raise self._failed(f"For the row 0x{key.hex()} it returned {kind}, not bytes.")
        return value[:start] + made

    def _start(self, value: bytes) -> int:
        """Return where the plain value begins."""
        form = self.after.values
        if form == "headers":
            return split_headers(value)[1] + (0 if self.after.type == "session" else 8)
        return 8 if form == "timestamped" else 0

    def _failed(self, detail: str) -> StreamsException:
        return StreamsException(
            f'the function in millstream.state.convert for store "{self.store}" failed',
            detail=detail,
            hint="Nothing has been changed. Correct the function, and start again.",
        )


def _without_time(value: bytes) -> bytes:
    return value[8:]
