"""Classes whose objects stand for records: which they are, and their fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

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


@lru_cache(maxsize=1024)
def field_reader(cls: type) -> Callable[[Any], Mapping[str, Any]] | None:
    """Return the function from an object of a class to its attributes, or None."""
    names = attributes(cls)
    if names is None:
        return _itself if issubclass(cls, Mapping) else None
    # Most objects keep their fields in a dict, which is quicker than one attribute at a time.
    if "__slots__" not in vars(cls) and not issubclass(cls, tuple) and hasattr(cls, "__dict__"):
        return lambda value: _by_dict(value, names)
    return lambda value: {name: getattr(value, name) for name in names}


def _itself(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return value


def _by_dict(value: Any, names: tuple[str, ...]) -> Mapping[str, Any]:
    found: dict[str, Any] = getattr(value, "__dict__", {})
    if len(found) == len(names):
        return found
    return {name: getattr(value, name) for name in names}


def fields_of(value: Any, record: str = "record") -> Mapping[str, Any]:
    """Return the fields of an object that stands for a record.

    Raises:
        Misfit: It does not.
    """
    cls: Any = type(value)
    read = field_reader(cls)
    if read is None:
        raise Misfit(value, a(record), f"Give a dict, or an object of {SUPPORTED}.")
    return read(value)
