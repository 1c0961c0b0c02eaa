"""Answers that take results of a foreign-key join back, and that a later update would outdate.

A left row that is deleted, or gets another foreign key, may have a result that the answer takes
back. The answer is dropped if the row has changed again before it comes, and the subscription of
that change is answered only if there is a right row. If there is none, the result would stay for
ever. In Kafka Streams that takes two updates within the milliseconds that an answer needs; where it
comes with the next batch, two updates within one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.topology.operators.subscriptions import Instruction

Wanted = Sequence[tuple[Any, Instruction]]
"""Foreign keys and what their subscriptions instruct."""

_TAKES_BACK = frozenset({Instruction.DELETE_AND_ANSWER, Instruction.ANSWER_ALWAYS})


class OwedAnswers:
    """Rows that since the last commit have asked for an answer that takes a result back.

    Example:
        >>> owed = OwedAnswers()
        >>> owed.settled(b"order", [("customer", Instruction.DELETE_AND_ANSWER)])
        [('customer', <Instruction.DELETE_AND_ANSWER: 1>)]
        >>> owed.settled(b"order", [("other", Instruction.ANSWER_IF_FOUND)])
        [('other', <Instruction.ANSWER_ALWAYS: 2>)]
    """

    def __init__(self) -> None:
        self._asked: dict[bytes | None, Any] = {}

    def concern(self, wanted: Wanted) -> bool:
        """Tell whether ``settled`` has anything to do for an update that sends this."""
        return bool(self._asked) or (bool(wanted) and wanted[-1][1] in _TAKES_BACK)

    def settled(self, primary_key: bytes | None, wanted: Wanted) -> Wanted:
        """Return what an update of a row has to send so that it is answered where it must be."""
        if wanted and wanted[-1][1] in _TAKES_BACK:
            self._asked[primary_key] = wanted[-1][0]
            return wanted
        if primary_key not in self._asked:
            return wanted
        if not wanted:
            # Without a foreign key nothing is asked. The former right side answers once more.
            return [(self._asked[primary_key], Instruction.DELETE_AND_ANSWER)]
        foreign_key = self._asked[primary_key] = wanted[-1][0]
        return [(foreign_key, Instruction.ANSWER_ALWAYS)]

    def committed(self) -> None:
        """Forget all: the answers come before what changes next."""
        self._asked.clear()


class TakenBack(set[bytes]):
    """Primary keys of left rows that since the last commit were told that their right row is gone.

    A row that has changed before it hears of that drops it, and asks for an answer if there is a
    right row. It has to be told once more.
    """
