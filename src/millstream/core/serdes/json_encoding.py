"""Encoder of JSON serializers: plain objects by msgspec, and all others by Python's own."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable
from functools import partial
from typing import Any

_SAME = frozenset({str, int, bool, type(None)})
"""Types that both write alike."""
_PLAIN = _SAME | {float}
_NESTED = frozenset({dict, list, tuple})


def encoder(default: Callable[[Any], Any] | None, is_sorted: bool) -> Callable[[Any], bytes]:
    """Return the function from an object to its JSON.

    Its bytes are those of ``json.dumps``, whoever writes them.

    Args:
        default: As for ``json.dumps``.
        is_sorted: Whether keys of dicts are sorted.
    """
    import msgspec

    encode_fast = msgspec.json.Encoder(order="sorted" if is_sorted else None).encode
    encode_any = _python_encoder(default, is_sorted)

    def encode(data: Any) -> bytes:
        try:
            if _is_written_alike(data):
                return encode_fast(data)
        except (ValueError, OverflowError, RecursionError):
            pass  # an int of more than 64 bits, half a surrogate, a circle: Python's way, or error
        return encode_any(data).encode()

    return encode


def _is_written_alike(data: Any) -> bool:
    """Tell whether msgspec is known to write an object as Python's encoder does.

    It is ten times as fast. But it writes some floats in another form, NaN as null, and objects
    that are for ``default``, such as dates; and two keys of a dict may become the same text.
    """
    kind = type(data)
    if kind is dict:
        for key in data:
            if type(key) is not str:
                return False
        data = data.values()
    elif kind not in _NESTED:
        data = (data,)
    for each in data:
        kind = type(each)
        if kind in _SAME:
            continue
        if kind is float:
            # Python writes other numbers with an exponent.
            if not 1e-4 <= abs(each) < 1e16 and each != 0:
                return False
        elif kind not in _NESTED or not _is_written_alike(each):
            return False
    return True


def _python_encoder(default: Callable[[Any], Any] | None, is_sorted: bool) -> Callable[[Any], str]:
    encoder = json.JSONEncoder(
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
        default=default,
        sort_keys=is_sorted,
    )
    if default is not None:
        encoder.default = partial(_converted, default)  # type: ignore[method-assign]
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return partial(_encoded, encoder.encode)
    # JSONEncoder.encode creates an encoder at each call, which is slower than most documents.
    quote = json.encoder.encode_basestring
    parts = make(None, encoder.default, quote, None, ":", ",", is_sorted, False, False)

    def encode(data: Any) -> str:
        encoded = "".join(parts(data, 0))
        if "{" in encoded:
            check_names(data)
        return encoded

    return encode


class SameNameError(ValueError):
    """Two keys of a dict have one name in JSON."""


def _encoded(encode: Callable[[Any], str], data: Any) -> str:
    encoded = encode(data)
    check_names(data)
    return encoded


def check_names(data: Any) -> None:
    """Check that no two keys of a dict in an object, such as 1 and "1", have one name in JSON.

    Raises:
        ValueError: Two have.
    """
    parts = data
    if isinstance(data, dict):
        try:
            "".join(data)  # the fastest way to see that all keys are text
        except TypeError:
            _check_keys(data)
        parts = data.values()
    elif not isinstance(data, (list, tuple)):
        return
    for each in parts:
        if type(each) not in _PLAIN:
            check_names(each)


def _check_keys(part: dict[Any, Any]) -> None:
    names: dict[str, Any] = {}
    for key in part:
        name = key if isinstance(key, str) else json.dumps(key)
        if names.setdefault(name, key) is not key:
            raise SameNameError(
                f'the keys {names[name]!r} and {key!r} of a dict are both written as "{name}"'
            )


def _converted(default: Callable[[Any], Any], value: Any) -> Any:
    found = default(value)
    check_names(found)
    return found
