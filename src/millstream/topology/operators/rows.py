"""Chunk path of aggregates by key and by window: each aggregate is read once and written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.engine.failure import FATAL
from millstream.core.state.access import RawKeyAccess
from millstream.topology.operators.folding import (
    Cell,
    Combine,
    Initial,
    Updates,
    fold,
    write_updates,
)
from millstream.topology.operators.lost_aggregates import look_at_lost
from millstream.topology.operators.returned import Returned

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext


@dataclass(frozen=True, slots=True)
class Rows:
    """Records and the slots that they change: one row for each record and slot."""

    run: Chunk
    """The record of each row."""
    slots: list[int]
    """The number of each row's slot."""
    slot_bytes: list[bytes]
    """The slots by number, as the store's access takes them."""
    records: Sequence[int]
    """The number of each row's record."""
    table_keys: list[Any] | None
    """The key of each row in the table; None if the updates are not forwarded at once."""

    def next_record(self, row: int) -> int:
        """Return the first row after ``row`` that belongs to another record."""
        record = self.records[row]
        while row < len(self.records) and self.records[row] == record:
            row += 1
        return row


@dataclass(frozen=True, slots=True)
class RowAggregation:
    """Adds rows to the aggregates of a store, and forwards what they make of them."""

    context: NodeContext
    access: RawKeyAccess
    initial: Initial
    """Makes the aggregate of an empty slot."""
    combine: Combine
    """Adds a record to an aggregate."""
    returned: Returned
    """What ``combine`` has returned so far."""
    sends_old: bool
    """Updates carry the aggregate from before."""

    def add(self, rows: Rows) -> bool:
        """Add the rows in order; a record whose update fails is skipped, or ends the task.

        Returns:
            False if a slot cannot be read; then nothing is done.
        """
        access, run = self.access, rows.run
        if not access.has_room(rows.slot_bytes, run):
            self._add_through_cache(rows)
            return True
        try:
            cells = access.read_many(rows.slot_bytes)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - record by record shows which one it was
            return False
        first, checked = 0, False
        while first < len(run):
            updates = self._fold(rows, first, cells, checked=checked)
            if not checked and not access.fits(updates.news):
                # From here on to the end of the run: where one is refused, many may be.
                checked, cells = True, access.read_many(rows.slot_bytes)
                continue
            stop = first + len(updates.news)
            if stop > first:
                self._write(rows, first, stop, updates)
            if updates.error is not None:
                self.context.fail(run, stop, updates.error)
                # The function may have changed the aggregate before it failed.
                slot = rows.slots[stop]
                cells[slot] = access.read_many([rows.slot_bytes[slot]])[0]
                stop = rows.next_record(stop)
            first = stop
        return True

    def _fold(self, rows: Rows, first: int, cells: list[Cell], *, checked: bool) -> Updates:
        run = rows.run
        columns = zip(run.keys[first:], run.values[first:], run.timestamps[first:], strict=True)
        slots, access = rows.slots[first:], self.access
        return fold(slots, columns, cells, self.initial, self.combine, access, checked=checked)

    def _write(self, rows: Rows, first: int, stop: int, updates: Updates) -> None:
        """Write what some rows have come to, then forward their updates."""
        part, slots = rows.run.slice(first, stop), rows.slots[first:stop]
        write_updates(self.access, part, slots, rows.slot_bytes, updates.news, updates.timestamps)
        if rows.table_keys is None:
            return
        out = part.replace(keys=rows.table_keys[first:stop], values=updates.news)
        out.timestamps = updates.timestamps
        out.olds = updates.olds if self.sends_old else [None] * len(part)
        self.returned.forward_run(out, updates.news, self.context)

    def _add_through_cache(self, rows: Rows) -> None:
        """Add row by row, because the cache may have to flush in between."""
        access, run, initial, combine = self.access, rows.run, self.initial, self.combine
        set_record, read, write = access.set_current_record, access.read_at, access.write_at
        slots = list(map(rows.slot_bytes.__getitem__, rows.slots))
        columns = list(zip(slots, run.keys, run.values, run.timestamps, strict=True))
        row = 0
        while row < len(run):
            try:
                for row in range(row, len(run)):  # noqa: B020 - goes on after a failure
                    slot, key, value, time = columns[row]
                    set_record(run, row)
                    cell = read(slot)
                    if cell is None:
                        old = initial()
                    else:
                        old, stored = cell
                        time = max(time, stored)
                    new = combine(key, value, old)
                    if new is None and cell is None:
                        look_at_lost(combine, old)
                    write(slot, key, new, time, run, row)
                    if self.context.scheduled_in_run:
                        break
            except Exception as error:  # noqa: BLE001 - a user's function may raise anything
                self.context.fail(run, row, error)
                row = rows.next_record(row)
            else:
                self.context.record_done(run, row)
                row += 1
