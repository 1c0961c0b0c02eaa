"""Avro schemas as the text that Java's ``Schema.toString()`` gives, so that ids are the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from millstream.serdes.avro.schema import NAMED, PRIMITIVES, RECORDS

_BEFORE_OTHERS = {
    "record": ("fields",),
    "error": ("fields",),
    "enum": ("symbols", "default"),
    "fixed": ("size",),
    "array": ("items",),
    "map": ("values",),
}
_OF_NAMES = ("type", "name", "namespace", "doc", "aliases")
_OF_FIELDS = ("name", "type", "doc", "default", "order", "aliases")


@lru_cache(maxsize=1024)
def java_text(text: str) -> str:
    """Return a schema's text in Java's form: no spaces, its order of entries, short names.

    Example:
        >>> java_text('{"fields": [], "name": "shop.Order", "type": "record"}')
        '{"type":"record","name":"Order","namespace":"shop","fields":[]}'
    """
    return json.dumps(_type(json.loads(text), None), separators=(",", ":"), ensure_ascii=False)


def _type(node: Any, space: str | None) -> Any:
    if isinstance(node, str):
        return _reference(node, space)
    if isinstance(node, list):
        return [_type(each, space) for each in node]
    kind = node["type"]
    if not isinstance(kind, str):
        return _type(kind, space)
    if kind in NAMED:
        return _named(node, kind, space)
    if set(node) == {"type"}:
        return _reference(kind, space)
    own = _BEFORE_OTHERS.get(kind, ())
    found = {"type": kind} | {key: _type(node[key], space) for key in own}
    return found | _rest(node, ("type", *own))


def _named(node: Mapping[str, Any], kind: str, space: str | None) -> Any:
    name, own_space = _full(node, space)
    found: dict[str, Any] = {"type": kind, "name": name}
    if own_space != space:
        found["namespace"] = own_space or ""
    if node.get("doc") is not None:
        found["doc"] = node["doc"]
    own = _BEFORE_OTHERS[kind]
    for key in own:
        if key in node:
            fields = kind in RECORDS
            found[key] = [_field(each, own_space) for each in node[key]] if fields else node[key]
    found |= _rest(node, (*_OF_NAMES, *own))
    if node.get("aliases"):
        found["aliases"] = node["aliases"]
    return found


def _full(node: Mapping[str, Any], space: str | None) -> tuple[str, str | None]:
    outer, dot, name = node["name"].rpartition(".")
    if dot:
        return name, outer
    return name, node.get("namespace", space) or None


def _field(field: Mapping[str, Any], space: str | None) -> dict[str, Any]:
    found = {key: field[key] for key in _OF_FIELDS if key in field}
    found["type"] = _type(field["type"], space)
    if found.get("order") == "ascending":
        del found["order"]
    return found | _rest(field, _OF_FIELDS)


def _reference(name: str, space: str | None) -> str:
    outer, dot, short = name.rpartition(".")
    return short if dot and outer == space and name not in PRIMITIVES else name


def _rest(node: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    return {key: node[key] for key in node if key not in known and not key.startswith("__")}
