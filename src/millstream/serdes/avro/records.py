"""Record classes made from Avro schemas."""

from __future__ import annotations

import base64
import keyword
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.errors import IllegalArgumentException
from millstream.serdes.avro.schema import RECORDS, AvroSchema, avro_schema, kind_of


class NamedRecord(dict[str, Any]):
    """A dict from a union of several records, with the full name of its own.

    It equals a plain dict, and is written as the record that it was read as.
    """

    __slots__ = ("record_name",)

    def __init__(self, record_name: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.record_name = record_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.record_name, dict(self))


class AvroRecord:
    """Base of the classes that ``avro_record_class`` makes: one attribute for each field.

    Fields that are not given get the schema's default. Attributes may be changed; two records are
    equal if they are of the same type and their fields are equal. A field whose name is a word of
    Python, such as ``from``, is the attribute ``from_``.
    """

    avro_schema: ClassVar[AvroSchema]
    avro_name: ClassVar[str]
    avro_fields: ClassVar[Mapping[str, str]]
    """The attribute of each field."""
    avro_attributes: ClassVar[frozenset[str]]
    avro_defaults: ClassVar[Mapping[str, Any]]
    """Makers of defaults by the attribute."""

    def __init__(self, *values: Any, **fields: Any) -> None:
        attributes = tuple(self.avro_fields.values())
        if len(values) > len(attributes):
            raise self._refusal(f"takes {len(attributes)} fields, not {len(values)}")
        given = dict(zip(attributes, values, strict=False))
        for name, value in fields.items():
            attribute = self.avro_fields.get(name, name)
            if attribute in given or attribute not in attributes:
                raise self._refusal(f'got "{name}" twice, or has no such field')
            given[attribute] = value
        for attribute in attributes:
            if attribute not in given:
                if attribute not in self.avro_defaults:
                    raise self._refusal(f'needs a value for "{attribute}"')
                given[attribute] = self.avro_defaults[attribute]()
        # In the order of the fields, as the generated decoders do.
        ordered = {attribute: given[attribute] for attribute in attributes}
        object.__setattr__(self, "__dict__", ordered)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Return the record of some fields; dicts in the place of records become records."""
        from millstream.serdes.avro.from_datum import from_datum

        made: Self = from_datum(cls(**fields).to_dict(), cls)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, inner records too."""
        return {name: _plain(getattr(self, at)) for name, at in self.avro_fields.items()}

    def __getitem__(self, name: str) -> Any:
        return getattr(self, self.avro_fields[name])

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, self.avro_fields[name], value)

    def __iter__(self) -> Iterator[str]:
        return iter(self.avro_fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AvroRecord) or other.avro_name != self.avro_name:
            return NotImplemented
        return self.avro_fields == other.avro_fields and all(
            getattr(self, at) == getattr(other, at) for at in self.avro_fields.values()
        )

    __hash__ = None  # type: ignore[assignment]  # a record may change

    def __repr__(self) -> str:
        shown = (f"{at}={getattr(self, at)!r}" for at in self.avro_fields.values())
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, at) for at in self.avro_fields.values())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.avro_attributes:
            raise AttributeError(self._unknown(name))
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        return f"{type(self).__name__} has no field {name!r}; it has {', '.join(self.avro_fields)}"

    def _refusal(self, what: str) -> TypeError:
        return TypeError(f"{type(self).__name__} {what}; it has {', '.join(self.avro_fields)}")


def avro_record_class(schema: Any, name: str | None = None) -> type[AvroRecord]:
    """Return the class of a record schema; the same class for the same schema and name.

    Its objects, and the class itself, can be pickled: the schema goes with them.

    Args:
        schema: As for ``AvroSerde``.
        name: The name of a record inside the schema; the outermost one if None.

    Raises:
        IllegalArgumentException: The schema is none, or has no such record.

    Example:
        >>> Point = avro_record_class('''{"type": "record", "name": "Point", "fields": [
        ...     {"name": "x", "type": "int"}, {"name": "y", "type": "int", "default": 0}]}''')
        >>> Point(x=3)
        Point(x=3, y=0)
    """
    return _made(avro_schema(schema), name)


@lru_cache(maxsize=1024)
def _made(schema: AvroSchema, name: str | None) -> type[AvroRecord]:
    node = schema.root if name is None else _named(schema, name)
    if kind_of(node) not in RECORDS:
        raise IllegalArgumentException(
            f"cannot make a class of {schema.name if name is None else name}, which is no record",
            detail=f"Records of the schema: {', '.join(_records(schema)) or 'none'}.",
            hint="Name a record of the schema: avro_record_class(schema, name).",
        )
    full = node["name"]
    if full != name:
        return _made(schema, full)
    return _class_of(schema, node)


def _class_of(schema: AvroSchema, node: Mapping[str, Any]) -> type[AvroRecord]:
    from millstream.serdes.avro.defaults import default_maker

    full: str = node["name"]
    attributes = {field["name"]: attribute_of(field["name"]) for field in node["fields"]}
    body = {
        "__doc__": node.get("doc", f"The Avro record {full}."),
        # Pickle looks a class up by its module and this name: see __getattr__ below.
        "__module__": __name__,
        "__qualname__": _encoded(schema.text, full),
        "avro_schema": schema,
        "avro_name": full,
        "avro_fields": attributes,
        "avro_attributes": frozenset(attributes.values()),
        "avro_defaults": {
            attributes[field["name"]]: default_maker(schema, field["type"], field["default"])
            for field in node["fields"]
            if "default" in field
        },
    }
    return type(full.rpartition(".")[2], (AvroRecord,), body)


def attribute_of(name: str) -> str:
    """Return the attribute of a field: a word of Python gets an underscore."""
    taken = keyword.iskeyword(name) or name in _TAKEN
    return sys.intern(f"{name}_" if taken else name)


_TAKEN = frozenset(name for name in vars(AvroRecord) if not name.startswith("_")) | {"_refusal"}


def _named(schema: AvroSchema, name: str) -> Any:
    exact = schema.names.get(name)
    if exact is not None:
        return exact
    short = [node for full, node in schema.names.items() if full.rpartition(".")[2] == name]
    return short[0] if len(short) == 1 else name


def _records(schema: AvroSchema) -> list[str]:
    return [name for name, node in schema.names.items() if kind_of(node) in RECORDS]


def _plain(value: Any) -> Any:
    if isinstance(value, AvroRecord):
        plain = value.to_dict()
        return NamedRecord(value.avro_name, plain)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return {k: _plain(v) for k, v in value.items()} if type(value) is dict else value


def _encoded(text: str, name: str) -> str:
    packed = base64.urlsafe_b64encode(zlib.compress(f"{name}\n{text}".encode(), 9))
    return f"{name.rpartition('.')[2]}{_MARK}{packed.decode()}"


_MARK = "~"
"""Stands in no name of Avro's or Python's."""


def __getattr__(name: str) -> Any:
    """Return a record class by the name that holds its schema, for pickle."""
    _, mark, packed = name.partition(_MARK)
    if not mark:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    text = zlib.decompress(base64.urlsafe_b64decode(packed)).decode()
    full, _, schema = text.partition("\n")
    return _made(avro_schema(schema), full)
