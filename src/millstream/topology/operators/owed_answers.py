"""Answers that take results of a foreign-key join back, and that a later update would outdate.

A left row that is deleted, or gets another foreign key, may have a result that the answer takes
back. The answer is dropped if the row has changed again before it comes, and the subscription of
that change is answered only if there is a right row. If there is none, the result would stay for
ever. In Kafka Streams that takes two updates within the milliseconds that an answer needs; where it
comes with the next batch, two updates within one batch.

Subscriptions may need a batch, too: where the right table is the first in the program, both tables
are in one sub-topology, or the topic had records when the application came from Kafka Streams. What
is remembered then lasts until the commit after the next one, and a task that is created anew
between the two has it from its snapshot.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from millstream.topology.operators.subscriptions import Instruction

Wanted = Sequence[tuple[Any, Instruction]]
"""Foreign keys and what their subscriptions instruct."""

_TAKES_BACK = frozenset({Instruction.DELETE_AND_ANSWER, Instruction.ANSWER_ALWAYS})


class OwedAnswers:
    """Rows that since the last commit have asked for an answer that takes a result back.

    Args:
        lasting: Remember them for one more commit, as answers need two batches.

    Example:
        >>> owed = OwedAnswers()
        >>> owed.settled(b"order", [("customer", Instruction.DELETE_AND_ANSWER)])
        [('customer', <Instruction.DELETE_AND_ANSWER: 1>)]
        >>> owed.settled(b"order", [("other", Instruction.ANSWER_IF_FOUND)])
        [('other', <Instruction.ANSWER_ALWAYS: 2>)]
    """

    def __init__(self, *, lasting: bool = False) -> None:
        self._lasting = lasting
        self._asked: dict[bytes | None, Any] = {}
        self._before: dict[bytes | None, Any] = {}
        """Those of the last commit, if they last."""

    def concern(self, wanted: Wanted) -> bool:
        """Tell whether ``settled`` has anything to do for an update that sends this."""
        if self._asked or self._before:
            return True
        return bool(wanted) and wanted[-1][1] in _TAKES_BACK

    def settled(self, primary_key: bytes | None, wanted: Wanted) -> Wanted:
        """Return what an update of a row has to send so that it is answered where it must be."""
        if wanted and wanted[-1][1] in _TAKES_BACK:
            self._asked[primary_key] = wanted[-1][0]
            return wanted
        asked = self._asked if primary_key in self._asked else self._before
        if primary_key not in asked:
            return wanted
        if not wanted:
            # Without a foreign key nothing is asked. The former right side answers once more.
            former = self._asked[primary_key] = asked[primary_key]
            return [(former, Instruction.DELETE_AND_ANSWER)]
        foreign_key = self._asked[primary_key] = wanted[-1][0]
        return [(foreign_key, Instruction.ANSWER_ALWAYS)]

    def committed(self) -> None:
        """Forget all whose answers come before what changes next."""
        self._before = self._asked if self._lasting else {}
        self._asked = {}

    def save(self, write: Callable[[Any], bytes | None]) -> bytes | None:
        """Return what a task that is created anew has to know; None for nothing.

        Args:
            write: Serializes a foreign key.
        """
        pairs = ((primary, write(foreign)) for primary, foreign in self._before.items())
        return packed(chain.from_iterable(pairs)) or None

    def restore(self, data: bytes, read: Callable[[bytes | None], Any]) -> None:
        """Take up what ``save`` has returned, or several of them in a row."""
        parts = unpacked(data)
        self._before = {
            primary: read(foreign) for primary, foreign in zip(parts, parts, strict=True)
        }


class TakenBack:
    """Primary keys of left rows that since the last commit were told that their right row is gone.

    A row that has changed before it hears of that drops it, and asks for an answer if there is a
    right row. It has to be told once more.
    """

    def __init__(self) -> None:
        self._told: set[bytes] = set()
        self._before: set[bytes] = set()
        """Those of the last commit, if they last."""

    def tell(self, primary_keys: Iterable[bytes]) -> None:
        """Note rows that have been told."""
        self._told.update(primary_keys)

    def __contains__(self, primary_key: bytes | None) -> bool:
        return primary_key in self._told or primary_key in self._before

    def __bool__(self) -> bool:
        return bool(self._told or self._before)

    def committed(self, *, lasting: bool = False) -> None:
        """Forget all whose subscriptions have come; ``lasting``: they come a batch later."""
        self._before = self._told if lasting else set()
        self._told = set()

    def save(self) -> bytes | None:
        """Return what a task that is created anew has to know; None for nothing."""
        return packed(sorted(self._before)) or None

    def restore(self, data: bytes = b"") -> None:
        """Begin with what ``save`` has returned, or several of them in a row, or with nothing."""
        self._told, self._before = set(), {each for each in unpacked(data) if each is not None}


_LENGTH = struct.Struct(">i")
_NULL = -1


def packed(parts: Iterable[bytes | None]) -> bytes:
    """Return some bytes as one, each behind its length."""
    return b"".join(
        _LENGTH.pack(_NULL) if part is None else _LENGTH.pack(len(part)) + part for part in parts
    )


def unpacked(data: bytes) -> Iterator[bytes | None]:
    """Yield what ``packed`` was given."""
    start = 0
    while start < len(data):
        (length,) = _LENGTH.unpack_from(data, start)
        start += _LENGTH.size
        yield None if length == _NULL else data[start : start + length]
        start += max(length, 0)
