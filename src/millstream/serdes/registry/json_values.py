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
from millstream.core.serdes.json_sets import in_order, may_hold_sets
from millstream.core.serdes.json_typed import read_model

_DRAFT = "http://json-schema.org/draft-07/schema#"


def encoder(kind: type) -> Callable[[Any], bytes]:
    """Return the function from objects of a class to JSON; equal sets give equal bytes."""
    encode = msgspec.json.Encoder().encode
    if hasattr(kind, "model_dump_json"):
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
        refuse_unknown: Whether an object with a field that the class does not have is refused.
    """
    if wanted is None:
        return msgspec.json.Decoder().decode
    if hasattr(wanted, "model_validate_json"):
        return partial(read_model, wanted)
    names = _names(wanted)
    if names is None or not refuse_unknown:
        return msgspec.json.Decoder(wanted).decode
    generic = msgspec.json.Decoder().decode

    def decode(data: bytes) -> Any:
        plain = generic(data)
        if isinstance(plain, dict) and (others := plain.keys() - names):
            raise SerializationException(
                f'Unrecognized field "{min(others)}" ({wanted.__qualname__})',
                hint="Add the field to the class, or set json.fail.unknown.properties=false.",
            )
        return msgspec.convert(plain, wanted)

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
