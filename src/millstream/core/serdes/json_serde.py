"""JSON serde."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Callable, Sequence
from typing import Any

from millstream.core.errors import ClassCastException, SerializationException
from millstream.core.serdes.base import Deserializer, Serializer
from millstream.core.serdes.halves import WrapperSerde
from millstream.core.wording import a_kind


class JsonSerializer(Serializer[Any]):
    """Objects as compact UTF-8 JSON, keys in the order of insertion.

    Args:
        default: Called for an object that JSON does not support; returns one that it supports
            (``dataclasses.asdict``, for instance).
    """

    def __init__(self, default: Callable[[Any], Any] | None = None) -> None:
        self._default = default
        self._encode = _encoder(default)

    def serialize(self, topic: str, data: Any) -> bytes | None:
        if data is None:
            return None
        try:
            return self._encode(data).encode()
        except TypeError as error:
            raise ClassCastException(
                f"{type(self).__name__} cannot serialize {a_kind(data)}",
                detail=f'{error}; the topic is "{topic}".',
                hint="Give JsonSerializer a default that turns such objects into plain ones.",
            ) from error
        except (ValueError, RecursionError) as error:
            raise SerializationException(
                f"{type(self).__name__} cannot serialize {a_kind(data)}",
                detail=f'{error}; the topic is "{topic}".',
            ) from error

    def serialize_column(self, topic: str, values: Sequence[Any]) -> list[bytes | None]:
        encode = self._encode
        try:
            return [None if value is None else encode(value).encode() for value in values]
        except (TypeError, ValueError, RecursionError):
            return [self.serialize(topic, value) for value in values]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._default,)


class JsonDeserializer(Deserializer[Any]):
    """Objects from UTF-8 JSON.

    Args:
        convert: Called with the decoded JSON; returns the topology's object
            (``lambda fields: Order(**fields)``, for instance).
    """

    def __init__(self, convert: Callable[[Any], Any] | None = None) -> None:
        self._convert = convert
        decoder = json.JSONDecoder()
        self._decode = decoder.decode
        # Part of decode(), without the search for white space around the document.
        self._scan = decoder.scan_once  # type: ignore[attr-defined]  # not in typeshed

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is None:
            return None
        try:
            found = self._decode(bytes(data).decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise SerializationException(
                f"{type(self).__name__} received bytes that are not JSON",
                detail=f'{error}; the topic is "{topic}".',
            ) from error
        return found if self._convert is None else self._convert(found)

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        if self._convert is not None:
            return [self.deserialize(topic, value) for value in values]
        scan = self._scan
        found: list[Any] = []
        for value in values:
            if value is None:
                found.append(None)
                continue
            try:
                text = value.decode()
                item, end = scan(text, 0)
            except (ValueError, RecursionError, StopIteration):
                found.append(self.deserialize(topic, value))
                continue
            found.append(item if end == len(text) else self.deserialize(topic, value))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._convert,)


class JsonSerde(WrapperSerde[Any]):
    """Compact UTF-8 JSON.

    Example:
        >>> JsonSerde().serializer().serialize("orders", {"id": 7})
        b'{"id":7}'
    """

    def __init__(
        self,
        default: Callable[[Any], Any] | None = None,
        convert: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(JsonSerializer(default), JsonDeserializer(convert))


def _encoder(default: Callable[[Any], Any] | None) -> Callable[[Any], str]:
    encoder = json.JSONEncoder(
        separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=default
    )
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    # JSONEncoder.encode creates an encoder at each call, which is slower than most documents.
    quote = json.encoder.encode_basestring
    parts = make(None, encoder.default, quote, None, ":", ",", False, False, False)
    return lambda data: "".join(parts(data, 0))
