"""Joint run of several aggregations that share a store, as those of a cogroup do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from typing_extensions import Self

from millstream.core.chunk import Chunk, side_by_side
from millstream.core.columns import has_none
from millstream.core.engine.failure import FATAL
from millstream.core.state.access import RawKeyAccess
from millstream.topology.operators.folding import Cell, Combine, Initial, identities
from millstream.topology.operators.lost_aggregates import look_at_lost

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext


@dataclass(frozen=True, slots=True)
class JointPart:
    """The records of one source, and what adds them to the aggregates."""

    context: NodeContext
    chunk: Chunk
    combine: Combine


@dataclass(slots=True)
class _Done:
    """What some updates have come to."""

    last: dict[int, int]
    """For each slot, the number of its last update."""
    news: list[Any]
    """The new value of each update, in the order of the updates."""
    olds: list[Any]
    times: list[int]
    error: Exception | None


@dataclass(frozen=True, slots=True)
class JointRows:
    """Adds the records of several sources to the aggregates of one store, in a given order."""

    access: RawKeyAccess
    initial: Initial
    parts: Sequence[JointPart]
    starts: list[int]
    """The number of each part's first record."""
    records: Chunk
    """Those of all parts, one part after the other."""
    slots: Mapping[int, int] | Sequence[int]
    """The number of each record's slot, if it is not dropped."""
    slot_bytes: list[bytes]
    cells: list[Cell]
    """What each slot holds."""
    reason: str
    """Why records without key or value are dropped."""
    sends_old: bool | None
    """Whether updates carry the aggregate from before; None if a cache forwards them later."""

    @classmethod
    def of(
        cls,
        access: RawKeyAccess,
        initial: Initial,
        parts: Sequence[JointPart],
        reason: str,
        *,
        sends_old: bool | None,
    ) -> Self | None:
        """Return the rows; None if the cache may have to flush in between, or a key is unusual."""
        chunks = [part.chunk for part in parts]
        records = side_by_side(chunks)
        keys, values = records.keys, records.values
        kept, chosen = None, keys
        if has_none(keys) or has_none(values):
            columns = zip(keys, values, strict=True)
            kept = [
                n for n, (key, value) in enumerate(columns) if None is not key and None is not value
            ]
            chosen = [keys[number] for number in kept]
        try:
            slots, slot_bytes = identities(chosen, access.serialize_keys)
            if not all(access.has_room(slot_bytes, chunk) for chunk in chunks):
                return None
            cells = access.read_many(slot_bytes)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - record by record shows which record it was
            return None
        return cls(
            access,
            initial,
            parts,
            list(accumulate(map(len, chunks), initial=0))[:-1],
            records,
            slots if kept is None else dict(zip(kept, slots, strict=True)),
            slot_bytes,
            cells,
            reason,
            sends_old,
        )

    def process(self, order: Sequence[int]) -> None:
        """Add the records, given by number in their order; one whose update fails is skipped."""
        if isinstance(self.slots, Mapping):
            order = self._kept(order, self.slots)
        cells, first, checked = self.cells, 0, False
        while first < len(order):
            done = self._fold(order, first, cells, checked=checked)
            if not checked and not self.access.fits(done.news):
                # From here on to the end of the run: where one is refused, many may be.
                checked, cells = True, self.access.read_many(self.slot_bytes)
                continue
            updated = order[first : first + len(done.news)]
            self._write(updated, done)
            if self.sends_old is not None and updated:
                self._forward(updated, done, sends_old=self.sends_old)
            first += len(updated)
            if done.error is not None:
                part, index = self._record(order[first])
                part.context.fail(part.chunk, index, done.error)
                # The function may have changed the aggregate before it failed.
                slot = self.slots[order[first]]
                cells[slot] = self.access.read_many([self.slot_bytes[slot]])[0]
                first += 1

    def _kept(self, order: Sequence[int], slots: Mapping[int, int]) -> list[int]:
        """Drop the records without key or value."""
        kept = []
        for number in order:
            if number in slots:
                kept.append(number)
            else:
                part, index = self._record(number)
                part.context.drop(self.reason, part.chunk, index)
        return kept

    def _fold(self, order: Sequence[int], first: int, cells: list[Cell], *, checked: bool) -> _Done:
        """Apply updates to the cells, in order from a place on, up to the first failure.

        Checked, an aggregate that cannot be written is one.
        """
        slots, records = self.slots, self.records
        keys, values, timestamps = records.keys, records.values, records.timestamps
        combines = list[Combine]()
        for part in self.parts:
            combines += [part.combine] * len(part.chunk)
        initial, to_cell = self.initial, self.access.to_cell
        plain = None if checked else self.access.plain
        last, news, olds, times = dict[int, int](), list[Any](), list[Any](), list[int]()
        error = None
        try:
            for place, number in enumerate(islice(order, first, None)):
                slot, timestamp = slots[number], timestamps[number]
                cell = cells[slot]
                if cell is None:
                    old = initial()
                else:
                    old, stored = cell
                    if stored > timestamp:  # noqa: PLR1730 - twice as fast as max()
                        timestamp = stored
                new = combines[number](keys[number], values[number], old)
                if new is None:
                    if cell is None:
                        look_at_lost(combines[number], old)
                    cells[slot] = None
                else:
                    cells[slot] = (
                        (new, timestamp) if type(new) is plain else to_cell(new, timestamp)
                    )
                last[slot] = place
                news.append(new)
                olds.append(old)
                times.append(timestamp)
        except Exception as failure:  # noqa: BLE001 - a user's function may raise anything
            error = failure
        return _Done(last, news, olds, times, error)

    def _write(self, updated: Sequence[int], done: _Done) -> None:
        """Write each slot's last update, in the order of these."""
        rows = sorted(zip(done.last.values(), done.last, strict=True))
        numbers = [updated[place] for place, _ in rows]
        keys = self.records.keys
        self.access.write_many(
            [self.slot_bytes[slot] for _, slot in rows],
            [keys[number] for number in numbers],
            [done.news[place] for place, _ in rows],
            [done.times[place] for place, _ in rows],
            self.records,
            numbers,
        )

    def _forward(self, updated: Sequence[int], done: _Done, *, sends_old: bool) -> None:
        """Forward all updates as one run, each with the place of its own record."""
        out = self.records.take(updated).replace(values=done.news).at(done.times)
        out.olds = done.olds if sends_old else [None] * len(updated)
        self.parts[0].context.forward_chunk(out)

    def _record(self, number: int) -> tuple[JointPart, int]:
        part = bisect_right(self.starts, number) - 1
        return self.parts[part], number - self.starts[part]
