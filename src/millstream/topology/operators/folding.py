"""Aggregation over columns: many updates of few slots, read once and written once each.

A slot is what one aggregate belongs to: a key, or a key in a window. A cell is what a store has for
it: ``(value, timestamp)``, or None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

Cell = tuple[Any, int] | None
Initial = Callable[[], Any]
Combine = Callable[[Any, Any, Any], Any]
Merge = Callable[[Any, Any, Any], Any]
Keep = Callable[[Any, int], Cell]

# Equal values of exactly one of these types have equal bytes. (1 == True == 1.0 would not.)
_IDENTIFYING = frozenset({str, int, bytes})


def count_initial() -> int:
    """Return what counting starts from."""
    return 0


def count_combine(key: Any, value: Any, counted: int) -> int:
    """Count one more."""
    return counted + 1


def count_merge(key: Any, one: int, two: int) -> int:
    """Add two counts."""
    return one + two


def reduce_initial() -> None:
    """Return what reducing starts from: nothing, so that the first value is the result."""
    return


@dataclass(frozen=True, slots=True)
class ReduceCombine:
    """A reducer in the form of an aggregator."""

    reducer: Callable[[Any, Any], Any]

    def __call__(self, key: Any, value: Any, aggregate: Any) -> Any:
        """Return the first value, or the combination of the value so far with this one."""
        return value if aggregate is None else self.reducer(aggregate, value)


@dataclass(frozen=True, slots=True)
class ReduceMerge:
    """A reducer in the form of a merger."""

    reducer: Callable[[Any, Any], Any]

    def __call__(self, key: Any, one: Any, two: Any) -> Any:
        """Return the combination of two aggregates, of which the first may be missing."""
        return two if one is None else self.reducer(one, two)


class Foldable(Protocol):
    """What folding asks of a store's access."""

    plain: type | None
    to_cell: Keep


@dataclass(slots=True)
class Updates:
    """What a run of records does to its slots: one entry per update, in order."""

    news: list[Any]
    olds: list[Any]
    timestamps: list[int]
    error: Exception | None = None
    """Raised by the update after the last of these."""


def numbered(items: Iterable[Hashable]) -> tuple[list[int], list[Any]]:
    """Return a number for each item, equal for equal ones, and the items by number."""
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    found = list(map(numbers.__getitem__, items))
    return found, list(numbers)


def identities(
    keys: list[Any], serialize: Callable[[list[Any]], list[bytes]]
) -> tuple[list[int], list[bytes]]:
    """Return a number for each key, equal for equal bytes, and the bytes by number."""
    kinds = set(map(type, keys))
    if len(kinds) == 1 and kinds <= _IDENTIFYING:
        numbers, distinct = numbered(keys)
        return numbers, serialize(distinct)
    return numbered(serialize(keys))


def fold(
    slots: Sequence[int],
    rows: Iterable[tuple[Any, Any, int]],
    cells: list[Cell],
    initial: Initial,
    combine: Combine,
    access: Foldable,
) -> Updates:
    """Apply records to their slots in order, up to the first failure of a user's function.

    Args:
        slots: The slot of each update.
        rows: Key, value and timestamp of each update.
        cells: What each slot holds; changed in place.
        initial: Makes the aggregate of an empty slot.
        combine: Given key, value and aggregate, returns the new aggregate; None empties the slot.
        access: Where the cells come from. It makes cells of aggregates that ``combine`` may change:
            the updates before must not show what the next ones make of them.
    """
    news: list[Any] = []
    olds: list[Any] = []
    times: list[int] = []
    plain, keep = access.plain, access.to_cell
    try:
        for slot, (key, value, timestamp) in zip(slots, rows, strict=False):
            cell = cells[slot]
            if cell is None:
                old = initial()
            else:
                old, stored = cell
                if stored > timestamp:  # noqa: PLR1730 - twice as fast as max()
                    timestamp = stored
            new = combine(key, value, old)
            if new is None:
                cells[slot] = None
            else:
                cells[slot] = (new, timestamp) if type(new) is plain else keep(new, timestamp)
            news.append(new)
            olds.append(old)
            times.append(timestamp)
    except Exception as error:  # noqa: BLE001 - a user's function may raise anything
        return Updates(news, olds, times, error)
    return Updates(news, olds, times)


def last_updates(slots: Sequence[int]) -> list[int]:
    """Return the position of each slot's last update, in order."""
    return sorted(dict(zip(slots, range(len(slots)), strict=True)).values())
