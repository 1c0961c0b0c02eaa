"""Folding of many updates into few slots, each of which is read once and written once.

A slot is the place of one aggregate: a key, or a key and a window. A cell is what a store has in
it: ``(value, timestamp)``, or None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.state.access import CellAccess, RawKeyAccess
from millstream.topology.operators.lost_aggregates import look_at_lost

Cell = tuple[Any, int] | None
Initial = Callable[[], Any]
Combine = Callable[[Any, Any, Any], Any]
Merge = Callable[[Any, Any, Any], Any]

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
        raw_keys = serialize(distinct)
        if len(set(raw_keys)) == len(raw_keys):
            return numbers, raw_keys
        # A serializer may write keys alike, such as one that takes capitals for small letters.
        places, raw_keys = numbered(raw_keys)
        return [places[number] for number in numbers], raw_keys
    return numbered(serialize(keys))


def fold(
    slots: Sequence[int],
    rows: Iterable[tuple[Any, Any, int]],
    cells: list[Cell],
    initial: Initial,
    combine: Combine,
    access: CellAccess,
    *,
    checked: bool = False,
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
        checked: An aggregate that cannot be written is a failure of its record.
    """
    news: list[Any] = []
    olds: list[Any] = []
    times: list[int] = []
    plain, to_cell = None if checked else access.plain, access.to_cell
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
                if cell is None:
                    look_at_lost(combine, old)
                cells[slot] = None
            else:
                cells[slot] = (new, timestamp) if type(new) is plain else to_cell(new, timestamp)
            news.append(new)
            olds.append(old)
            times.append(timestamp)
    except Exception as error:  # noqa: BLE001 - a user's function may raise anything
        return Updates(news, olds, times, error)
    return Updates(news, olds, times)


def write_updates(
    access: RawKeyAccess,
    run: Chunk,
    slots: Sequence[int],
    slot_bytes: Sequence[bytes],
    values: Sequence[Any],
    timestamps: Sequence[int],
) -> None:
    """Write a run of updates: the last one of each slot, or all where a changelog has all.

    Args:
        access: Of the store.
        run: The records that made the updates.
        slots: The slot of each update.
        slot_bytes: The slots by number, as the access takes them.
        values: The new values.
        timestamps: Their times.
    """
    if access.logs and not access.cached:
        indices: Sequence[int] = range(len(run))
    else:
        indices = sorted(dict(zip(slots, range(len(slots)), strict=True)).values())
    keys = run.keys
    access.write_many(
        [slot_bytes[slots[index]] for index in indices],
        [keys[index] for index in indices],
        [values[index] for index in indices],
        [timestamps[index] for index in indices],
        run,
        indices,
    )
