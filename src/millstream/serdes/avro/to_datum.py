"""Objects of a topology to plain Avro data: checked, with the union's branch named.

A datum is made of None, bool, int, float, str, bytes, lists and dicts. Of a union with more than
null and one primitive type it is ``(branch, datum)``, the notation of fastavro. Logical types are
the numbers, bytes and text that stand for them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from millstream.serdes.avro.classes import fields_of
from millstream.serdes.avro.defaults import default_datum
from millstream.serdes.avro.leaves import leaf, text
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.records import attribute_of
from millstream.serdes.avro.schema import RECORDS, AvroSchema, avro_schema, kind_of, name_of
from millstream.serdes.avro.unions import union

Convert = Callable[[Any], Any]
_MISSING: Any = object()
_ABSENT = "is missing, and the schema has no default for it"


def to_datum(value: Any, schema: Any, *, topic: str | None = None) -> Any:
    """Return an object as a datum that ``fastavro.schemaless_writer`` takes.

    Args:
        value: Dicts, dataclasses and objects of record classes for records; ``Enum`` members or
            text for enums; ``datetime``, ``Decimal`` and ``UUID`` objects for logical types.
        schema: As for ``AvroSerde``.
        topic: The topic, for the error.

    Raises:
        ClassCastException: A part of the value does not fit; the error names it by its path.
    """
    parsed = avro_schema(schema)
    try:
        return converter(parsed)(value)
    except Misfit as misfit:
        raise misfit.error(parsed.name, topic) from None


@lru_cache(maxsize=256)
def converter(schema: AvroSchema) -> Convert:
    """Return the function from objects to data of a schema; it raises ``Misfit``."""
    return _Compiler(schema).convert(schema.root)


class _Compiler:
    def __init__(self, schema: AvroSchema) -> None:
        self._schema = schema
        self._records: dict[str, Convert] = {}

    def convert(self, node: Any) -> Convert:
        node = self._schema.resolved(node)
        kind = kind_of(node)
        if kind in RECORDS:
            return self._record(node)
        if kind == "union":
            branches = [self._schema.resolved(each) for each in node]
            return union([(name_of(each), each, self.convert(each)) for each in branches])
        if kind == "array":
            return _array(self.convert(node["items"]))
        if kind == "map":
            return _map(self.convert(node["values"]))
        return leaf(kind, node)

    def _record(self, node: Mapping[str, Any]) -> Convert:
        name = node["name"]
        if name not in self._records:
            # A record may hold itself: the inner one is looked up when it is first written.
            self._records[name] = lambda value: self._records[name](value)
            self._records[name] = _record(name, [self._field(each) for each in node["fields"]])
        return self._records[name]

    def _field(self, field: Mapping[str, Any]) -> tuple[str, str, Convert, Any]:
        name, node = field["name"], self._schema.resolved(field["type"])
        default = _MISSING
        if "default" in field:
            default = default_datum(self._schema, node, field["default"])
        elif kind_of(node) == "union" and "null" in node:
            default = ("null", None)
        return name, attribute_of(name), self.convert(node), default


def _record(name: str, fields: list[tuple[str, str, Convert, Any]]) -> Convert:
    names = {field[0] for field in fields}
    short = name.rpartition(".")[2]

    def convert(value: Any) -> dict[str, Any]:
        found = value if isinstance(value, dict) else fields_of(value, short)
        datum = {}
        for field, attribute, inner, default in fields:
            item = found.get(field, _MISSING)
            if item is _MISSING and attribute is not field:
                item = found.get(attribute, _MISSING)
            if item is _MISSING:
                if default is _MISSING:
                    raise Misfit(value, "there", clause=_ABSENT).under(f".{field}")
                datum[field] = default
                continue
            try:
                datum[field] = inner(item)
            except Misfit as misfit:
                raise misfit.under(f".{field}") from None
        if len(found) > len(datum) or not names >= found.keys():
            _refuse_others(found, fields, short)
        return datum

    return convert


def _refuse_others(found: Mapping[str, Any], fields: list[Any], short: str) -> None:
    known = {name for field in fields for name in field[:2]}
    others = [name for name in found if name not in known]
    if others:
        listed = ", ".join(field[0] for field in fields) or "none"
        raise Misfit(
            found[others[0]],
            "left out",
            f"The fields of {short} are: {listed}.",
            "is not in the schema, and would be lost",
        ).under(f".{others[0]}")


def _array(inner: Convert) -> Convert:
    def convert(value: Any) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise Misfit(value, "an array: a list or a tuple")
        place = 0
        data = []
        try:
            for place, each in enumerate(value):  # noqa: B007 - the error tells the place
                data.append(inner(each))
        except Misfit as misfit:
            raise misfit.under(f"[{place}]") from None
        return data

    return convert


def _map(inner: Convert) -> Convert:
    def convert(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Misfit(value, "a map: a dict")
        datum = {}
        for key, each in value.items():
            if not isinstance(key, str | enum.Enum):
                raise Misfit(key, "a text, as keys of maps are").under(f"[{key!r}]")
            try:
                datum[text(key)] = inner(each)
            except Misfit as misfit:
                raise misfit.under(f'["{key}"]') from None
        # Equal dicts give equal bytes, in whatever order they were filled.
        return dict(sorted(datum.items()))

    return convert
