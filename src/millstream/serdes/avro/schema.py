"""Avro schemas: read from text, dicts, files or the avro package, checked once."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import fastavro.schema

from millstream.core.errors import IllegalArgumentException
from millstream.core.wording import a_kind

Node = Any
"""A schema as JSON: a name, a list (union) or a dict."""

NAMED = frozenset({"record", "error", "enum", "fixed"})
RECORDS = frozenset({"record", "error"})
PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_WITHOUT_MEANING = frozenset({"doc", "aliases", "order", "default", "namespace"})


@dataclass(frozen=True)
class AvroSchema:
    """A checked schema; two of the same text are equal.

    Attributes:
        text: The schema as JSON text; all that travels to workers.
        root: What fastavro's ``parse_schema`` made of it: names are full names.
        names: Each named type by its full name.
    """

    text: str
    root: Node = field(compare=False, repr=False)
    names: Mapping[str, Node] = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """The full name of the top type, or its kind, such as ``array`` or ``long``."""
        return name_of(self.root)

    def resolved(self, node: Node) -> Node:
        """Return the type that a full name stands for; anything else as it is."""
        return self.names.get(node, node) if isinstance(node, str) else node

    def alone(self, name: str) -> Node:
        """Return a named type as a schema of its own: each type it uses is defined inside."""
        return self._spelled(name, set())

    def _spelled(self, node: Node, seen: set[str]) -> Node:
        if isinstance(node, list):
            return [self._spelled(each, seen) for each in node]
        node = self.names.get(node, node) if isinstance(node, str) else node
        if isinstance(node, str):
            return node
        if node["type"] in NAMED:
            if node["name"] in seen:
                return node["name"]
            seen.add(node["name"])
        made = dict(node)
        for inside in ("items", "values"):
            if inside in made:
                made[inside] = self._spelled(made[inside], seen)
        if "fields" in made:
            made["fields"] = [
                {**each, "type": self._spelled(each["type"], seen)} for each in made["fields"]
            ]
        if isinstance(made["type"], (dict, list)):
            made["type"] = self._spelled(made["type"], seen)
        return made

    def digest(self) -> str:
        """Return 16 hexadecimal digits that differ if the bytes mean something else.

        Documentation, aliases and defaults do not count; logical types do.
        """
        plain = json.dumps(_meaning(self.root), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()[:16]

    def fingerprint(self) -> bytes:
        """Return the schema's CRC-64-AVRO, as a single-object encoding begins with it."""
        canonical = fastavro.schema.to_parsing_canonical_form(json.loads(self.text))
        return bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))

    def __reduce__(self) -> tuple[Any, ...]:
        return _parsed, (self.text,)


def avro_schema(source: Any) -> AvroSchema:
    """Return the schema that text, a dict, a list, a file or an ``avro.schema.Schema`` describes.

    Args:
        source: JSON text or the name of a primitive type; a dict or list as ``json.loads`` gives;
            the path of an ``.avsc`` file (a ``pathlib.Path``, or text that ends so); or a schema
            of the avro package.

    Raises:
        IllegalArgumentException: There is no such file, or it is not an Avro schema.
    """
    if isinstance(source, AvroSchema):
        return source
    return _checked(_text_of(source))


def name_of(node: Node) -> str:
    """Return a type's full name, or its kind if it has no name."""
    if isinstance(node, str):
        return node
    if isinstance(node, list):
        return "union"
    kind = node["type"]
    return node["name"] if kind in NAMED else name_of(kind)


def kind_of(node: Node) -> str:
    """Return a resolved type's kind: ``record``, ``union``, ``map``, ``long``, ..."""
    if isinstance(node, str):
        return node
    if isinstance(node, list):
        return "union"
    return kind_of(node["type"])


def logical_of(node: Node) -> str | None:
    """Return a type's logical type, if it is one that has a meaning for its kind."""
    if not isinstance(node, dict) or "logicalType" not in node:
        return None
    logical = node["logicalType"]
    if kind_of(node) not in LOGICAL.get(logical, ()):
        return None
    if logical == "decimal" and not _sound_decimal(node):
        return None
    return str(logical)


LOGICAL: Mapping[str, tuple[str, ...]] = {
    "date": ("int",),
    "time-millis": ("int",),
    "time-micros": ("long",),
    "timestamp-millis": ("long",),
    "timestamp-micros": ("long",),
    "local-timestamp-millis": ("long",),
    "local-timestamp-micros": ("long",),
    "decimal": ("bytes", "fixed"),
    "uuid": ("string",),
}
"""Logical types with a Python type of their own, and the kinds that they annotate."""


def _sound_decimal(node: Mapping[str, Any]) -> bool:
    precision, scale = node.get("precision"), node.get("scale", 0)
    return isinstance(precision, int) and isinstance(scale, int) and 0 <= scale <= precision > 0


def _text_of(source: Any) -> str:
    if isinstance(source, os.PathLike) or (isinstance(source, str) and source.endswith(".avsc")):
        try:
            return Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise IllegalArgumentException(
                f'cannot read the Avro schema "{os.fspath(source)}"', detail=f"{error}."
            ) from error
    if isinstance(source, str):
        return json.dumps(source) if source in PRIMITIVES else source
    if hasattr(source, "to_json"):
        source = source.to_json()
    if isinstance(source, dict | list):
        # Schemas that were parsed by fastavro carry what it knows in such keys.
        return json.dumps(_without_hints(source))
    raise IllegalArgumentException(
        f"{a_kind(source)} is no Avro schema",
        hint="Give JSON text, a dict, the path of an .avsc file, or a schema of the avro package.",
    )


def _without_hints(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {k: _without_hints(v) for k, v in node.items() if not str(k).startswith("__")}
    return [_without_hints(each) for each in node] if isinstance(node, list) else node


@lru_cache(maxsize=256)
def _checked(text: str) -> AvroSchema:
    """Return the schema after the avro package, Avro's own, has checked it."""
    import avro.errors
    import avro.schema

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            avro.schema.parse(text)
        return _parsed(text)
    except (avro.errors.AvroException, fastavro.schema.SchemaParseException, ValueError) as error:
        raise _refusal(text, error) from error
    except (fastavro.schema.UnknownType, TypeError, KeyError, AttributeError) as error:
        raise _refusal(text, error) from error


def _refusal(text: str, error: Exception) -> IllegalArgumentException:
    begin = text if len(text) <= 60 else f"{text[:60]}..."
    hint = "A file's path must end with .avsc, or be a pathlib.Path."
    if "Could not make an Avro Schema object from" in str(error):
        hint = (
            "A type of another file must be given, too: a list of the schemas, as json.loads"
            " gives them, with those that are used first."
        )
    return IllegalArgumentException(
        f"not an Avro schema: {begin}",
        detail=f"{type(error).__name__}: {error}",
        hint=hint,
    )


@lru_cache(maxsize=256)
def _parsed(text: str) -> AvroSchema:
    names: dict[str, Any] = {}
    root = fastavro.schema.parse_schema(json.loads(text), names)
    return AvroSchema(text, root, names)


def _meaning(node: Node) -> Any:
    if isinstance(node, list):
        return [_meaning(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: [_meaning(each) for each in value] if key == "fields" else _meaning(value)
        for key, value in node.items()
        if key not in _WITHOUT_MEANING and not key.startswith("__")
    }
