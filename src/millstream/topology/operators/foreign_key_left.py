"""Processors of a foreign-key join on the left: subscriptions of rows, and joined rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.records import make_record
from millstream.core.serdes.base import deserializer_call, serialize_column
from millstream.core.serdes.checks import deserializer_of, serializer_of
from millstream.topology.operators.flat import fanned_out
from millstream.topology.operators.foreign_key import JoinPart, TableReadingPart
from millstream.topology.operators.operator import AnyRecord, runs
from millstream.topology.operators.owed_answers import OwedAnswers, Wanted
from millstream.topology.operators.returned import Returned
from millstream.topology.operators.subscriptions import Instruction, JoinResponse, Subscription

_NO_FOREIGN_KEY = "null foreign key"
_CHANGED = "its left row has changed"


class Subscribe(JoinPart):
    """Sends the subscriptions of the left table's rows, keyed by foreign key."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._keys = serializer_of(self._key_serde, "the key serde of a foreign-key join")
        self._extracted = Returned()
        self._owed = None
        if context.answers_come_later and not self._join.left:
            # Where both sides are one task, or an adoption has left subscriptions on the broker,
            # subscription and answer take a batch each.
            both = self.subscriptions_come_later() and context.reads_later()
            self._owed = OwedAnswers(lasting=both)
            context.at_commit(self._owed.committed)

    def save(self) -> bytes | None:
        """Return the rows that may still miss their answer."""
        return None if self._owed is None else self._owed.save(self.foreign_key_bytes)

    def combine(self, saved: Sequence[bytes]) -> bytes:
        return b"".join(saved)

    def restore(self, data: bytes) -> None:
        if self._owed is not None:
            self._owed.restore(data, self._read_foreign_key)

    def _read_foreign_key(self, data: bytes | None) -> Any:
        reader = deserializer_of(self._foreign_key_serde, "the foreign key's serde of a join")
        return deserializer_call(reader)(self._names["fk"], self._headers(), data)

    def process(self, record: AnyRecord) -> None:
        """Subscribe the row as it is now, and cancel what it was subscribed to."""
        key, change = record._key, record._value
        if self.outdated(change) or (change.old is None and change.new is None):
            return
        old = self._join.foreign_key(key, change.old)
        new = self._extracted.noted(self._join.foreign_key(key, change.new))
        if self._lacks_key(change.new, new):
            self.context.drop(_NO_FOREIGN_KEY)
        wanted = self._wanted(
            old, new, lambda: self.foreign_key_bytes(new) != self.foreign_key_bytes(old)
        )
        if self._owed is not None and self._owed.concern(wanted):
            primary = self._write_key(self._names["pk"], self._headers(), key)
            wanted = self._owed.settled(primary, wanted)
        row_hash, known = None, False
        for foreign_key, instruction in wanted:
            if not known:
                row_hash, known = self.row_hash(change.new), True
            metadata = self.context.recordMetadata()
            partition = None if metadata is None else metadata.partition()
            subscription = Subscription(row_hash, instruction, key, partition)
            self.forward(make_record(foreign_key, subscription, record._timestamp, record._headers))

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self._extracted.first_ones(chunk, self.context.each)
        columns = chunk.keys, chunk.values, chunk.olds or [None] * len(chunk)
        for run, found in runs(self.context, chunk, self._both, *columns):
            self._extracted.are_many([new for _, new in found], self.context)
            try:
                made = self._subscribed(run, found)
            except Exception:  # noqa: BLE001 - one by one finds the record that a serializer refuses
                self.context.each(run)
                continue
            for index, (_, new) in enumerate(found):
                if self._lacks_key(run.values[index], new):
                    self.context.drop(_NO_FOREIGN_KEY, run, index)
            self.context.forward_chunk(made)

    def _both(self, key: Any, new: Any, old: Any) -> tuple[Any, Any]:
        return self._join.foreign_key(key, old), self._join.foreign_key(key, new)

    def _lacks_key(self, row: Any, foreign_key: Any) -> bool:
        return row is not None and foreign_key is None and not self._join.left

    def _wanted(self, old: Any, new: Any, differ: Callable[[], bool]) -> Wanted:
        """Return what a row sends whose foreign keys were and are these; None for no row."""
        if self._join.left:
            gone = old is not None and differ()
            cancelled = [(old, Instruction.DELETE_SILENTLY)] if gone else []
            return [*cancelled, (new, Instruction.ANSWER_ALWAYS)]
        if new is None:
            return [] if old is None else [(old, Instruction.DELETE_AND_ANSWER)]
        if old is not None and differ():
            return [(old, Instruction.DELETE_SILENTLY), (new, Instruction.ANSWER_ALWAYS)]
        return [(new, Instruction.ANSWER_IF_FOUND)]

    def _subscribed(self, chunk: Chunk, foreign_keys: Sequence[tuple[Any, Any]]) -> Chunk:
        """Return the subscriptions of many rows."""
        before, after = (self.foreign_keys_bytes(keys) for keys in zip(*foreign_keys, strict=True))
        hashes = self.row_hashes(chunk.values)
        olds = chunk.olds or [None] * len(chunk)
        changed = [
            index
            for index, old in enumerate(olds)
            if old is not None or chunk.values[index] is not None
        ]
        wanted = [
            self._wanted(*foreign_keys[index], (before[index] != after[index]).__bool__)
            for index in changed
        ]
        owed = self._owed
        if owed is not None and any(map(owed.concern, wanted)):
            own = [chunk.keys[index] for index in changed]
            primary = serialize_column(self._keys, self._names["pk"], own)
            wanted = list(map(owed.settled, primary, wanted))
        rows, keys, values = list[int](), list[Any](), list[Subscription]()
        for index, own_wanted in zip(changed, wanted, strict=True):
            _, partition = chunk.origin(index)
            for foreign_key, instruction in own_wanted:
                rows.append(index)
                keys.append(foreign_key)
                values.append(
                    Subscription(hashes[index], instruction, chunk.keys[index], partition)
                )
        each_once = rows == list(range(len(chunk)))
        made = (chunk if each_once else fanned_out(chunk, rows)).replace(keys=keys, values=values)
        made.olds = None
        return made


