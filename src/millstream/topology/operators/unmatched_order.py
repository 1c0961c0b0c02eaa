"""Order of the unmatched records of an outer join, in memory, by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sortedcontainers import SortedList


class UnmatchedOrder:
    """The slots of records, without their values: some hundred bytes for each.

    Nearly every record of an outer join may release some that wait, and each time the first ones
    that go on waiting have to be known, of both sides. A scan of the store would pass all that the
    batch has written or removed.

    Args:
        slots: Those that there are. They sort as their records do: by time, then by side.
        side_of: Returns whether a slot is of the left side.
    """

    def __init__(self, slots: Iterable[bytes], side_of: Callable[[bytes], bool]) -> None:
        self._side_of = side_of
        found: tuple[list[bytes], list[bytes]] = ([], [])
        for slot in slots:
            found[side_of(slot)].append(slot)
        self._sides: list[Any] = [SortedList(side) for side in found]

    def add(self, slot: bytes) -> None:
        """Add a slot that is not there."""
        self._sides[self._side_of(slot)].add(slot)

    def add_new(self, slot: bytes) -> bool:
        """Add a slot unless it is there; return whether it was not."""
        side = self._sides[self._side_of(slot)]
        if side and slot <= side[-1] and slot in side:
            return False
        side.add(slot)
        return True

    def remove(self, slot: bytes) -> None:
        """Remove a slot that is there."""
        self._sides[self._side_of(slot)].remove(slot)

    def before(self, ends: Sequence[bytes]) -> list[bytes]:
        """Return the slots before a bound, which each side has, in order.

        Args:
            ends: The bound (exclusive) of the right side, then of the left one.
        """
        right, left = (
            list(side.irange(None, end, inclusive=(True, False))) if side and side[0] < end else []
            for side, end in zip(self._sides, ends, strict=True)
        )
        return sorted(right + left) if right and left else right or left

    def first_from(self, ends: Sequence[bytes]) -> list[bytes | None]:
        """Return the first slot from a bound on (inclusive) of each side; None without one."""
        return [self._next(number, end) for number, end in enumerate(ends)]

    def after(self, slot: bytes) -> bytes | None:
        """Return the first slot after one, of either side; None if that is the last."""
        return min(filter(None, self.first_from((slot + b"\0",) * 2)), default=None)

    def last(self) -> bytes | None:
        """Return the last slot of either side; None if there is none."""
        return max((side[-1] for side in self._sides if side), default=None)

    def _next(self, number: int, end: bytes) -> bytes | None:
        side = self._sides[number]
        at = 0 if side and side[0] >= end else side.bisect_left(end)
        found: bytes | None = side[at] if at < len(side) else None
        return found
