"""Results of a join of two streams, collected to go on as one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from millstream.core.chunk import Chunk
from millstream.topology.operators.returned import Returned

_MOST_RESULTS = 10_000
"""Then they go on: a record may have any number of partners."""


@dataclass(slots=True)
class JoinedResults:
    """Results of both sides, in their order, to be forwarded as one run."""

    context: Any
    """The ``NodeContext`` of either side."""
    records: Chunk
    """Those of all sides, side by side."""
    returned: Sequence[Returned]
    """What the joiner has returned so far, by side."""
    keys: list[Any] | None = None
    """The key of each result; None while each has that of its record."""
    numbers: list[int] = field(default_factory=list)
    """The number of each result's record among them."""
    times: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, number: int, key: Any, value: Any, time: int) -> None:
        """Add a result of a record; the key counts where results have their own."""
        if self.keys is not None:
            self.keys.append(key)
        self.numbers.append(number)
        self.values.append(value)
        self.times.append(time)
        # Both sides have one joiner: what is found out at one of them holds for the other.
        if any(returned.look(value) for returned in self.returned):
            self.forward()

    def forward(self) -> None:
        """Forward them, each with the place of its own record."""
        if not self.numbers:
            return
        keys, numbers, times, values = self.keys, self.numbers, self.times, self.values
        self.numbers, self.times, self.values = [], [], []
        if keys is not None:
            self.keys = []
        taken = self.records.take(numbers).replace(keys=keys, values=values)
        if all(returned.are_many(values, self.context) for returned in self.returned):
            self.context.forward_chunk(taken.at(times))
        else:
            self.context.forward_each(taken.at(times))

    def forward_many(self) -> None:
        """Forward them if they are many."""
        if len(self.numbers) >= _MOST_RESULTS:
            self.forward()
