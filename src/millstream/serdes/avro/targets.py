"""Targets of decoding: which Python object a type of a schema becomes."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union, get_args, get_origin

from millstream.serdes.avro.classes import attributes, maker_of
from millstream.serdes.avro.defaults import default_maker, default_object
from millstream.serdes.avro.from_datum import bare, object_maker
from millstream.serdes.avro.records import AvroRecord, attribute_of, avro_record_class
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of

Convert = Callable[[Any], Any]


@dataclass(frozen=True)
class DecodingTarget:
    """What is wanted in the place of a type of the reader's schema.

    Attributes:
        hint: A class or type hint; None for dicts, lists and single objects.
        own: The schema whose record classes are wanted for all records inside, or None.
    """

    hint: Any = None
    own: AvroSchema | None = None

    def plan(self, node: Any) -> Making:
        """Return how to make the object of a type that is no union."""
        kind = kind_of(node)
        if self.own is not None:
            return self._own_plan(kind, node)
        hint = self._narrowed(kind, node)
        # None stays None, whatever class the other branch of its union is for.
        if hint is None or hint is Any or kind == "null":
            return Making()
        origin, arguments = get_origin(hint), get_args(hint)
        if kind in RECORDS and attributes(hint) is not None:
            return _record_plan(hint, node)
        if kind == "array" and origin in (list, tuple, Sequence):
            item = DecodingTarget(arguments[0]) if arguments else ANY
            return Making(key=hint, item=item, convert=tuple if origin is tuple else None)
        if kind == "map" and origin in (dict, Mapping):
            return Making(
                key=hint, item=DecodingTarget(arguments[1]) if len(arguments) == 2 else ANY
            )
        return Making(key=hint, convert=object_maker(hint))

    def default(self, reader: AvroSchema, given: Mapping[str, Any]) -> Callable[[], Any]:
        """Return the function that makes the default of a field, anew at each call."""
        node, default = given["type"], given["default"]
        if self.own is not None:
            return default_maker(self.own, node, default)
        convert = None if self.hint is None else object_maker(self.hint)
        if convert is None:
            return lambda: default_object(reader, node, default)
        return lambda: convert(default_object(reader, node, default))

    def _own_plan(self, kind: str, node: Any) -> Making:
        if kind in RECORDS and self.own is not None:
            made = avro_record_class(self.own, node["name"])
            names = {each["name"]: attribute_of(each["name"]) for each in node["fields"]}
            return Making(made, _maker(made), names, dict.fromkeys(names, self))
        return Making(key="own", item=self)

    def _narrowed(self, kind: str, node: Any) -> Any:
        """Return the member of a union of types that a type of the schema is for."""
        hint = bare(self.hint)
        if get_origin(hint) not in (Union, types.UnionType):
            return hint
        members = [each for each in map(bare, get_args(hint)) if each is not type(None)]
        if len(members) <= 1:
            return members[0] if members else None
        if kind in RECORDS:
            classes = [each for each in members if attributes(each) is not None]
            short = node["name"].rpartition(".")[2]
            named = [each for each in classes if each.__name__ == short]
            return next(iter(named or classes), None)
        return next((each for each in members if _suits(kind, each)), None)


ANY = DecodingTarget()


@dataclass(frozen=True)
class Making:
    """How one type's object is made.

    Attributes:
        key: Distinguishes plans of one type.
        make: Called with a record's attributes; None makes a dict.
        attributes: The attribute of each field of the schema, if ``make`` is given.
        fields: The target of each field.
        item: The target of each item of an array or map.
        convert: Called with the finished object; None leaves it as it is.
    """

    key: Any = None
    make: Callable[..., Any] | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, DecodingTarget] = field(default_factory=dict)
    item: DecodingTarget = ANY
    convert: Convert | None = None


def target_of(wanted: Any, reader: AvroSchema) -> DecodingTarget:
    """Return the target of the outermost type."""
    if isinstance(wanted, type) and issubclass(wanted, AvroRecord) and wanted.avro_schema == reader:
        return DecodingTarget(own=reader)
    return DecodingTarget(wanted)


def _record_plan(hint: Any, node: Mapping[str, Any]) -> Making:
    if issubclass(hint, AvroRecord):
        return Making(key=hint, convert=object_maker(hint))
    own = set(attributes(hint) or ())
    names = {
        each["name"]: each["name"] if each["name"] in own else attribute_of(each["name"])
        for each in node["fields"]
    }
    hints = typing.get_type_hints(hint)
    fields = {name: DecodingTarget(hints.get(names[name])) for name in names}
    return Making(hint, maker_of(hint), names, fields)


def _maker(made: type[AvroRecord]) -> Callable[..., Any]:
    new, set_attribute = object.__new__, object.__setattr__

    def make(**fields: Any) -> AvroRecord:
        record = new(made)
        set_attribute(record, "__dict__", fields)
        return record

    return make


def _suits(kind: str, member: Any) -> bool:
    origin = get_origin(member) or member
    if kind == "enum":
        return isinstance(origin, type) and issubclass(origin, enum.Enum)
    if kind == "array":
        return origin in (list, tuple, Sequence)
    return kind == "map" and origin in (dict, Mapping)
