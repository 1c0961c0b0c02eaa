"""Joint run of two tables that are joined by key, without caches.

Record by record the two topics take turns, often after each record, since each update has to find
the row that the other table had then. One loop does the same with the rows in memory: each store is
read once and written once, and the updates of the join go on as one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any

from typing_extensions import Self

from millstream.core.chunk import Chunk, side_by_side
from millstream.core.state.access import KeyValueAccess
from millstream.topology.operators.folding import Cell, identities

if TYPE_CHECKING:
    from millstream.topology.operators.table_join import JoinSide

Warn = Callable[[int, int], None]
"""Takes the time of an update, and the later one of the row before it."""


@dataclass(frozen=True, slots=True)
class TableUpdates:
    """The updates of one table, and what joins them."""

    chunk: Chunk
    access: KeyValueAccess
    warn: Warn
    side: JoinSide
    """The processor that joins them."""
    sends_old: bool
    """The old value is known to it."""

    def is_plain(self) -> bool:
        """Tell whether nobody can change its values, and all of them surely can be written."""
        chunk, plain = self.chunk, self.access.plain
        if plain is None or not set(map(type, chunk.values)) <= {plain, NoneType}:
            return False
        return self.access.takes(chunk.values)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table's rows, as the run goes through them."""

    slots: list[int]
    """The number of each record's key, through both parts."""
    slot_bytes: list[bytes]
    cells: list[Cell]
    last: dict[int, int] = field(default_factory=dict)
    """The record that has written a slot last."""


@dataclass(slots=True)
class _Joined:
    """Columns of updates to be forwarded."""

    numbers: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    news: list[Any] = field(default_factory=list)
    olds: list[Any] = field(default_factory=list)


class TableJoinRun:
    """Takes the updates of two tables in the order in which they come."""

    def __init__(
        self, parts: Sequence[TableUpdates], records: Chunk, rows: Sequence[_Rows]
    ) -> None:
        self._parts = parts
        self._rows = rows
        self._records = records
        self._border = len(parts[0].chunk)
        self._joined = _Joined()

    @classmethod
    def of(cls, parts: Sequence[TableUpdates | None]) -> Self | None:
        """Return the run of two parts; None where only record by record is right.

        Raises:
            Exception: A key cannot be serialized, or a row cannot be read.
        """
        known = [part for part in parts if part is not None]
        if len(known) != 2 or len(parts) != 2:
            return None
        left, right = known
        if not (left.side.reads(right.access) and right.side.reads(left.access)):
            return None
        if not left.side.context.forwards_alike((right.side.context,)):
            return None
        if not (left.is_plain() and right.is_plain()):
            return None
        records, rows = side_by_side([left.chunk, right.chunk]), []
        for part in (left, right):
            slots, slot_bytes = identities(records.keys, part.access.serialize_keys)
            rows.append(_Rows(slots, slot_bytes, part.access.read_many(slot_bytes)))
        return cls((left, right), records, rows)

    def process(self, order: Sequence[int]) -> None:
        """Take the updates, given by number through both parts in their order."""
        first, second = self._step(0), self._step(1)
        border = self._border
        for number in order:
            if number < border:
                first(number)
            else:
                second(number)
        self._write()
        self._forward()

    def _step(self, place: int) -> Callable[[int], None]:
        """Return what takes an update of one part."""
        part, own, other = self._parts[place], self._rows[place], self._rows[1 - place]
        offset = place * self._border
        values, times, last = part.chunk.values, part.chunk.timestamps, own.last
        own_slots, own_cells = own.slots, own.cells
        other_slots, other_cells = other.slots, other.cells
        join, warn, sends_old = part.side.joined, part.warn, part.sends_old
        look = part.side.returned.look

        def step(number: int) -> None:
            index = number - offset
            value, timestamp = values[index], times[index]
            slot = own_slots[number]
            old, cell = None, own_cells[slot]
            if cell is not None:
                old, stored = cell
                if timestamp < stored:
                    warn(timestamp, stored)
            own_cells[slot] = None if value is None else (value, timestamp)
            last[slot] = number
            partner = other_cells[other_slots[number]]
            try:
                found = join(value, old if sends_old else None, partner)
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self._fail(part, index, old, error)
                return
            if found is not None:
                joined = self._joined
                joined.numbers.append(number)
                joined.news.append(found[0])
                joined.olds.append(found[1])
                if partner is not None and partner[1] > timestamp:
                    timestamp = partner[1]
                joined.times.append(timestamp)
                if look(found[0]):
                    self._forward()

        return step

    def _fail(self, part: TableUpdates, index: int, old: Any, error: Exception) -> None:
        """Let the exception handler decide on an update, once those before it are done."""
        self._write()
        self._forward()
        update = part.chunk.slice(index, index + 1).replace()
        update.olds = [old if part.sends_old else None]
        part.side.context.fail(update, 0, error)

    def _write(self) -> None:
        """Write each slot's last update."""
        for place, (part, rows) in enumerate(zip(self._parts, self._rows, strict=True)):
            written = sorted((number, slot) for slot, number in rows.last.items())
            rows.last.clear()
            if not written:
                continue
            chunk, offset = part.chunk, place * self._border
            indices = [number - offset for number, _ in written]
            part.access.write_many(
                [rows.slot_bytes[slot] for _, slot in written],
                [chunk.keys[index] for index in indices],
                [chunk.values[index] for index in indices],
                [chunk.timestamps[index] for index in indices],
                chunk,
                indices,
            )

    def _forward(self) -> None:
        """Forward the updates of the join as one run, each with the place of its own record."""
        joined, self._joined = self._joined, _Joined()
        if joined.numbers:
            out = self._records.take(joined.numbers).replace(values=joined.news).at(joined.times)
            out.olds = joined.olds
            side = self._parts[0].side
            side.returned.forward_run(out, joined.news, side.context)
