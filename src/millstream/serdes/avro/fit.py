"""Check, when a serde is made, that a class has the fields of a schema."""

from __future__ import annotations

import typing
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.serdes.avro.classes import SUPPORTED, attributes
from millstream.serdes.avro.records import AvroRecord, attribute_of
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of
from millstream.serdes.avro.targets import DecodingTarget


def refuse_unfit(schema: AvroSchema, wanted: Any) -> None:
    """Raise an error if objects of a class cannot be made of a schema's records.

    Raises:
        IllegalArgumentException: The class is none for records, lacks a field, or has another one.
    """
    if kind_of(schema.root) in RECORDS and attributes(wanted) is None:
        raise IllegalArgumentException(
            f"{getattr(wanted, '__qualname__', wanted)} cannot stand for the record {schema.name}",
            hint=f"Give {SUPPORTED}; or none, for dicts.",
        )
    _check(schema, schema.root, DecodingTarget(wanted), set())


def _check(schema: AvroSchema, node: Any, target: DecodingTarget, seen: set[Any]) -> None:
    node = schema.resolved(node)
    kind = kind_of(node)
    if kind == "union":
        for branch in node:
            _check(schema, branch, target, seen)
        return
    plan = target.plan(node)
    if kind == "array":
        _check(schema, node["items"], plan.item, seen)
    elif kind == "map":
        _check(schema, node["values"], plan.item, seen)
    elif kind in RECORDS and plan.make is not None and (node["name"], plan.key) not in seen:
        seen.add((node["name"], plan.key))
        _compare(node, plan.key)
        for field in node["fields"]:
            _check(schema, field["type"], plan.fields[field["name"]], seen)


def _compare(node: Any, wanted: Any) -> None:
    own = set(attributes(wanted) or ())
    names = [each["name"] for each in node["fields"]]
    lacking = [name for name in names if name not in own and attribute_of(name) not in own]
    others = own - set(names) - set(map(attribute_of, names))
    if (lacking or others) and not issubclass(wanted, AvroRecord):
        told = [f"it lacks {', '.join(lacking)}"] if lacking else []
        told += [f"the schema lacks {', '.join(sorted(others))}"] if others else []
        raise IllegalArgumentException(
            f"{wanted.__qualname__} does not fit the record {node['name']}",
            detail=f"{'; '.join(told).capitalize()}.",
            hint="Give the class the fields of the schema, under the same names.",
        )
    try:
        typing.get_type_hints(wanted)
    except NameError as error:
        raise IllegalArgumentException(
            f"the types of {wanted.__qualname__} cannot be found",
            detail=f"{error}.",
            hint="Define the class, and those that its fields name, at the top of a module.",
        ) from error
