"""Check of what stands where a serde belongs."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.serdes.base import Serde
from millstream.core.wording import a_kind

_OTHERS = ("serializer", "extract", "partitions", "keyValueStore")
"""Methods of what else stands where a serde may stand."""


def checked_serde(value: Any, parameter: str) -> Any:
    """Return a serde, or None; ``Serdes.String`` without its parentheses is the likely slip.

    Raises:
        ClassCastException: It is something else.
    """
    if value is None or isinstance(value, Serde):
        return value
    if isinstance(value, type):
        raise ClassCastException(
            f"{parameter} cannot be the class {value.__name__}",
            hint=f"Write {value.__name__}(), with parentheses."
            if issubclass(value, Serde) or any(_has(value, each) for each in _OTHERS)
            else f"Give a serde, such as Serdes.serdeFrom({value.__name__}).",
        )
    if _has(value, "serializer") and _has(value, "deserializer"):
        return value
    raise ClassCastException(
        f"{parameter} cannot be {a_kind(value)}", hint="Give a serde, or None."
    )


def _has(value: Any, method: str) -> bool:
    return callable(getattr(value, method, None))
