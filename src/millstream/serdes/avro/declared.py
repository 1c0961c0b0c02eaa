"""Metadata and defaults of the fields of classes, as an Avro schema has them."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millstream.serdes.avro.logical import writer_of
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.schema import PRIMITIVES, kind_of, logical_of

MISSING: Any = dataclasses.MISSING
"""The default of a field that has none."""
_EMPTY: tuple[Any, ...] = (list, dict, tuple)
"""Factories of defaults that are the same at each call."""
_KINDS: Sequence[tuple[Any, Sequence[str]]] = (
    (type(None), ("null",)),
    (bool, ("boolean",)),
    (int, ("long", "int", "double", "float")),
    (float, ("double", "float")),
    (str, ("string",)),
    (bytes, ("bytes",)),
    ((list, tuple), ("array",)),
    (dict, ("map",)),
)


def declared(cls: Any) -> Mapping[str, tuple[Mapping[str, Any], Any]]:
    """Return metadata and default of each field of a class; ``MISSING`` for no default."""
    if dataclasses.is_dataclass(cls):
        return {
            each.name: (each.metadata, _default(each.default, each.default_factory))
            for each in dataclasses.fields(cls)
        }
    if hasattr(cls, "__struct_fields__"):
        import msgspec

        return {
            each.name: ({}, _default(each.default, each.default_factory))
            for each in msgspec.structs.fields(cls)
        }
    if hasattr(cls, "model_fields"):
        return {
            name: ({}, _default(each.default, each.default_factory))
            for name, each in cls.model_fields.items()
        }
    return {name: ({}, value) for name, value in getattr(cls, "_field_defaults", {}).items()}


def type_and_default(node: Any, default: Any) -> dict[str, Any]:
    """Return a field's type and default in a schema; the type alone if Avro has no such default.

    Of a union, the default's type comes first, as Avro wants it.
    """
    if default is MISSING:
        return {"type": node}
    branches = node if isinstance(node, list) else [node]
    for branch in branches:
        found = _json(branch, default)
        if found is not MISSING:
            others = [each for each in branches if each is not branch]
            return {
                "type": [branch, *others] if isinstance(node, list) else node,
                "default": found,
            }
    return {"type": node}


def _default(value: Any, factory: Any) -> Any:
    if factory in _EMPTY:
        return factory()
    known = type(value).__name__ not in ("_MISSING_TYPE", "NoDefaultType", "PydanticUndefinedType")
    return value if known else MISSING


def _json(node: Any, value: Any) -> Any:
    """Return a default as JSON for a type; ``MISSING`` where it does not fit, or JSON has none."""
    kind = kind_of(node)
    if (logical := logical_of(node)) is not None:
        known, write = writer_of(logical, node)
        if isinstance(value, known):
            return _plain(write, value)
    if isinstance(value, enum.Enum):
        if kind == "enum" or kind not in PRIMITIVES | {"array", "map"}:
            return value.name
        value = value.value
    if kind == "enum":
        return value if isinstance(value, str) and value in node["symbols"] else MISSING
    kinds = next((kinds for known, kinds in _KINDS if isinstance(value, known)), ())
    if kind not in kinds or (isinstance(value, list | tuple | dict) and value):
        return MISSING
    if isinstance(value, float) and not math.isfinite(value):
        return MISSING
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return [] if isinstance(value, tuple) else value


def _plain(write: Callable[[Any], Any], value: Any) -> Any:
    try:
        datum = write(value)
    except Misfit:
        return MISSING
    return datum.decode("latin-1") if isinstance(datum, bytes) else datum
