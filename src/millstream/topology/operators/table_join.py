"""Processors of table joins by key: one for each side's updates, one for the result."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millstream.core.records import Change, make_record
from millstream.topology.operators.getters import Cell, Getter, View
from millstream.topology.operators.operator import AnyRecord, Operator
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

    def process(self, record: AnyRecord) -> None:
        key, change, timestamp = record._key, record._value, record._timestamp
        if key is None:
            self.context.drop(_NO_KEY)
            return
        if self.versioned_input and not change.is_latest:
            self.context.drop(_OUTDATED)
            return
        cell = self._getter.get(key)
        other = None
        if cell is None:
            if not self.rules.alone or (change.new is None and change.old is None):
                return
        else:
            other = cell[0]
            timestamp = max(timestamp, cell[1])
        new = self._joined(change.new, other)
        old = self._joined(change.old, other) if self.sends_old else None
        out = Change(new, old, change.is_latest)
        self.forward(make_record(key, out, timestamp, record._headers))

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

    def process(self, record: AnyRecord) -> None:
        """Store the update, if there is a store, and forward it."""
        change = record._value
        if self._store is not None:
            key_bytes = self._store.access.serialize_key(record._key)
            self._store.update(key_bytes, record, change.new, change.old, record._timestamp)
            return
        old = change.old if self._settings.sends_old else None
        self.forward(record.withValue(Change(change.new, old, change.is_latest)))


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