class Resolve(TableReadingPart):
    """Joins responses with their left rows, unless those have changed meanwhile."""

    def process(self, record: AnyRecord) -> None:
        """Forward the joined row; None where the join has none."""
        response = record._value
        cell = self._getter.get(record._key)
        row = None if cell is None else cell[0]
        if self.row_hash(row) == response.row_hash:
            self.forward(record.withValue(self._result(row, response)))
        else:
            self.context.drop(_CHANGED, quietly=True)

    def process_chunk(self, chunk: Chunk) -> None:
        rows = self._rows(chunk.keys)
        try:
            hashes = None if rows is None else self.row_hashes(rows)
        except Exception:  # noqa: BLE001 - one by one finds the record that a serializer refuses
            hashes = None
        if rows is None or hashes is None:
            self.context.each(chunk)
            return
        keep = [
            own == response.row_hash for own, response in zip(hashes, chunk.values, strict=True)
        ]
        if not all(keep):
            for _ in range(keep.count(False)):
                self.context.drop(_CHANGED, quietly=True)
            rows = [row for row, good in zip(rows, keep, strict=True) if good]
            chunk = chunk.select(keep)
        for run, results in runs(self.context, chunk, self._result, rows, chunk.values):
            self.context.forward_chunk(run.replace(values=results))

    def _rows(self, keys: Sequence[Any]) -> list[Any] | None:
        """Return the left rows; None if they have to be got one by one."""
        try:
            cells = self._getter.get_many(keys)
        except Exception:  # noqa: BLE001 - one by one finds the record that a serializer refuses
            return None
        return cells and [None if cell is None else cell[0] for cell in cells]

    def _result(self, row: Any, response: JoinResponse) -> Any:
        if response.foreign_value is not None or (self._join.left and row is not None):
            return self._join.joiner(row, response.foreign_value)
        return None
