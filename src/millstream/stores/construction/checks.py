"""Check of the supplier that a builder of stores is given; Java's compiler does it there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.wording import a_kind

_FACTORIES: Mapping[str, str] = {
    "key-value": "keyValueStoreBuilder",
    "window": "windowStoreBuilder",
    "session": "sessionStoreBuilder",
    "versioned": "versionedKeyValueStoreBuilder",
}


def checked_supplier(supplier: Any, shape: str) -> Any:
    """Return a supplier of stores of a shape; it needs the methods, not the base class.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is none, or one of stores of another shape.
    """
    if supplier is None:
        raise NullPointerException("supplier cannot be null")
    if isinstance(supplier, type) or not (_has(supplier, "name") and _has(supplier, "get")):
        raise ClassCastException(
            f"supplier cannot be {a_kind(supplier)}",
            hint="Call it, with parentheses."
            if callable(supplier)
            else 'Give a supplier, such as Stores.inMemoryKeyValueStore("name").',
        )
    found = _shape(supplier)
    # A supplier without methods of its own may make versioned stores as well.
    if found != shape and not (shape == "versioned" and found == "key-value"):
        raise ClassCastException(
            f'the supplier of {shape} store "{supplier.name()}" is one of {found} stores',
            hint=f"Write Stores.{_FACTORIES[found]}(...), or give a supplier of {shape} stores.",
        )
    return supplier


def _shape(supplier: Any) -> str:
    if _has(supplier, "retainDuplicates"):
        return "window"
    if _has(supplier, "historyRetentionMs"):
        return "versioned"
    return "session" if _has(supplier, "retentionPeriod") else "key-value"


def _has(value: Any, method: str) -> bool:
    return callable(getattr(value, method, None))
