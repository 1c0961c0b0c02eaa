"""Texts of objects as Kafka's ``toString`` methods write them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Any

from millstream.core.durations import to_epoch_millis
from millstream.core.java_text import java_instant, java_text


def java_object(head: str, /, **fields: Any) -> str:
    """Return the text of an object: its class, and its fields in order.

    Example:
        >>> java_object("HostInfo", host="a", port=None, tags=["x"])
        'HostInfo{host=a, port=null, tags=[x]}'
    """
    inside = ", ".join(f"{name}={java_value(value)}" for name, value in fields.items())
    return f"{head}{{{inside}}}"


def java_value(value: Any) -> str:
    """Return the text of a value; collections and times included."""
    if isinstance(value, Mapping):
        pairs = (f"{java_value(key)}={java_value(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple | AbstractSet):
        return f"[{', '.join(map(java_value, value))}]"
    if isinstance(value, datetime):
        return java_instant(to_epoch_millis(value, "time"))
    return java_text(value)


def java_optional(value: Any) -> str:
    """Return the text of an ``Optional``; None is the empty one.

    Example:
        >>> java_optional(5), java_optional(None)
        ('Optional[5]', 'Optional.empty')
    """
    return "Optional.empty" if value is None else f"Optional[{java_value(value)}]"


def java_duration(value: timedelta | int | None) -> str:
    """Return the text of a ``Duration``, given as a ``timedelta`` or in milliseconds.

    Example:
        >>> java_duration(timedelta(hours=25, milliseconds=50))
        'PT25H0.05S'
    """
    if value is None:
        return "null"
    # Integers may be beyond the range of timedelta.
    micros = value * 1000 if isinstance(value, int) else value // timedelta(microseconds=1)
    hours, rest = divmod(abs(micros), 3_600_000_000)
    minutes, rest = divmod(rest, 60_000_000)
    sign = "-" if micros < 0 else ""
    text = f"{sign}{hours}H" * bool(hours) + f"{sign}{minutes}M" * bool(minutes)
    if rest or not text:
        seconds = f"{rest // 1_000_000}.{rest % 1_000_000:06d}".rstrip("0").rstrip(".")
        text += f"{sign}{seconds}S"
    return f"PT{text}"
