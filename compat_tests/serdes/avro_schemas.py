"""Avro schemas and values that fit them, drawn by hypothesis."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
LOGICAL: tuple[dict[str, Any], ...] = (
    {"type": "int", "logicalType": "date"},
    {"type": "int", "logicalType": "time-millis"},
    {"type": "long", "logicalType": "time-micros"},
    {"type": "long", "logicalType": "timestamp-millis"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3},
)
NO_UNION = ("null", "float")
"""Types left out of drawn unions: null has its own place, a float may be written as a double."""

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
floats = st.floats(width=32, allow_nan=False)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3, names: Any = None) -> Any:
    """Draw a schema; its named types have names of their own."""
    names = itertools.count() if names is None else names
    kinds = ["primitive", "logical", "enum", "fixed"]
    if depth:
        kinds += ["record", "array", "map", "union"]
    kind = draw(st.sampled_from(kinds))
    inner = schemas(depth=depth - 1, names=names)
    if kind == "primitive":
        return draw(st.sampled_from(PRIMITIVES))
    if kind == "logical":
        return dict(draw(st.sampled_from(LOGICAL)))
    if kind == "enum":
        return {"type": "enum", "name": f"E{next(names)}", "symbols": ["A", "B", "C"]}
    if kind == "fixed":
        return {"type": "fixed", "name": f"F{next(names)}", "size": draw(st.integers(0, 5))}
    if kind == "array":
        return {"type": "array", "items": draw(inner)}
    if kind == "map":
        return {"type": "map", "values": draw(inner)}
    if kind == "record":
        count = draw(st.integers(0, 4))
        fields = [{"name": f"f{place}", "type": draw(inner)} for place in range(count)]
        return {"type": "record", "name": f"R{next(names)}", "fields": fields}
    return draw(unions(inner))


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Any:
    """Draw a union of null and types that Python tells apart."""
    drawn = draw(st.lists(inner, max_size=3))
    taken: set[Any] = set()
    branches = []
    for each in drawn:
        python = python_kinds(each)
        if isinstance(each, list) or each in NO_UNION or python & taken:
            continue
        taken |= python
        branches.append(each)
    branches.insert(draw(st.integers(0, len(branches))), "null")
    return branches


def python_kinds(schema: Any) -> set[str]:
    """Return what Python's objects of a type look like; two such types make a union unclear."""
    kind = str(schema["type"] if isinstance(schema, dict) else schema)
    same = {
        "boolean": "int",  # the reference takes the last that fits
        "long": "int",
        "double": "int",
        "enum": "string",
        "fixed": "bytes",
        "map": "record",
    }
    kinds = {same.get(kind, kind)}
    if isinstance(schema, dict) and "logicalType" in schema:
        logical = schema["logicalType"]
        kinds.add(
            next(each for each in ("timestamp", "time", "date", "decimal") if each in logical)
        )
    # The reference's date takes datetimes, too.
    return kinds | {"date"} if "timestamp" in kinds else kinds


def values(schema: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for what a schema's type stands for."""
    if isinstance(schema, list):
        return st.one_of([values(each) for each in schema])
    if isinstance(schema, dict) and "logicalType" in schema:
        return logical_values(schema)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "enum":
        return st.sampled_from(schema["symbols"])
    if kind == "fixed":
        return st.binary(min_size=schema["size"], max_size=schema["size"])
    if kind == "array":
        return st.lists(values(schema["items"]), max_size=3)
    if kind == "map":
        return st.dictionaries(text, values(schema["values"]), max_size=3).map(in_order)
    if kind == "record":
        return st.fixed_dictionaries(
            {each["name"]: values(each["type"]) for each in schema["fields"]}
        )
    return {
        "null": st.none(),
        "boolean": st.booleans(),
        "int": st.integers(-(2**31), 2**31 - 1),
        "long": st.integers(-(2**63), 2**63 - 1),
        "float": floats,
        "double": st.floats(allow_nan=False),
        "bytes": st.binary(max_size=9),
        "string": text,
    }[kind]


def logical_values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for the objects of a logical type, which lose nothing."""
    logical = schema["logicalType"]
    if logical == "date":
        return st.dates()
    if logical == "decimal":
        return st.integers(-999_999_999, 999_999_999).map(lambda each: Decimal(each).scaleb(-3))
    millis = logical.endswith("millis")
    if logical.startswith("time-"):
        return st.times().map(in_millis if millis else lambda each: each)
    instants = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1))
    zoned = instants.map(lambda each: each.replace(tzinfo=dt.timezone.utc))
    return zoned.map(in_millis if millis else lambda each: each)


def in_millis(value: Any) -> Any:
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


def in_order(value: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(value.items()))
