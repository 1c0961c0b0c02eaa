"""Serdes for text and UUIDs."""

from __future__ import annotations

import codecs
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from millstream.core.errors import SerializationException
from millstream.core.serdes.base import Deserializer, Serializer, plain_bytes, wrong_type
from millstream.core.serdes.halves import StockSerde

UTF_8 = "utf-8"
SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
HEX_PARTS = re.compile(r"([0-9a-fA-F]+)-" * 4 + r"([0-9a-fA-F]+)")
UUID_PART_BITS = (32, 16, 16, 16, 48)


class _WithEncoding:
    def __init__(self) -> None:
        self._encoding = UTF_8

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the encoding from ``[key.|value.]serializer.encoding`` or ``deserializer.encoding``.

        Raises:
            SerializationException: Python has no encoding of that name.
        """
        role = "serializer" if isinstance(self, Serializer) else "deserializer"
        self._encoding = _configured_encoding(configs, isKey, role)

    def is_utf_8(self) -> bool:
        """Tell whether all text is written as it is, and ASCII text as ASCII."""
        return self._encoding == UTF_8


class StringSerializer(_WithEncoding, Serializer[str]):
    """Text as UTF-8, or as ``[key.|value.]serializer.encoding`` says.

    A character that the encoding does not have becomes a question mark, as in Java.
    """

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        if type(data) is str and self._encoding == UTF_8:
            try:
                return data.encode()
            except UnicodeEncodeError:
                return _replaced(data, UTF_8)
        if data is None:
            return None
        if not isinstance(data, str):
            raise wrong_type(self, topic, data, "text")
        return _encode(data, self._encoding)

    def serialize_column(self, topic: str, values: Sequence[str | None]) -> list[bytes | None]:
        if self._encoding == UTF_8:
            try:
                # str.encode of the class: another type with an encode() is refused.
                encode = str.encode
                return [None if value is None else encode(value) for value in values]
            except (TypeError, UnicodeEncodeError):
                pass
        return [self.serialize(topic, value) for value in values]


class StringDeserializer(_WithEncoding, Deserializer[str]):
    """Text from UTF-8, or as ``[key.|value.]deserializer.encoding`` says.

    Malformed bytes become U+FFFD; no bytes are refused.
    """

    def deserialize(self, topic: str, data: bytes | None) -> str | None:
        if data is not None and type(data) is not bytes:
            data = plain_bytes(self, data)
        return None if data is None else _decode(data, self._encoding)

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[str | None]:
        if self._encoding == UTF_8:
            try:
                return [None if value is None else value.decode() for value in values]
            except UnicodeDecodeError:
                pass
        return [self.deserialize(topic, value) for value in values]


class UUIDSerializer(_WithEncoding, Serializer[uuid.UUID]):
    """UUIDs as the 36 characters of their text."""

    def serialize(self, topic: str, data: uuid.UUID | None) -> bytes | None:
        if data is None:
            return None
        if not isinstance(data, uuid.UUID):
            raise wrong_type(self, topic, data, "UUIDs")
        return _encode(str(data), self._encoding)


class UUIDDeserializer(_WithEncoding, Deserializer[uuid.UUID]):
    """UUIDs from their text; short groups are padded and long ones cut, as in Java."""

    def deserialize(self, topic: str, data: bytes | None) -> uuid.UUID | None:
        if data is None:
            return None
        text = _decode(plain_bytes(self, data), self._encoding)
        parts = HEX_PARTS.fullmatch(text) if len(text) <= 36 else None
        if parts is None:
            raise SerializationException(
                "Error parsing data into UUID", detail=f"It has {len(data)} bytes."
            )
        number = 0
        for part, bits in zip(parts.groups(), UUID_PART_BITS, strict=True):
            number = number << bits | int(part, 16) & (1 << bits) - 1
        return uuid.UUID(int=number)


class StringSerde(StockSerde[str]):
    """Text as UTF-8."""

    plain_type = str
    _halves = (StringSerializer, StringDeserializer)


class UUIDSerde(StockSerde[uuid.UUID]):
    """UUIDs as text."""

    plain_type = uuid.UUID
    _halves = (UUIDSerializer, UUIDDeserializer)


def plain_type_of(serde: Any) -> type | None:
    """Return the type whose objects are the same when this serde has written and read them."""
    # A subclass of a serde need not do what it says of itself.
    plain: type | None = vars(type(serde)).get("plain_type")
    if plain is str and type(serde) is StringSerde:
        # Another encoding need not have all characters, or be the one that reads.
        halves: list[Any] = [serde.serializer(), serde.deserializer()]
        return str if all(half.is_utf_8() for half in halves) else None
    return plain


def _configured_encoding(configs: Mapping[str, Any], is_key: bool, role: str) -> str:
    name = configs.get(f"{'key' if is_key else 'value'}.{role}.encoding")
    if name is None:
        name = configs.get(f"{role}.encoding")
    if not isinstance(name, str):
        return UTF_8
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise SerializationException(f"Unsupported encoding {name}") from error


def _encode(text: str, encoding: str) -> bytes:
    if encoding == "utf-16":  # Java's is big endian on every machine
        return codecs.BOM_UTF16_BE + _replaced(text, "utf-16-be")
    return _replaced(text, encoding)


def _replaced(text: str, encoding: str) -> bytes:
    """Return text with question marks for what the encoding does not have.

    Java's text is UTF-16, where two surrogates are one character; in Python's they may be two.
    """
    utf_16 = text.encode("utf-16-be", "surrogatepass")
    return utf_16.decode("utf-16-be", "surrogatepass").encode(encoding, "replace")


def _decode(data: bytes, encoding: str) -> str:
    if encoding != UTF_8:
        return bytes(data).decode(encoding, "replace")
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        # For Java an encoded surrogate is one malformed sequence, for Python three.
        return SURROGATE.sub(b"\xff", bytes(data)).decode(UTF_8, "replace")
