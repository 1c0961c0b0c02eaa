"""Classes whose objects stand for records: which they are, and their fields."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.core.wording import a
from millstream.serdes.avro.misfit import Misfit
from millstream.serdes.avro.records import AvroRecord

SUPPORTED = (
    "a dataclass, a class of avro_record_class, a NamedTuple, a msgspec Struct or a pydantic model"
)


def attributes(cls: Any) -> tuple[str, ...] | None:
    """Return the attributes of a class that stands for a record; None for other classes."""
    return _attributes(cls) if isinstance(cls, type) else None


@lru_cache(maxsize=1024)
def _attributes(cls: Any) -> tuple[str, ...] | None:
    if issubclass(cls, AvroRecord):
        return tuple(cls.avro_fields.values()) if cls is not AvroRecord else None
    if dataclasses.is_dataclass(cls):
        return tuple(each.name for each in dataclasses.fields(cls))
    # NamedTuple, msgspec, pydantic
    for listed in ("_fields", "__struct_fields__", "model_fields"):
        if hasattr(cls, listed):
            return tuple(getattr(cls, listed))
    return None


def _by_name(model: Any, given: Mapping[str, Any]) -> Any:
    try:
        return model.model_validate(given, by_name=True)
    except TypeError:  # pydantic before 2.11
        return model(**given)


@lru_cache(maxsize=1024)
def maker_of(cls: Any) -> Callable[..., Any]:
    """Return the function from the attributes of a class to its object.

    It is the class itself, unless a dataclass has fields that its ``__init__`` does not take, or a
    pydantic model wants others than the names of its fields.
    """
    construct: Callable[..., Any] = cls
    _check_arguments(cls)
    if any(each.validation_alias for each in getattr(cls, "model_fields", {}).values()):
        return lambda **given: _by_name(cls, given)
    if not dataclasses.is_dataclass(cls) or all(each.init for each in dataclasses.fields(cls)):
        return construct
    later = [each.name for each in dataclasses.fields(cls) if not each.init]

    def make(**given: Any) -> Any:
        set_later = {name: given.pop(name) for name in later if name in given}
        made = construct(**given)
        for name, value in set_later.items():
            object.__setattr__(made, name, value)
        return made

    return make


def _check_arguments(cls: Any) -> None:
    """Refuse a dataclass that is made from something else than its fields.

    Raises:
        IllegalArgumentException: Its ``__init__`` wants an argument that is no field.
    """
    made: type = cls
    if not dataclasses.is_dataclass(cls):
        return
    fields = {each.name for each in dataclasses.fields(made) if each.init}
    for each in inspect.signature(made).parameters.values():
        named = each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY, each.POSITIONAL_ONLY)
        if named and each.default is each.empty and each.name not in fields:
            raise IllegalArgumentException(
                f"{made.__qualname__} cannot be read: its __init__ wants {each.name!r}, "
                "which is no field",
                detail="Only the fields of a dataclass are written.",
                hint="Give that argument a default. To write only, AvroSerde takes the schema "
                "without the class.",
            )


def fields_of(value: Any, record: str = "record") -> Mapping[str, Any]:
    """Return the fields of an object that stands for a record.

    Raises:
        Misfit: It does not.
    """
    names = attributes(type(value))
    if names is not None:
        found = {name: getattr(value, name) for name in names}
        # What a pydantic model with extra="allow" has beyond its fields.
        return found | (getattr(value, "__pydantic_extra__", None) or {})
    if isinstance(value, Mapping):
        # A copy: a defaultdict makes what it is asked for.
        return dict(value)
    raise Misfit(value, a(record), f"Give a dict, or an object of {SUPPORTED}.")


def quick_fields(value: Any) -> Mapping[str, Any]:
    """Return the same, or an object's own dict, which may have more in it."""
    read = _QUICK.get(type(value))
    return (read or _learned(type(value)))(value)


_QUICK: dict[Any, Callable[[Any], Mapping[str, Any]]] = {}
_own_dict: Callable[[Any], Mapping[str, Any]] = attrgetter("__dict__")


def _learned(cls: Any) -> Callable[[Any], Mapping[str, Any]]:
    has_dict = attributes(cls) is not None and getattr(cls, "__dictoffset__", 0) != 0
    has_dict = has_dict and getattr(cls, "model_config", {}).get("extra") != "allow"
    _QUICK[cls] = found = _own_dict if has_dict else fields_of
    return found
