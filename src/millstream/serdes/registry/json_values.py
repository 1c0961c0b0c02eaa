"""JSON texts and schemas of Python classes: msgspec for most, pydantic for its own."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import msgspec

from millstream.core.errors import SerializationException
from millstream.core.serdes.json_models import dumped, may_hold_secrets
from millstream.core.serdes.json_nan import may_hold_floats, nan_finder, nones_of, refuse_nan
from millstream.core.serdes.json_sets import in_order, is_model, may_hold_sets
from millstream.core.serdes.json_typed import read_model
from millstream.serdes.registry.json_unknown import unknown_field

_DRAFT = "http://json-schema.org/draft-07/schema#"


def encoder(kind: type) -> Callable[[Any], bytes]:
    """Return the function from objects of a class to JSON; equal sets give equal bytes.

    It raises ``ValueError`` for NaN and infinity, for which JSON has no number.
    """
    encode = _encoder(kind)
    if not may_hold_floats(kind):
        return encode
    nones, may_have_nan = nones_of(kind), nan_finder()

    def checked(value: Any) -> bytes:
        found = encode(value)
        # Null stands for None, or for a number that JSON has not.
        nulls = b"null" in found and found.count(b"null") != nones(value)
        if nulls and may_have_nan(value):
            refuse_nan(value.model_dump() if is_model(kind) else msgspec.to_builtins(value))
        return found

    return checked


def _encoder(kind: type) -> Callable[[Any], bytes]:
    encode = msgspec.json.Encoder().encode
    if is_model(kind):
        if may_hold_sets(kind) or may_hold_secrets(kind):
            return lambda value: encode(dumped(value))
        return lambda value: value.model_dump_json().encode()
    if may_hold_sets(kind):
        return lambda value: encode(in_order(value, msgspec.to_builtins(value)))
    return encode


def as_plain(value: Any) -> Any:
    """Return an object as dicts, lists, texts and numbers."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return msgspec.to_builtins(value)


def decoder(wanted: Any, *, refuse_unknown: bool) -> Callable[[bytes], Any]:
    """Return the function from JSON to objects of a class; None gives dicts.

    Args:
        wanted: The class.
        refuse_unknown: Whether an object with a field that the class does not have is refused, at
            any depth. Models of pydantic follow their own ``extra``.
    """
    if wanted is None:
        return msgspec.json.Decoder().decode
    if hasattr(wanted, "model_validate_json"):
        return partial(read_model, wanted)
    read = msgspec.json.Decoder(wanted).decode
    unknown = unknown_field(wanted) if refuse_unknown else None
    if unknown is None:
        return read
    generic, find = msgspec.json.Decoder().decode, unknown

    def decode(data: bytes) -> Any:
        # Of the JSON itself: a number with more digits than a float has must keep them.
        found = read(data)
        if (other := find(generic(data))) is not None:
            name, kind = other
            raise SerializationException(
                f'Unrecognized field "{name}" ({kind.__qualname__})',
                hint="Add the field to the class, or set json.fail.unknown.properties=false.",
            )
        return found

    return decode


@lru_cache(maxsize=256)
def schema_text(kind: Any) -> str | None:
    """Return the JSON schema of a class for records; None for other classes."""
    if hasattr(kind, "model_json_schema"):
        return _text({"$schema": _DRAFT, **kind.model_json_schema()})
    if _names(kind) is None:
        return None
    found = msgspec.json.schema(kind, ref_template="#/definitions/{name}")
    definitions = found.pop("$defs", {})
    own = definitions.pop(found["$ref"].rpartition("/")[2]) if "$ref" in found else found
    rest = {"definitions": definitions} if definitions else {}
    return _text({"$schema": _DRAFT, **own, **rest})


def title(text: str) -> str | None:
    """Return the title of a JSON schema, which is its name."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    named = found.get("title") if isinstance(found, Mapping) else None
    return named if isinstance(named, str) else None


def _names(kind: Any) -> frozenset[str] | None:
    if dataclasses.is_dataclass(kind):
        return frozenset(each.name for each in dataclasses.fields(kind))
    if hasattr(kind, "__struct_encode_fields__"):
        return frozenset(kind.__struct_encode_fields__)
    return None


def _text(schema: Any) -> str:
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False)
