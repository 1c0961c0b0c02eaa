"""Framing of payloads: the schema's id before them, or its GUID in a header."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import ConfigException, SerializationException
from millstream.core.headers import Headers

PREFIX = struct.Struct(">bi")
MAGIC_ID, MAGIC_GUID = 0, 1
GUID_BYTES = 17
KEY_HEADER, VALUE_HEADER = "__key_schema_id", "__value_schema_id"

IdKey = bytes
"""What names a schema in a record: 5 bytes of an id, or 17 of a GUID, each with its magic byte."""


@dataclass(frozen=True, slots=True)
class PrefixSchemaIdSerializer:
    """The id before the payload: a byte 0, then 4 bytes; the default."""

    in_header = False


@dataclass(frozen=True, slots=True)
class HeaderSchemaIdSerializer:
    """The schema's GUID in the header ``__key_schema_id`` or ``__value_schema_id``."""

    in_header = True


def writes_header(given: Any, key: str) -> bool:
    """Tell whether the entry ``key.schema.id.serializer`` or that of values asks for a header.

    Raises:
        ConfigException: It names something else than the two ways that there are.
    """
    if given is None:
        return False
    if hasattr(given, "in_header"):
        return bool(given.in_header)
    raise ConfigException(
        f"Invalid value {given} for configuration {key}",
        hint="Use PrefixSchemaIdSerializer or HeaderSchemaIdSerializer.",
    )


def id_prefix(schema_id: int) -> bytes:
    """Return the bytes before a payload.

    Example:
        >>> id_prefix(7)
        b'\\x00\\x00\\x00\\x00\\x07'
    """
    return PREFIX.pack(MAGIC_ID, schema_id)


def guid_header(guid: str) -> bytes:
    """Return the header's value for a schema's GUID."""
    return bytes([MAGIC_GUID]) + uuid.UUID(guid).bytes


def set_header(headers: Headers, name: str, value: bytes) -> None:
    """Add the header of a schema's GUID, unless the newest one of this name is the same."""
    last = headers.lastHeader(name)
    if last is None or last.value() != value:
        headers.add(name, value)


def split(data: bytes, headers: Headers | None, name: str) -> tuple[IdKey, bytes]:
    """Return what names the schema, and the payload: from the header if there is one.

    Raises:
        SerializationException: The bytes do not begin as those of a registry's serializer.
    """
    header = None if headers is None else headers.lastHeader(name)
    value = None if header is None else header.value()
    if value is not None:
        return _header_id(value, name), data
    if len(data) < PREFIX.size or data[0] != MAGIC_ID:
        if len(data) >= GUID_BYTES and data[0] == MAGIC_GUID:
            return data[:GUID_BYTES], data[GUID_BYTES:]
        raise unknown_bytes(data)
    return data[: PREFIX.size], data[PREFIX.size :]


def _header_id(value: bytes, name: str) -> IdKey:
    if len(value) >= GUID_BYTES and value[0] == MAGIC_GUID:
        return value
    if len(value) >= PREFIX.size and value[0] == MAGIC_ID:
        return value
    raise SerializationException(
        "Error deserializing schema ID",
        detail=f"Unknown magic byte! The header {name} is {value!r}.",
        hint="Its writer must be a serializer with a schema registry.",
    )


def unknown_bytes(data: bytes) -> SerializationException:
    """Return the error for bytes without a schema's id."""
    begin = data[:16]
    return SerializationException(
        "Unknown magic byte!",
        detail=f"It has {len(data)} bytes and begins with {begin!r}; a serializer with a schema "
        "registry writes 0 and the schema's id, 5 bytes, before the payload.",
        hint="Read the topic with the serde that wrote it: AvroSerde for Avro without a registry.",
    )


def shown(id_key: IdKey) -> str:
    """Return a schema's id or GUID as text."""
    if id_key[0] == MAGIC_ID:
        return str(PREFIX.unpack_from(id_key)[1])
    return str(uuid.UUID(bytes=id_key[1:GUID_BYTES]))
