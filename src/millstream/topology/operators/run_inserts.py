"""Base of the inserts of the records of one side of a stream join, a run at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import Self

from millstream.core.chunk import Chunk, side_by_side
from millstream.core.engine.shortcuts.join_merger import Partners
from millstream.core.state.access import WindowAccess, WindowAdds
from millstream.topology.operators.joined_results import JoinedResults

Serialized = tuple[list[bytes], list[bytes], "list[bytes | None] | None"]
"""Keys as a side's own store has them and as the other one has; values, if they are plain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertSide:
    """One side of a join: the store of its records, and where they look for partners."""

    own: WindowAccess
    partners: Partners
    adds: WindowAdds
    finds: WindowAdds

    @classmethod
    def of(cls, own: WindowAccess, partners: Partners) -> Self | None:
        """Return the side, if both stores take many adds at once."""
        adds, finds = own.adder(), partners.store.adder()
        if adds is None or finds is None:
            return None
        return cls(own=own, partners=partners, adds=adds, finds=finds)

    def serialized(self, chunk: Chunk) -> Serialized | None:
        """Return keys and values of a run as bytes; None if something cannot be serialized."""
        try:
            own = self.own.serialize_keys(chunk.keys)
            other = self.partners.store.serialize_keys(chunk.keys)
            return own, other, self.adds.encoded(chunk.values, chunk.timestamps)
        except Exception:  # noqa: BLE001 - one by one finds the record and asks the handler
            return None


class RunInserts:
    """Inserts the records of a run, and joins them where their results may go on as one run."""

    own_keys: ClassVar[bool] = False
    """A result may have another key than its record."""

    def __init__(self, side: InsertSide, chunk: Chunk, serialized: Serialized) -> None:
        self._partners = side.partners
        self._before, self._after = side.partners.before, side.partners.after
        self._chunk = chunk
        self._timestamps = list(chunk.timestamps)
        self._keys = chunk.keys
        self._values = chunk.values
        self._own, self._other, self._data = serialized
        self._adds = side.adds
        self._misses = side.finds.misses
        self._results: JoinedResults | None = None
        self._first = 0
        """The number of the run's first record in the results."""

    def join_with(self, others: Sequence[Self]) -> bool:
        """Join the records of these sides from now on, if they may be joined as one run.

        That is where nobody can change their values before their results go on.
        """
        contexts = [each._partners.context for each in others]
        if any(each._data is None for each in others) or not contexts[0].forwards_alike(contexts):
            return False
        results = JoinedResults(
            contexts[0],
            side_by_side([each._chunk for each in others]),
            [each._partners.returned for each in others],
            keys=[] if self.own_keys else None,
        )
        first = 0
        for each in others:
            each._results, each._first = results, first
            first += len(each._chunk)
        return True

    def settle(self) -> None:
        """Forward what was joined, and bring the store up to date."""
        self._adds.settle()
        if self._results is not None:
            self._results.forward()
