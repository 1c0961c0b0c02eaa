"""Plain data, as an Avro or JSON reader gives them, to a topology's own classes."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar, Union, get_args, get_origin

from millstream.core.errors import SerializationException
from millstream.core.wording import a
from millstream.serdes.avro.classes import attributes, maker_of
from millstream.serdes.avro.records import (
    AvroRecord,
    NamedRecord,
    attribute_of,
    avro_record_class,
)
from millstream.serdes.avro.schema import RECORDS, AvroSchema, kind_of, name_of

Convert = Callable[[Any], Any]


def from_datum(datum: Any, record_type: Any = None) -> Any:
    """Return the object of what fastavro has read.

    Args:
        datum: Dicts, lists and single objects. A record of a union may be ``(name, fields)``, as
            readers with ``return_record_name=True`` and ``return_record_name_override=True`` give.
        record_type: A dataclass, a class of ``avro_record_class``, or a type of them such as
            ``list[Order]``. None gives dicts.

    Raises:
        SerializationException: The datum lacks a field that the class requires.
    """
    convert = object_maker(record_type)
    return datum if convert is None else convert(datum)


@lru_cache(maxsize=512)
def object_maker(wanted: Any) -> Convert | None:
    """Return the function from data to objects of a type; None if they stay as they are."""
    if wanted is None:
        return _generic
    return _Shapes().shape(wanted)


def _generic(datum: Any) -> Any:
    """Turn ``(name, fields)`` into dicts that know their name."""
    if type(datum) is tuple and len(datum) == 2:
        return NamedRecord(datum[0], _generic(datum[1]))
    if type(datum) is dict:
        return {name: _generic(each) for name, each in datum.items()}
    return [_generic(each) for each in datum] if type(datum) is list else datum


class _Shapes:
    def __init__(self) -> None:
        self._classes: dict[Any, Convert] = {}

    def shape(self, wanted: Any) -> Convert | None:
        wanted = bare(wanted)
        origin, arguments = get_origin(wanted), get_args(wanted)
        if wanted is Any or isinstance(wanted, TypeVar):
            return None
        if origin in (Union, types.UnionType):
            return self._union(arguments)
        if origin is tuple or wanted is tuple:
            return self._sequence(tuple, arguments[:1])
        if origin in (list, Sequence, typing.Sequence):
            return self._sequence(list, arguments[:1])
        if origin in (dict, Mapping):
            return self._map(arguments)
        if isinstance(wanted, type):
            return self._class(wanted)
        return None

    def _class(self, wanted: type) -> Convert | None:
        if issubclass(wanted, enum.Enum):
            return _enum_maker(wanted)
        if wanted not in self._classes:
            make: Callable[[Any], Convert]
            if issubclass(wanted, AvroRecord):
                make = self._avro_record
            elif attributes(wanted) is not None:
                make = self._record
            else:
                return None
            self._classes[wanted] = lambda datum: self._classes[wanted](datum)
            self._classes[wanted] = make(wanted)
        return self._classes[wanted]

    def _record(self, wanted: Any) -> Convert:
        own = attributes(wanted) or ()
        hints = typing.get_type_hints(wanted)
        converts = {name: self.shape(hints[name]) for name in own if name in hints}
        shaped = [(name, convert) for name, convert in converts.items() if convert is not None]
        words = {name[:-1]: name for name in own if attribute_of(name[:-1]) == name}

        def make(datum: Any) -> Any:
            values = dict(_fields(datum))
            for word, attribute in words.items():
                if word in values:
                    values[attribute] = values.pop(word)
            for name, convert in shaped:
                if name in values:
                    values[name] = convert(values[name])
            return _called(wanted, values)

        return make

    def _avro_record(self, wanted: Any) -> Convert:
        schema: AvroSchema = wanted.avro_schema
        node = schema.names[wanted.avro_name]
        converts = {each["name"]: self._node(schema, each["type"]) for each in node["fields"]}
        shaped = [(name, convert) for name, convert in converts.items() if convert is not None]

        def make(datum: Any) -> Any:
            values = dict(_fields(datum))
            for name, convert in shaped:
                if name in values:
                    values[name] = convert(values[name])
            return _called(wanted, values)

        return make

    def _node(self, schema: AvroSchema, node: Any) -> Convert | None:
        """Return the conversion of a type inside a record class."""
        node = schema.resolved(node)
        kind = kind_of(node)
        if kind in RECORDS:
            return self._class(avro_record_class(schema, node["name"]))
        if kind == "array":
            return _list_maker(list, self._node(schema, node["items"]))
        if kind == "map":
            return _map_maker(self._node(schema, node["values"]))
        if kind == "union":
            branches = [schema.resolved(each) for each in node]
            records = [each for each in branches if kind_of(each) in RECORDS]
            makers = {name_of(each): self._node(schema, each) for each in records}
            keys = {
                name_of(each): frozenset(field["name"] for field in each["fields"])
                for each in records
            }
            others = [self._node(schema, each) for each in branches if each not in records]
            return _union_maker(makers, keys, [each for each in others if each is not None])
        return None

    def _union(self, members: Sequence[Any]) -> Convert | None:
        classes = [each for each in map(bare, members) if _is_record(each)]
        makers = {_record_name(each): self._class(each) for each in classes}
        keys = {_record_name(each): _keys(each) for each in classes}
        rest = [each for each in map(bare, members) if each not in classes]
        others = [self.shape(each) for each in rest if each is not type(None)]
        return _union_maker(makers, keys, [each for each in others if each is not None])

    def _sequence(self, kind: type, arguments: Sequence[Any]) -> Convert | None:
        inner = self.shape(arguments[0]) if arguments else None
        return None if kind is list and inner is None else _list_maker(kind, inner)

    def _map(self, arguments: Sequence[Any]) -> Convert | None:
        return _map_maker(self.shape(arguments[1]) if len(arguments) == 2 else None)


def bare(wanted: Any) -> Any:
    """Return a type without ``Annotated``, ``NewType`` and names that ``type X = ...`` gave."""
    while True:
        origin = get_origin(wanted)
        if hasattr(wanted, "__supertype__"):
            wanted = wanted.__supertype__
        elif hasattr(origin, "__value__"):
            wanted = origin.__value__[get_args(wanted)]
        elif hasattr(wanted, "__value__") and not isinstance(wanted, type):
            wanted = wanted.__value__
        elif origin is typing.Annotated:
            wanted = get_args(wanted)[0]
        else:
            return wanted


def _is_record(wanted: Any) -> bool:
    return attributes(wanted) is not None


def _record_name(wanted: Any) -> str:
    return str(wanted.avro_name if issubclass(wanted, AvroRecord) else wanted.__name__)


def _keys(wanted: Any) -> frozenset[str]:
    return frozenset(attributes(wanted) or ())


def _union_maker(
    makers: Mapping[str, Convert | None],
    keys: Mapping[str, frozenset[str]],
    others: Sequence[Convert],
) -> Convert | None:
    if not makers and not others:
        return None
    short = {name.rpartition(".")[2]: make for name, make in makers.items()}

    def make(datum: Any) -> Any:
        if datum is None:
            return None
        if isinstance(datum, NamedRecord):
            datum = (datum.record_name, datum)
        if type(datum) is tuple and len(datum) == 2:
            found = makers.get(datum[0]) or short.get(datum[0].rpartition(".")[2])
            return datum[1] if found is None else found(datum[1])
        if isinstance(datum, dict) and makers:
            name = next(iter(makers))
            if len(makers) > 1:
                name = max(makers, key=lambda each: len(keys[each] & datum.keys()))
            found = makers[name]
            return datum if found is None else found(datum)
        for convert in others:
            try:
                return convert(datum)
            except (SerializationException, TypeError, ValueError):
                continue
        return datum

    return make


def _list_maker(kind: type, inner: Convert | None) -> Convert:
    if inner is None:
        return kind
    return lambda datum: kind(map(inner, datum))


def _map_maker(inner: Convert | None) -> Convert | None:
    if inner is None:
        return None
    return lambda datum: {key: inner(each) for key, each in datum.items()}


def _enum_maker(wanted: type[enum.Enum]) -> Convert:
    known = {each.name: each for each in wanted}
    known |= {each.value: each for each in wanted if isinstance(each.value, str)}

    def make(symbol: Any) -> Any:
        if symbol in known:
            return known[symbol]
        raise SerializationException(
            f"{wanted.__qualname__} has no member {symbol!r}",
            detail=f"It has {', '.join(known)}.",
        )

    return make


def _fields(datum: Any) -> Any:
    return datum[1] if type(datum) is tuple else datum


def _called(wanted: Any, values: dict[str, Any]) -> Any:
    try:
        return maker_of(wanted)(**values)
    except TypeError as error:
        if isinstance(values, dict) and all(isinstance(name, str) for name in values):
            raise SerializationException(
                f"cannot make {a(wanted.__name__)} of the fields {', '.join(values) or 'none'}",
                detail=f"{error}.",
                hint="Give the class a default for each field that the bytes may lack.",
            ) from error
        raise
