"""NaN and infinity, which JSON has not: found where an encoder has written null for them."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import Any

import msgspec

_NO_NUMBER = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
"""NaN and infinity in MessagePack. Other bytes may look like them."""


def nan_finder(enc_hook: Callable[[Any], Any] | None = None) -> Callable[[Any], bool]:
    """Return the function that tells, quickly, whether an object may have such a number in it."""
    encode = msgspec.msgpack.Encoder(enc_hook=enc_hook).encode

    def may_have(value: Any) -> bool:
        try:
            return _NO_NUMBER.search(encode(value)) is not None
        except Exception:  # noqa: BLE001 - a part that only JSON has: it is looked at
            return True

    return may_have


def refuse_nan(plain: Any) -> None:
    """Raise an error for a number in dicts and lists that JSON has not.

    Raises:
        ValueError: There is one.
    """
    left = [plain]
    while left:
        each = left.pop()
        if isinstance(each, float) and not math.isfinite(each):
            raise ValueError(f"JSON has no {each}")
        if isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list | tuple):
            left += each


def nones_of(kind: Any) -> Callable[[Any], int]:
    """Return how many fields of an object of a class are None, parts of its fields left out.

    -1 where that is not known.
    """
    if kind is dict:
        return lambda value: list(value.values()).count(None)
    try:
        fields = getattr(msgspec.inspect.type_info(kind), "fields", ())
    except (TypeError, NameError):
        fields = ()
    names = [each.name for each in fields]
    # Fields that may be left out have no null.
    config = getattr(kind, "__struct_config__", None)
    if len(names) < 2 or (config is not None and config.omit_defaults):
        return lambda _: -1
    fields_of, items_of = operator.attrgetter(*names), operator.itemgetter(*names)

    def nones(value: Any) -> int:
        # A subclass may have more fields, or leave out those with their default.
        if type(value) is not kind:
            return -1
        # A field that was never set has no null, also where its class has None for it.
        own = None if config is not None else getattr(value, "__dict__", None)
        try:
            return (fields_of(value) if own is None else items_of(own)).count(None)
        except (AttributeError, KeyError):
            return -1

    return nones


def may_hold_floats(wanted: Any) -> bool:
    """Tell whether objects of a type may have floats in them, as far as the type says."""
    try:
        schema = msgspec.json.schema(wanted)
    except (TypeError, ValueError, NameError):
        return True
    return not _without_floats(schema)


def _without_floats(schema: Any) -> bool:
    """Tell whether a JSON schema has neither numbers with a point nor parts of any type."""
    if not isinstance(schema, dict):
        return True
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    parts += [*schema.get("anyOf", []), *schema.get("prefixItems", [])]
    parts += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    kind = schema.get("type")
    if kind == "number" or (kind is None and not schema.keys() & {"anyOf", "$ref", "enum"}):
        return False
    if kind == "object" and not schema.keys() & {"properties", "additionalProperties"}:
        return False
    if kind == "array" and not schema.keys() & {"items", "prefixItems"}:
        return False
    return all(map(_without_floats, parts))
