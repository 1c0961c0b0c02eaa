"""Fields in JSON that classes do not have: a decoder passes them over."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from typing_extensions import is_typeddict

from millstream.serdes.avro.from_datum import bare

Unknown = tuple[str, type]
"""A field's name, and the class that does not have it."""
Find = Callable[[Any], Unknown | None]
_LISTS = (list, set, frozenset, collections.abc.Sequence, collections.abc.Set)
_SINGLE = ("builtins", "datetime", "decimal", "uuid")
_DICTS = (dict, collections.abc.Mapping)


def unknown_field(wanted: Any) -> Find | None:
    """Return the function from decoded JSON to a field that the classes of a type do not have.

    Args:
        wanted: A dataclass, a msgspec Struct, a TypedDict, or a type of them. Others, such as
            models of pydantic, know all fields.

    Returns:
        None where no class is in the type.
    """
    return _Finders().of(wanted)


class _Finders:
    def __init__(self) -> None:
        self._classes: dict[Any, Find] = {}

    def of(self, wanted: Any) -> Find | None:
        wanted = bare(wanted)
        origin, arguments = get_origin(wanted) or wanted, get_args(wanted)
        if origin in (Union, types.UnionType):
            return self._union(arguments)
        if origin in _LISTS and arguments:
            return _each(self.of(arguments[0]), list, iter)
        if origin is tuple and arguments:
            if arguments[-1] is Ellipsis:
                return _each(self.of(arguments[0]), list, iter)
            return _row(list(map(self.of, arguments)))
        if origin in _DICTS and len(arguments) == 2:
            return _each(self.of(arguments[1]), dict, lambda plain: plain.values())
        return self._class(origin)

    def _class(self, kind: Any) -> Find | None:
        if kind in self._classes:
            return self._classes[kind]
        fields = _fields(kind)
        if fields is None:
            return None
        parts: dict[str, Find | None] = {}

        def find(plain: Any) -> Unknown | None:
            if type(plain) is not dict:
                return None
            for name, part in plain.items():
                if name not in parts:
                    return name, kind
                inner = parts[name]
                if inner is not None and (found := inner(part)) is not None:
                    return found
            return None

        # A class may be in its own fields.
        self._classes[kind] = find
        parts |= {name: self.of(each) for name, each in fields.items()}
        return find

    def _union(self, members: Sequence[Any]) -> Find | None:
        members = [bare(each) for each in members]
        kinds = [get_origin(each) or each for each in members]
        finds = list(map(self.of, members))
        if any(each is None and not _is_single(k) for k, each in zip(kinds, finds, strict=True)):
            return None
        known = [
            (list if kind is tuple or kind in _LISTS else dict, each)
            for kind, each in zip(kinds, finds, strict=True)
            if each is not None
        ]

        def find(plain: Any) -> Unknown | None:
            found = [each(plain) for kind, each in known if kind is type(plain)]
            return None if None in found else next(iter(found), None)

        return find if known else None


def _is_single(kind: Any) -> bool:
    """Tell whether a type has no objects that are written with names."""
    if kind is Literal:
        return True
    is_plain = isinstance(kind, type) and kind.__module__ in _SINGLE and kind is not object
    return is_plain and not issubclass(kind, dict)


def _each(find: Find | None, kind: type, parts: Callable[[Any], Any]) -> Find | None:
    if find is None:
        return None

    def of_each(plain: Any) -> Unknown | None:
        if type(plain) is not kind:
            return None
        return next((found for each in parts(plain) if (found := find(each)) is not None), None)

    return of_each


def _row(finds: list[Find | None]) -> Find | None:
    def find(plain: Any) -> Unknown | None:
        pairs = zip(finds, plain if type(plain) is list else (), strict=False)
        found = (each(part) for each, part in pairs if each is not None)
        return next((each for each in found if each is not None), None)

    return find if any(finds) else None


def _fields(kind: Any) -> Mapping[str, Any] | None:
    """Return the type of each field of a class by its name in JSON; None for other classes."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = {each.encode_name: each.type for each in msgspec.structs.fields(kind)}
        tag = kind.__struct_config__.tag_field
        return fields if tag is None else {**fields, tag: str}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return {each.name: hints[each.name] for each in dataclasses.fields(kind)}
    return typing.get_type_hints(kind) if is_typeddict(kind) else None
