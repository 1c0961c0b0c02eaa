"""Processor that gives a table's rows new keys for an aggregation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

    To Python 1, 1.0 and True are equal; a NumPy array does not answer with true or false.
    """
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - a user's class may refuse
        return False
