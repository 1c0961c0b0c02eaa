"""Sets in JSON: in an order of their own, so that equal sets give equal bytes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

_text = msgspec.json.Encoder(order="deterministic").encode


def is_model(kind: Any) -> bool:
    """Tell whether a class is a model of pydantic."""
    return hasattr(kind, "model_dump_json") and hasattr(kind, "model_validate_json")


def in_order(value: Any, plain: Any) -> Any:
    """Return plain JSON with what sets became in the order of their items' texts.

    Args:
        value: What msgspec knows; the order of its sets is that of the lists in ``plain``.
        plain: What ``msgspec.to_builtins`` made of it.

    Raises:
        TypeError: Two keys of a dict become the same text.

    Example:
        >>> in_order({"b", "a"}, list({"b", "a"}))
        ['a', 'b']
    """
    if is_model(type(value)):
        return plain  # is in order: see model_in_order
    if isinstance(plain, dict):
        if isinstance(value, Mapping) and len(value) > len(plain):
            raise TypeError(_written_alike(value))
        parts = list(value.values()) if isinstance(value, Mapping) else _fields(value, plain)
        found = zip(plain.items(), parts, strict=True)
        return {name: in_order(part, each) for (name, each), part in found}
    if not isinstance(plain, list | tuple):
        return plain
    parts = list(value) if hasattr(value, "__iter__") else _items(value, plain)
    made = [in_order(part, each) for part, each in zip(parts, plain, strict=True)]
    return sorted(made, key=_text) if isinstance(value, set | frozenset) else made


def _written_alike(value: Mapping[Any, Any]) -> str:
    """Return which two keys of a dict become the same text, such as a date and its own text."""
    names = dict[str, Any]()
    for key in value:
        (name,) = msgspec.to_builtins({key: None}, str_keys=True)
        if name in names:
            return f'the keys {names[name]!r} and {key!r} of a dict are both written as "{name}"'
        names[name] = key
    return "two keys of a dict are written alike"


def _fields(value: Any, plain: Mapping[str, Any]) -> list[Any]:
    renamed = getattr(value, "__struct_encode_fields__", ())
    names: dict[str, str] = dict(zip(renamed, getattr(value, "__struct_fields__", ()), strict=True))
    return [getattr(value, names.get(name, name), None) for name in plain]


def _items(struct: Any, plain: Sequence[Any]) -> list[Any]:
    """Return the fields of a Struct that is written as a list, perhaps behind its tag."""
    own = [getattr(struct, name) for name in struct.__struct_fields__]
    return [None] * (len(plain) - len(own)) + own


def model_in_order(kind: Any, plain: Any) -> Any:
    """Return plain JSON of a model of pydantic with its sets in the order of their items' texts."""
    schema = _schema_with_sets(kind)
    return plain if schema is None else _by_schema(schema, plain, schema.get("$defs", {}))


@lru_cache(maxsize=256)
def may_hold_sets(kind: Any) -> bool:
    """Tell whether objects of a class have sets in them, as far as their types say."""
    if is_model(kind):
        return _schema_with_sets(kind) is not None
    try:
        return "SetType(" in repr(msgspec.inspect.type_info(kind))
    except (TypeError, NameError, RecursionError):  # the encoder says why
        return False


@lru_cache(maxsize=256)
def _schema_with_sets(kind: Any) -> Any:
    try:
        by_alias = bool(kind.model_config.get("serialize_by_alias"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # defaults that JSON has not
            schema = kind.model_json_schema(mode="serialization", by_alias=by_alias)
    except Exception:  # noqa: BLE001 - a type that pydantic writes may have no schema
        return None
    return schema if "'uniqueItems': True" in repr(schema) else None


def _by_schema(schema: Any, plain: Any, known: Mapping[str, Any]) -> Any:
    kind = "array" if isinstance(plain, list) else "object" if isinstance(plain, dict) else None
    fitting = [each for each in _branches(schema, known) if each.get("type") == kind]
    if kind is None or len(fitting) != 1:
        return plain
    found = fitting[0]
    if isinstance(plain, dict):
        named, others = found.get("properties", {}), found.get("additionalProperties")
        return {
            name: _by_schema(named.get(name, others), each, known) for name, each in plain.items()
        }
    first = found.get("prefixItems", [])
    inner = [*first, *[found.get("items")] * (len(plain) - len(first))]
    made = [_by_schema(part, each, known) for part, each in zip(inner, plain, strict=False)]
    return sorted(made, key=_text) if found.get("uniqueItems") else made


def _branches(schema: Any, known: Mapping[str, Any]) -> list[Any]:
    """Return a schema, or those of its union, without references."""
    if not isinstance(schema, dict):
        return []
    if "$ref" in schema:
        return _branches(known.get(schema["$ref"].rpartition("/")[2]), known)
    several = [*schema.get("anyOf", []), *schema.get("oneOf", []), *schema.get("allOf", [])]
    return [each for one in several for each in _branches(one, known)] or [schema]
