"""Processor that gives a table's rows new keys for an aggregation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any
from uuid import UUID

from millstream.core.errors import StreamsException
from millstream.core.records import Change, make_record
from millstream.topology.operators.flat import pair
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.table_settings import TableSettings

UPGRADE_FROM = "upgrade.from"
_SEPARATE = frozenset(
    [
        *("0.10.0", "0.10.1", "0.10.2", "0.11.0", "1.0", "1.1"),
        *(f"2.{minor}" for minor in range(9)),
        *(f"3.{minor}" for minor in range(5)),
    ]
)
"""Versions that cannot read an update of both values in one record (KIP-904)."""
_PLAIN = frozenset({str, int, bytes, bool, UUID})
"""Types whose equal objects have equal bytes."""
_BY_TEXT = (float, Decimal, datetime, time)
"""Types whose equal objects have equal bytes if they look alike."""


class Regroup(Operator):
    """Takes a row's old pair out of its group and puts its new pair into the new one.

    If both have the same key it is one record.
    """

    def __init__(self, selector: Callable[[Any, Any], Any], *, settings: TableSettings) -> None:
        self._selector = selector
        self._settings = settings

    def init(self, context: Any) -> None:
        """Find out whether older instances must understand what is sent."""
        super().init(context)
        self._combines = context.appConfigs().get(UPGRADE_FROM) not in _SEPARATE

    def process(self, record: AnyRecord) -> None:
        """Forward the removal, then the addition."""
        key, change = record._key, record._value
        if key is None:
            raise StreamsException("the key of a table's row that is to be grouped is null")
        if self._settings.versioned_input and not change.is_latest:
            # Not told as dropped, as in Kafka: an aggregate has the latest versions alone.
            return
        new, old = self._pair(key, change.new), self._pair(key, change.old)
        if new is not None and old is not None and self._combines and _same(new[0], old[0]):
            self._send(record, new[0], Change(new[1], old[1], change.is_latest))
            return
        if old is not None:
            self._send(record, old[0], Change(None, old[1], change.is_latest))
        if new is not None:
            self._send(record, new[0], Change(new[1], None, change.is_latest))

    def _pair(self, key: Any, value: Any) -> tuple[Any, Any] | None:
        """Return the key and value to be grouped, if neither is None."""
        if value is None:
            return None
        selected = self._selector(key, value)
        if selected is None:
            return None
        found = pair(selected)
        return None if found[0] is None or found[1] is None else found

    def _send(self, record: AnyRecord, key: Any, change: Change[Any]) -> None:
        self.forward(make_record(key, change, record._timestamp, record._headers))


def _same(one: Any, other: Any) -> bool:
    """Return whether two keys are one for certain; if not, two messages are right as well.

    To Python 1, 1.0 and True are equal, and so are 0.0 and -0.0, also inside lists, dicts and
    classes. Where their bytes differ, a removal would go to the new key's group.
    """
    if type(one) is not type(other):
        return False
    kind: Any = type(one)
    if kind in _PLAIN:
        return bool(one == other)
    if isinstance(one, _BY_TEXT):
        # As in Java, where NaN equals itself, and 1.0 is not 1.00, nor 01:00+01:00 midnight UTC.
        return repr(one) == repr(other)
    if isinstance(one, dict):
        return _all_same([*one, *one.values()], [*other, *other.values()])
    if isinstance(one, list | tuple):
        return _all_same(one, other)
    try:
        names = _compared(kind)
        return bool(one == other) and all(
            _same(getattr(one, name), getattr(other, name)) for name in names
        )
    except Exception:  # noqa: BLE001 - a user's class may refuse; a NumPy array is not true or false
        return False


def _all_same(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(some) == len(others) and all(map(_same, some, others))


@lru_cache(maxsize=256)
def _compared(kind: type) -> tuple[str, ...]:
    """Return the fields that make objects equal: of dataclasses, attrs, msgspec and pydantic."""
    if is_dataclass(kind):
        return tuple(each.name for each in fields(kind) if each.compare)
    of_attrs = getattr(kind, "__attrs_attrs__", None)
    if of_attrs is not None:
        return tuple(each.name for each in of_attrs if each.eq)
    of_msgspec: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    return of_msgspec or tuple(getattr(kind, "model_fields", ()))
