"""Avro schemas made from classes."""

from __future__ import annotations

import collections.abc
import datetime as dt
import enum
import json
import re
import types
import typing
import uuid
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin

from millstream.core.errors import IllegalArgumentException
from millstream.serdes.avro.classes import SUPPORTED, attributes
from millstream.serdes.avro.declared import MISSING, declared, type_and_default
from millstream.serdes.avro.from_datum import bare
from millstream.serdes.avro.records import AvroRecord
from millstream.serdes.avro.schema import AvroSchema, avro_schema

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIMPLE: Mapping[Any, Any] = {
    type(None): "null",
    bool: "boolean",
    int: "long",
    float: "double",
    str: "string",
    bytes: "bytes",
    dt.datetime: {"type": "long", "logicalType": "timestamp-micros"},
    dt.date: {"type": "int", "logicalType": "date"},
    dt.time: {"type": "long", "logicalType": "time-micros"},
    uuid.UUID: {"type": "string", "logicalType": "uuid"},
}


@lru_cache(maxsize=256)
def schema_of_class(cls: Any, namespace: str = "") -> AvroSchema:
    """Return the schema of a class for records, or of a type such as ``list[Order]``.

    Raises:
        IllegalArgumentException: A type inside has no counterpart in Avro, or is endless.
    """
    if isinstance(cls, type) and issubclass(cls, AvroRecord):
        return avro_schema(cls.avro_schema.alone(cls.avro_name))
    try:
        found = _Derivation(namespace).node(cls, "it")
    except RecursionError as error:
        raise IllegalArgumentException(
            f"{getattr(cls, '__name__', cls)} has a type that refers to itself",
            hint="In Avro only records can: make it a dataclass, or write the schema.",
        ) from error
    return avro_schema(json.dumps(found))


class _Derivation:
    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._names: dict[str, Any] = {}

    def node(self, hint: Any, where: str) -> Any:
        hint = bare(hint)
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in _SIMPLE:
            return _SIMPLE[hint]
        if origin in (Union, types.UnionType):
            return [self.node(each, where) for each in arguments]
        if origin is Literal and all(isinstance(each, str) for each in arguments):
            return "string"
        if origin in (list, collections.abc.Sequence) or _is_row(origin, arguments):
            return {"type": "array", "items": self.node(arguments[0], f"{where}[]")}
        if origin in (dict, collections.abc.Mapping) and arguments[0] is str:
            return {"type": "map", "values": self.node(arguments[1], f"{where}[]")}
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return self._named(hint, lambda: _enum(hint, where))
        if attributes(hint) is not None:
            return self._named(hint, lambda: {"type": "record", "fields": self._fields(hint)})
        raise _no_counterpart(hint, where)

    def _named(self, hint: Any, make: Any) -> Any:
        name = hint.__name__
        if name in self._names:
            if self._names[name] is not hint:
                raise IllegalArgumentException(
                    f"two classes are called {name}", hint="Rename one, or write the schema."
                )
            return name
        self._names[name] = hint
        head = {"name": name}
        # Inner names are relative to the outermost one's namespace.
        if self._namespace and len(self._names) == 1:
            head["namespace"] = self._namespace
        return {**head, **make()}

    def _fields(self, cls: Any) -> list[Any]:
        hints = typing.get_type_hints(cls)
        own = declared(cls)
        found = []
        for name in attributes(cls) or ():
            metadata, default = own.get(name, ({}, MISSING))
            where = f"{cls.__name__}.{name}"
            node = metadata.get("avro") or self.node(hints[name], where)
            field = {"name": _field_name(name), "type": node}
            field |= type_and_default(node, default)
            found.append(field)
        return found


def _is_row(origin: Any, arguments: tuple[Any, ...]) -> bool:
    return origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis


def _field_name(attribute: str) -> str:
    from millstream.serdes.avro.records import attribute_of

    word = attribute[:-1]
    return word if attribute.endswith("_") and attribute_of(word) == attribute else attribute


def _enum(hint: type[enum.Enum], where: str) -> dict[str, Any]:
    symbols = [each.name for each in hint]
    if not all(_NAME.fullmatch(symbol) for symbol in symbols):
        raise _no_counterpart(hint, where)
    return {"type": "enum", "symbols": symbols}


def _no_counterpart(hint: Any, where: str) -> IllegalArgumentException:
    shown = getattr(hint, "__qualname__", None) or repr(hint)
    advice = 'Give the field metadata={"avro": <its Avro type>}, or write the schema.'
    if hint is Decimal:
        advice = (
            'Give the field metadata={"avro": {"type": "bytes", "logicalType": "decimal", '
            '"precision": 12, "scale": 2}}.'
        )
    if where == "it":
        advice = f"Give {SUPPORTED}."
    return IllegalArgumentException(
        f"{where} is of the type {shown}, which Avro has no counterpart for", hint=advice
    )
