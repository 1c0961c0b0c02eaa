"""Defaults of Avro fields: from the schema's JSON to values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.serdes.avro.logical import reader_of
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of, logical_of, name_of

_JSON_KINDS: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "int": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "bytes": (str,),
    "string": (str,),
    "fixed": (str,),
    "enum": (str,),
    "array": (list,),
    "map": (dict,),
    "record": (dict,),
    "error": (dict,),
}


def default_datum(schema: AvroSchema, node: Any, default: Any) -> Any:
    """Return a default as a datum: bytes for bytes, ``(branch, datum)`` for a union."""
    node = schema.resolved(node)
    kind = kind_of(node)
    if kind == "union":
        branch = _branch(schema, node, default)
        return name_of(schema.resolved(branch)), default_datum(schema, branch, default)
    if kind in ("bytes", "fixed"):
        return default.encode("latin-1")
    if kind in ("float", "double"):
        return float(default)
    if kind == "array":
        return [default_datum(schema, node["items"], each) for each in default]
    if kind == "map":
        return {k: default_datum(schema, node["values"], v) for k, v in default.items()}
    if kind in RECORDS:
        return {
            field["name"]: default_datum(
                schema, field["type"], default.get(field["name"], field.get("default"))
            )
            for field in node["fields"]
        }
    return default


def default_maker(schema: AvroSchema, node: Any, default: Any) -> Callable[[], Any]:
    """Return a function that makes a default anew: a list or record is not shared."""
    node = schema.resolved(node)
    return lambda: _object(schema, node, default_datum(schema, node, default))


def default_object(schema: AvroSchema, node: Any, default: Any) -> Any:
    """Return a default as a generic reader gives it: dicts for records."""
    node = schema.resolved(node)
    return _object(schema, node, default_datum(schema, node, default), generic=True)


def _branch(schema: AvroSchema, branches: list[Any], default: Any) -> Any:
    for branch in branches:
        kind = kind_of(schema.resolved(branch))
        if isinstance(default, _JSON_KINDS[kind]) and (
            not isinstance(default, bool) or kind == "boolean"
        ):
            return branch
    return branches[0]


def _object(schema: AvroSchema, node: Any, datum: Any, generic: bool = False) -> Any:
    node = schema.resolved(node)
    kind = kind_of(node)
    if kind == "union":
        name, datum = datum
        branch = next(each for each in node if name_of(schema.resolved(each)) == name)
        return _object(schema, branch, datum, generic)
    if (logical := logical_of(node)) is not None:
        return reader_of(logical, node)(datum)
    if kind == "array":
        return [_object(schema, node["items"], each, generic) for each in datum]
    if kind == "map":
        return {k: _object(schema, node["values"], v, generic) for k, v in datum.items()}
    if kind in RECORDS:
        fields = {
            field["name"]: _object(schema, field["type"], datum[field["name"]], generic)
            for field in node["fields"]
        }
        if generic:
            return fields
        from millstream.serdes.avro.records import avro_record_class

        return avro_record_class(schema, node["name"])(**fields)
    return datum
