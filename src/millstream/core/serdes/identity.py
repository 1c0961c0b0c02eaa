"""Identity of a serde: a text that differs if a store's serde has changed.

It has the classes of serializer and deserializer, and their attributes. A stock serde is named as
in ``Serdes``; a user's as ``module:Class``, with its inner serdes, types and functions, and a
digest of its plain values. Values that look like an address, a path or a secret are left out: they
do not change the bytes, and must not be written to a file.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import hashlib
import re
import types
import uuid
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

from millstream.core.serdes.halves import ByFunction

UNKNOWN = "?"
"""The text of a serde that cannot be inspected; it equals every other text."""

_STOCK = "millstream."
_HALF = re.compile(r"^_*|(Serializer|Deserializer|Serde)$")
_SAME_BYTES = {"Bytes": "ByteArray", "ByteBuffer": "ByteArray"}
_MODULE = re.compile(r"[\w.]+:")
_SECRET = re.compile(r"pass|secret|token|credential|auth|key.?file|api.?key|private", re.IGNORECASE)
_PLACE = re.compile(r"^/|^[A-Za-z]:\\|://")
_DEPTH = 4
_PLAIN = (
    bool,
    int,
    float,
    str,
    bytes,
    type(None),
    decimal.Decimal,
    datetime.timedelta,
    datetime.date,
    uuid.UUID,
    re.Pattern,
)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, partial)


def format_of(serde: Any) -> str:
    """Return the text of a serde; "none" for None.

    >>> from millstream.core.serdes import Serdes
    >>> format_of(Serdes.Long())
    'Long'
    >>> format_of(Serdes.ListSerde(list, Serdes.String()))
    'List(String)'
    """
    return _both(serde, _DEPTH)


def _both(serde: Any, depth: int) -> str:
    if serde is None:
        return "none"
    try:
        writes, reads = _text(serde.serializer(), depth), _text(serde.deserializer(), depth)
    except Exception:  # noqa: BLE001 - a user's serde may raise anything before it is configured
        return UNKNOWN
    return writes if writes == reads else f"{writes} / {reads}"


def same_format(before: str, now: str) -> bool:
    """Tell whether two texts are of the same format.

    A user's class that has moved to another module counts as the same.
    """
    if UNKNOWN in (before, now):
        return True
    return before == now or _MODULE.sub(":", before) == _MODULE.sub(":", now)


def _text(half: Any, depth: int) -> str:
    if isinstance(half, ByFunction):
        half = half.function
    try:
        # A user's serde may change its attributes when it is called. The first text is the one
        # that the next process computes.
        return _remembered(half, depth)
    except TypeError:
        return _described(half, depth)


@lru_cache(maxsize=256)
def _remembered(half: Any, depth: int) -> str:
    return _described(half, depth)


def _described(half: Any, depth: int) -> str:
    if isinstance(half, _FUNCTIONS):
        return _function(half)
    shaper = _shaper(type(half))
    state = _state(half)
    if shaper.__module__.startswith(_STOCK):
        name = _HALF.sub("", shaper.__name__)
        return _SAME_BYTES.get(name, name) + _joined(_stock_parts(state, depth))
    parts: list[str] = []
    plain: list[str] = []
    for name, value in sorted(state.items()):
        text = None if _SECRET.search(name) else _plain(value, _DEPTH)
        if text is not None:
            plain.append(f"{name}={text}")
        elif (named := _named(value, depth)) is not None:
            parts.append(named)
    if plain:
        parts.append("#" + hashlib.sha256("\n".join(plain).encode()).hexdigest()[:12])
    return _name(shaper) + _joined(parts)


def _shaper(cls: type) -> type:
    """Return the first class with methods of its own: a subclass without them changes nothing.

    >>> class Mine(dict):
    ...     '''A subclass without methods.'''
    >>> _shaper(Mine).__name__
    'dict'
    """
    for each in cls.__mro__:
        if any(not name.startswith("__") or name == "__call__" for name in _own(each)):
            return each
        if each.__module__ == "builtins":
            return each
    return cls


def _own(cls: type) -> Iterable[str]:
    return (name for name in vars(cls) if not name.startswith("_abc_"))


def _state(half: Any) -> dict[str, Any]:
    """Return an object's attributes, in its dictionary and in slots."""
    found = dict(getattr(half, "__dict__", {}))
    for cls in type(half).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(half, name):
                found[name] = getattr(half, name)
    return found


def _stock_parts(state: Mapping[str, Any], depth: int) -> list[str]:
    """Return the settings of a stock serde that change its bytes."""
    parts = [
        _text(value, depth - 1)
        for name, value in sorted(state.items())
        if depth and _is_half(value) and not name.startswith("_calls")
    ]
    encoding = state.get("_encoding", "utf-8")
    if encoding != "utf-8":
        parts.append(str(encoding))
    if isinstance(state.get("_format"), str):
        parts.append(state["_format"])
    if state.get("_window_size") is not None:
        parts.append(f"{state['_window_size']} ms")
    return parts


def _named(value: Any, depth: int) -> str | None:
    """Return the text of a serde, a type or a function; None for anything else."""
    if isinstance(value, type):
        return _name(value)
    if isinstance(value, _FUNCTIONS):
        return _function(value)
    if depth and hasattr(value, "serializer") and hasattr(value, "deserializer"):
        return _both(value, depth - 1)
    return _text(value, depth - 1) if depth and _is_half(value) else None


def _plain(value: Any, depth: int) -> str | None:
    """Return the text of a plain value, or of plain values in a collection; None for others."""
    if isinstance(value, str) and _PLACE.search(value):
        return None
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, _PLAIN):
        return repr(value)
    if not depth or not isinstance(value, (list, tuple, set, frozenset, Mapping)):
        return None
    if isinstance(value, Mapping):
        pairs = [
            (_plain(k, depth - 1), _plain(v, depth - 1))
            for k, v in value.items()
            if not _SECRET.search(str(k))
        ]
        return repr(sorted(pair for pair in pairs if None not in pair))
    texts = [text for each in value if (text := _plain(each, depth - 1)) is not None]
    return repr(sorted(texts) if isinstance(value, (set, frozenset)) else texts)


def _is_half(value: Any) -> bool:
    return not isinstance(value, type) and (
        hasattr(value, "serialize") or hasattr(value, "deserialize")
    )


def _function(function: Any) -> str:
    if isinstance(function, partial):
        return f"partial {_function(function.func)}"
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', None) or 'builtins'}:{name}"


def _name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _joined(parts: list[str]) -> str:
    return f"({', '.join(parts)})" if parts else ""
