"""Words about an object that JSON cannot hold, and about bytes that another serde has written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_PLAIN = (str, int, float, type(None))
_DEEPEST = 50
_ID_BYTES = 5


def way_to_misfit(data: Any) -> str:
    """Return the way to the first part that JSON does not support; "" for the object itself.

    Example:
        >>> way_to_misfit({"items": [{"price": 1}, {"price": {2}}]})
        'items[1].price'
    """
    return next(_ways(data, "", _DEEPEST), "").removeprefix(".")


def _ways(value: Any, way: str, depth: int) -> Iterator[str]:
    if not depth or isinstance(value, _PLAIN):
        return
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, _PLAIN):
                yield way
            yield from _ways(part, f"{way}.{key}", depth - 1)
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield from _ways(part, f"{way}[{index}]", depth - 1)
    else:
        yield way


def registry_hint(data: bytes) -> str:
    """Return what to do about bytes that a schema registry's serde has written; "" for others."""
    if bytes(data[:1]) != b"\0" or len(data) <= _ID_BYTES:
        return ""
    return (
        "Bytes that begin with 0 and four of an id are those of a schema registry: read them with "
        "a serde for it."
    )
