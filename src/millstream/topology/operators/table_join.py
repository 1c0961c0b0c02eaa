"""Processors of table joins by key: one for each side's updates, one for the result."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.engine.failure import FATAL
from millstream.core.records import Change, make_record
from millstream.topology.operators.getters import Cell, Getter, View
from millstream.topology.operators.operator import AnyRecord, Operator, runs
from millstream.topology.operators.returned import Returned
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.table_store import TableStore

Joins = Callable[[Any, Any], Any]

_NO_KEY = "null key"
_OUTDATED = "not the latest version"
NO_TIME = -1
"""The time of a row that is not there."""


class JoinKind(enum.Enum):
    """Which rows are in the result of a join."""

    INNER = "inner"
    LEFT = "left"
    OUTER = "outer"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRules:
    """Rules of a side for missing rows."""

    alone: bool
    """Joins its rows where the other table has none."""
    without_own: bool
    """Calls the joiner where its own row is gone and the other table has one."""


def side_rules(kind: JoinKind, *, left: bool) -> SideRules:
    """Return the rules of one side."""
    outer = kind is JoinKind.OUTER
    if left:
        return SideRules(alone=kind is not JoinKind.INNER, without_own=outer)
    return SideRules(alone=outer, without_own=kind is not JoinKind.INNER)


@dataclass(eq=False)
class JoinSide(Operator):
    """Joins each update of one table with the other table's row."""

    joiner: Joins
    rules: SideRules
    other: View
    sends_old: bool
    versioned_input: bool

    def init(self, context: Any) -> None:
        super().init(context)
        self._getter = self.other.open(context)
        self.returned = Returned()
        """What the joiner has returned so far."""
        self.by_records = self.versioned_input or not self._getter.by_columns

    def reads(self, access: Any) -> bool:
        """Tell whether the other table's rows are those of a store, as they stand there."""
        return not self.by_records and self._getter.reads(access)

    def process(self, record: AnyRecord) -> None:
        key, change, timestamp = record._key, record._value, record._timestamp
        if key is None:
            self.context.drop(_NO_KEY)
            return
        if self.versioned_input and not change.is_latest:
            self.context.drop(_OUTDATED)
            return
        cell = self._getter.get(key)
        joined = self.joined(change.new, change.old, cell)
        if joined is None:
            return
        self.returned.look(joined[0])
        if cell is not None:
            timestamp = max(timestamp, cell[1])
        self.forward(
            make_record(key, Change(*joined, change.is_latest), timestamp, record._headers)
        )

    def process_chunk(self, chunk: Chunk) -> None:
        chunk = self.returned.first_ones(chunk, self.context.each)
        kept = self.kept(chunk, [key is not None for key in chunk.keys], _NO_KEY)
        if not kept:
            return
        cells = self._rows(kept.keys)
        if cells is None:
            self.context.each(kept)
            return
        columns = kept.values, kept.olds or [None] * len(kept), cells, kept.timestamps
        for run, found in runs(self.context, kept, self._timed, *columns):
            there = [each is not None for each in found]
            out = run.select(there).replace(values=[each[0] for each in found if each])
            out.olds = [each[1] for each in found if each]
            out = out.at([each[2] for each in found if each])
            self.returned.forward_run(out, out.values, self.context)

    def _rows(self, keys: list[Any]) -> list[Cell] | None:
        """Return the other table's rows; None if they have to be looked up one by one."""
        if self._getter.cached and not self.context.forwards_alike(()):
            return None  # what is below writes into the same cache meanwhile
        try:
            return self._getter.get_many(keys)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - record by record shows which row it was
            return None

    def _timed(self, new: Any, old: Any, cell: Cell, time: int) -> tuple[Any, Any, int] | None:
        joined = self.joined(new, old, cell)
        return joined and (*joined, time if cell is None else max(time, cell[1]))

    def joined(self, new: Any, old: Any, cell: Cell) -> tuple[Any, Any] | None:
        """Return the new and the old value of the join; None if there is no update.

        Args:
            new: The new value of the row.
            old: Its old value, if it is known.
            cell: The other table's row.
        """
        if cell is None and (not self.rules.alone or (new is None and old is None)):
            return None
        other = None if cell is None else cell[0]
        joined = self._joined(new, other)
        return joined, self._joined(old, other) if self.sends_old else None

    def _joined(self, own: Any, other: Any) -> Any:
        if own is None and (other is None or not self.rules.without_own):
            return None
        return self.joiner(own, other)

    def close(self) -> None:
        self._getter.close()


class JoinResult(Operator):
    """Forwards the updates of both sides, and stores them if the join has a store."""

    def __init__(self, *, settings: TableSettings) -> None:
        self._settings = settings

    def init(self, context: Any) -> None:
        super().init(context)
        self._store: TableStore | None = None
        if self._settings.store is not None:
            self._store = TableStore(context, self._settings)
            self.by_records = True

    def process(self, record: AnyRecord) -> None:
        """Store the update, if there is a store, and forward it."""
        change = record._value
        if self._store is not None:
            key_bytes = self._store.access.serialize_key(record._key)
            self._store.update(key_bytes, record, change.new, change.old, record._timestamp)
            return
        old = change.old if self._settings.sends_old else None
        self.forward(record.withValue(Change(change.new, old, change.is_latest)))

    def process_chunk(self, chunk: Chunk) -> None:
        updates = chunk.replace()
        if not self._settings.sends_old:
            updates.olds = [None] * len(chunk)
        self.context.forward_chunk(updates)


@dataclass(frozen=True, slots=True)
class JoinView(View):
    """A join without a store: both rows are looked up and joined."""

    kind: JoinKind
    joiner: Joins
    left: View
    right: View

    @property
    def stores(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.left.stores + self.right.stores))

    def open(self, context: Any) -> Getter:
        return _JoinGetter(self, self.left.open(context), self.right.open(context))


class _JoinGetter(Getter):
    def __init__(self, view: JoinView, left: Getter, right: Getter) -> None:
        self._kind = view.kind
        self._joiner = view.joiner
        self._left = left
        self._right = right

    def get(self, key: Any) -> Cell:
        left = self._left.get(key)
        if left is None and self._kind is not JoinKind.OUTER:
            return None
        right = self._right.get(key)
        if right is None and (left is None or self._kind is JoinKind.INNER):
            return None
        left_value, left_time = (None, NO_TIME) if left is None else left
        right_value, right_time = (None, NO_TIME) if right is None else right
        value = self._joiner(left_value, right_value)
        return None if value is None else (value, max(left_time, right_time))

    def close(self) -> None:
        self._left.close()
        self._right.close()
