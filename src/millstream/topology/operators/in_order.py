"""Aggregations that take the records of a chunk in order, and write their updates one by one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.windows import Windowed
from millstream.topology.operators.flat import fanned_out
from millstream.topology.operators.folding import identities
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.windowed import EXPIRED, WindowedAggregate

_Update = tuple[int, Windowed[Any], Any, Any, int]
"""The number of its record, windowed key, new and old value, and time."""


class InOrderAggregate(WindowedAggregate):
    """An aggregation that can take a chunk's records in order.

    What a cache reads and writes, and so what it evicts and when, is the same as with single
    records. Only what does not depend on that is done for the whole chunk: keys, and without a
    cache what is forwarded.
    """

    _chunk: Chunk | None = None
    """The chunk whose record ``_row`` is being added; None while that is the current record."""
    _row = 0

    def init(self, context: Any) -> None:
        super().init(context)
        self._updates: list[_Update] = []
        """What is to be forwarded of the chunk."""

    def _add(self, record: AnyRecord, close_time: int) -> bool:
        return self._add_one(record, None, close_time)

    @abstractmethod
    def _add_one(self, record: AnyRecord, key_bytes: Any, close_time: int) -> bool:
        """Do what ``_add`` does for a record; None for ``key_bytes`` if it is yet to serialize."""

    def _add_in_order(self, chunk: Chunk) -> None:
        """Add the records of a chunk, none of which lacks what it needs."""
        try:
            owners, key_bytes = identities(chunk.keys, self._access.serialize_keys)
        except Exception:  # noqa: BLE001 - record by record shows which key it was
            self.context.each(chunk)
            return
        first, own_bytes = 0, [key_bytes[owner] for owner in owners]
        while first < len(chunk):
            first = self._add_rows(chunk, first, own_bytes)

    def _add_rows(self, chunk: Chunk, first: int, key_bytes: list[bytes]) -> int:
        """Add the records from ``first`` on, up to one that fails, and it; return the next one."""
        set_record, grace, row = self._access.set_current_record, self._grace, first
        add, record_at = self._add_one, chunk.record
        self._chunk = chunk
        try:
            for row in range(first, len(chunk)):
                self._row = row
                set_record(chunk, row)
                record = record_at(row)
                self._stream_time = max(self._stream_time, record._timestamp)
                add(record, key_bytes[row], self._stream_time - grace)
                if self.context.scheduled_in_run and not self._at_once:
                    break
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            self._forward_updates(chunk)
            self.context.fail(chunk, row, error)
        else:
            self._forward_updates(chunk)
        finally:
            self._chunk = None
        if not self._at_once:
            self.context.record_done(chunk, row)
        return row + 1

    def _forward_updates(self, chunk: Chunk) -> None:
        if not self._updates:
            return
        rows, windowed, news, olds, times = map(list, zip(*self._updates, strict=True))
        self._updates.clear()
        out = fanned_out(chunk, rows).replace(keys=windowed, values=news)
        out.timestamps, out.olds = times, olds
        self._returned.forward_run(out, news, self.context)

    def _drop_late(self) -> None:
        self.context.drop_late(EXPIRED, self._chunk, self._row)
