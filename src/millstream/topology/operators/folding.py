"""Aggregation over columns: many updates of few slots, read once and written once each.

A slot is what one aggregate belongs to: a key, or a key in a window. A cell is what a store has for
it: ``(value, timestamp)``, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

Cell = tuple[Any, int] | None
Initial = Callable[[], Any]
Combine = Callable[[Any, Any, Any], Any]
Merge = Callable[[Any, Any, Any], Any]

# Equal values of exactly one of these types have equal bytes. (1 == True == 1.0 would not.)
_IDENTIFYING = frozenset({str, int, bytes})


def count_initial() -> int:
    """Return what counting starts from."""
    return 0


def count_combine(key: Any, value: Any, count: int) -> int:
    """Count one more."""
    return count + 1


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


@dataclass(slots=True)
class Updates:
    """What a run of records does to its slots: one entry per update, in order."""

    news: list[Any]
    olds: list[Any]
    timestamps: list[int]
    error: Exception | None = None
    """Raised by the update after the last of these."""


def identities(
    keys: list[Any], serialize: Callable[[list[Any]], list[bytes]]
) -> tuple[list[Any], dict[Any, bytes]]:
    """Return something hashable for each key, equal for equal bytes, and the bytes of each."""
    kinds = set(map(type, keys))
    if len(kinds) == 1 and kinds <= _IDENTIFYING:
        distinct = list(dict.fromkeys(keys))
        return keys, dict(zip(distinct, serialize(distinct), strict=True))
    found = serialize(keys)
    return found, dict(zip(found, found, strict=True))


def fold(
    slots: Sequence[Hashable],
    rows: Iterable[tuple[Any, Any, int]],
    cells: dict[Any, Cell],
    initial: Initial,
    combine: Combine,
) -> Updates:
    """Apply records to their slots in order, up to the first failure of a user's function.

    Args:
        slots: The slot of each update.
        rows: Key, value and timestamp of each update.
        cells: What each slot holds; changed in place.
        initial: Makes the aggregate of an empty slot.
        combine: Given key, value and aggregate, returns the new aggregate; None empties the slot.
    """
    news: list[Any] = []
    olds: list[Any] = []
    times: list[int] = []
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
            cells[slot] = None if new is None else (new, timestamp)
            news.append(new)
            olds.append(old)
            times.append(timestamp)
    except Exception as error:  # noqa: BLE001 - a user's function may raise anything
        return Updates(news, olds, times, error)
    return Updates(news, olds, times)


def last_updates(slots: Sequence[Hashable]) -> list[tuple[Any, int]]:
    """Return each slot with the position of its last update, in the order of those updates."""
    last = dict(zip(slots, range(len(slots)), strict=True))
    return sorted(last.items(), key=itemgetter(1))
