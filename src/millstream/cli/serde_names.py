"""Names of serdes on the command line, and their values as text."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from millstream.core.errors import IllegalArgumentException
from millstream.core.serdes.base import (
    Serde,
    configure_part,
    deserializer_call,
    serializer_call,
)
from millstream.core.serdes.checks import halves_of
from millstream.core.serdes.identity import format_of
from millstream.plugins.kinds import SERDES
from millstream.plugins.registry import offered

_ALSO = {"int": "integer", "str": "string", "text": "string", "bool": "boolean"}
_IDENTITIES = {
    "Boolean": "boolean",
    "ByteArray": "bytes",
    "Double": "double",
    "Float": "float",
    "Integer": "integer",
    "Json": "json",
    "Long": "long",
    "Short": "short",
    "String": "string",
    "UUID": "uuid",
    "Void": "void",
}
_WITH_REGISTRY = {
    "avro": "GenericAvroSerde",
    "json-schema": "KafkaJsonSchemaSerde",
    "protobuf": "KafkaProtobufSerde",
}


@dataclass(frozen=True)
class NamedSerde:
    """A serde, and how its values are written and read as text."""

    name: str
    read: Callable[[str, Any, bytes | None], Any]
    """Deserializes: topic, headers, bytes."""
    write: Callable[[str, Any, Any], bytes | None]
    """Serializes: topic, headers, object."""
    parse: Callable[[str], Any]
    """Makes an object of a text."""

    def of_json(self, value: Any) -> Any:
        """Return the object that a JSON value stands for."""
        if value is None or self.name not in _TEXTS:
            return value
        if isinstance(value, str):
            return self.parse(value)
        return float(value) if self.name in ("double", "float") else value


def named_serde(name: str, entries: Mapping[str, Any], *, is_key: bool) -> NamedSerde:
    """Return the serde of a name, configured.

    Raises:
        IllegalArgumentException: There is none of that name, or it cannot be made.
    """
    short, _, schema = name.partition(":")
    short = _ALSO.get(short.lower(), short.lower())
    serde = _made(name, short, schema)
    configure_part(serde, dict(entries), is_key)
    writes, reads = halves_of(serde, f'the serde "{name}"')
    return NamedSerde(
        name=short,
        read=deserializer_call(reads),
        write=serializer_call(writes),
        parse=_TEXTS.get(short, json.loads if short in _JSON else str),
    )


def name_of(text: str) -> str | None:
    """Return the name of a stock serde, given its identity as text; None of any other.

    >>> name_of("ByteArray"), name_of("shop.orders:OrderSerde")
    ('bytes', None)
    """
    return _IDENTITIES.get(text)


def of_serde(serde: Serde[Any]) -> NamedSerde:
    """Return a serde of a program, by the name of the stock serde that it is, if any."""
    name = name_of(format_of(serde)) or "own"
    writes, reads = halves_of(serde, "one of the program")
    return NamedSerde(
        name=name,
        read=deserializer_call(reads),
        write=serializer_call(writes),
        parse=_TEXTS.get(name, json.loads if name in _JSON else str),
    )


def as_text(value: Any) -> str:
    """Return a value for people: JSON for structures, hexadecimal digits for other bytes."""
    value = as_json(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_json(value: Any) -> Any:
    """Return a value that JSON can write; bytes as text or, if they are none, as ``0x...``."""
    if isinstance(value, dict):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes_text(bytes(value))
    if hasattr(value, "DESCRIPTOR"):
        return import_module("google.protobuf.json_format").MessageToDict(value)
    return msgspec.to_builtins(value, enc_hook=str)


def _made(name: str, short: str, schema: str) -> Serde[Any]:
    offers = offered(SERDES)
    if short in offers and not schema:
        return _instance(offers[short], name)
    if short in _WITH_REGISTRY:
        kind = getattr(import_module("millstream.serdes"), _WITH_REGISTRY[short])
        return _instance(kind(schema=_read(Path(schema))) if schema else kind, name)
    if ":" in name:
        return _instance(_imported(name), name)
    raise IllegalArgumentException(
        f'there is no serde "{name}"',
        detail=f"There are: {', '.join(sorted({*offers, *_WITH_REGISTRY}))}.",
        hint="Or write package.module:name of a serde.",
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise IllegalArgumentException(
            f"cannot read the schema {path}",
            detail=f"{error}.",
            hint="Write avro:FILE or json-schema:FILE with the file of a schema.",
        ) from error


def _imported(name: str) -> Any:
    place, _, path = name.partition(":")
    for folder in (Path.cwd() / "src", Path.cwd()):
        if folder.is_dir() and str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    try:
        found: Any = import_module(place)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise IllegalArgumentException(
            f'there is no serde "{name}"', detail=f"{type(error).__name__}: {error}."
        ) from error
    return found


def _instance(found: Any, name: str) -> Serde[Any]:
    made: Any = found() if callable(found) and not isinstance(found, Serde) else found
    if not (hasattr(made, "serializer") and hasattr(made, "deserializer")):
        raise IllegalArgumentException(f'"{name}" is not a serde')
    serde: Serde[Any] = made
    return serde


def _bytes_text(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"0x{data.hex()}"
    return text if text.isprintable() and not text.startswith("0x") else f"0x{data.hex()}"


def _bytes_of(text: str) -> bytes:
    return bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f'"{text}" is neither true nor false')
    return text.lower() == "true"


def _nothing(text: str) -> None:
    if text:
        raise ValueError(f'the serde "void" has no value; this is "{text}"')


_TEXTS: dict[str, Callable[[str], Any]] = {
    "string": str,
    "long": int,
    "integer": int,
    "short": int,
    "double": float,
    "float": float,
    "boolean": _boolean,
    "uuid": uuid.UUID,
    "bytes": _bytes_of,
    "void": _nothing,
}
_JSON = {"json", *_WITH_REGISTRY}
