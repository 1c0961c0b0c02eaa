"""Classes that Avro's compiler makes of schemas, as the draft needs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from millstream.porting.drafting.context import ClassShape

MAX_SCHEMAS = 300
TEXTS = {"string": "String", "int": "int", "long": "long", "boolean": "boolean",
         "double": "double", "float": "float"}  # fmt: skip


def shapes(java_roots: list[Path], wanted: set[str] | None = None) -> dict[str, ClassShape]:
    """Return the records and enums of the schemas beside folders of Java sources.

    A build reads ``src/main/avro`` beside ``src/main/java``.

    Args:
        java_roots: The folders of Java sources.
        wanted: Full names, if not all that are there are asked for.
    """
    found: dict[str, ClassShape] = {}
    files = [
        file
        for root in java_roots
        for folder in (root.parent / "avro", root.parent / "resources" / "avro")
        for file in sorted(folder.rglob("*.avsc"))
    ]
    for file in files[:MAX_SCHEMAS]:
        try:
            schema = json.loads(file.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError):
            continue
        for full, each in _named(schema):
            if wanted is None or full in wanted:
                shape = _shape(each)
                found.setdefault(shape.name, shape)
    return found


def _named(schema: Any, space: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records and enums of a schema with their full names."""
    if isinstance(schema, list):
        for each in schema:
            yield from _named(each, space)
    elif isinstance(schema, dict):
        space = str(schema.get("namespace", space))
        name = schema.get("name")
        if schema.get("type") in ("record", "enum") and isinstance(name, str):
            space = name.rpartition(".")[0] or space
            yield f"{space}.{name.rpartition('.')[2]}", schema
        for key in ("type", "items", "values", "fields"):
            if isinstance(schema.get(key), (dict, list)):
                yield from _named(schema[key], space)


def _shape(schema: dict[str, Any]) -> ClassShape:
    shape = ClassShape(schema["name"].rpartition(".")[2], enum=schema["type"] == "enum")
    if shape.enum:
        shape.static_fields.update(str(each) for each in schema.get("symbols", []))
        shape.fields.update(dict.fromkeys(shape.static_fields, shape.name))
        return shape
    shape.builder = True
    for field in schema.get("fields", []):
        name = str(field.get("name", ""))
        shape.fields[name] = _kind(field.get("type"))
        words = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        shape.accessors[f"get{words}"] = name
        shape.setters[f"set{words}"] = name
    return shape


def _kind(schema: Any) -> str:
    if isinstance(schema, list):
        others = [each for each in schema if each != "null"]
        return _kind(others[0]) if len(others) == 1 else ""
    if isinstance(schema, dict):
        held = {"array": "List", "map": "Map"}.get(str(schema.get("type")))
        return held or str(schema.get("name", "")).rpartition(".")[2]
    return TEXTS.get(schema, str(schema).rpartition(".")[2])
