"""Serde for lists, with an inner serde for the entries."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from millstream.core.errors import (
    ClassCastException,
    ConfigException,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
    NullPointerException,
    SerializationException,
)
from millstream.core.loading import load_object
from millstream.core.serdes.base import (
    Deserializer,
    Serde,
    Serializer,
    close_inner,
    configure_part,
    deserializer_call,
    headers_and_data,
    inner_heeds_headers,
    inner_needs_headers,
    serializer_call,
    wrong_type,
)
from millstream.core.serdes.checks import checked_serde, loaded_serde
from millstream.core.serdes.halves import WrapperSerde, checked_half
from millstream.core.serdes.numbers import (
    DoubleDeserializer,
    DoubleSerializer,
    FloatDeserializer,
    FloatSerializer,
    IntegerDeserializer,
    IntegerSerializer,
    LongDeserializer,
    LongSerializer,
    ShortDeserializer,
    ShortSerializer,
)
from millstream.core.serdes.text import UUIDDeserializer, UUIDSerializer
from millstream.core.wording import a_kind

CONSTANT_SIZE, VARIABLE_SIZE = 0, 1
NULL_ENTRY = -1
INT = struct.Struct(">i")

FIXED_SERIALIZERS = (
    ShortSerializer,
    IntegerSerializer,
    FloatSerializer,
    LongSerializer,
    DoubleSerializer,
    UUIDSerializer,
)
FIXED_SIZES: dict[type, int] = {
    ShortDeserializer: 2,
    IntegerDeserializer: 4,
    FloatDeserializer: 4,
    LongDeserializer: 8,
    DoubleDeserializer: 8,
    UUIDDeserializer: 36,
}


class ListSerializer(Serializer[Sequence[Any]]):
    """Lists: a byte for entries of one size or several, the indices of nulls, the entries.

    Source: ``org.apache.kafka.common.serialization.ListSerializer``.
    """

    def __init__(self, inner: Serializer[Any] | None = None) -> None:
        self._inner = checked_half(inner, "serialize")

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the inner serde from ``default.list.key|value.serde.inner``.

        Raises:
            ConfigException: The inner serde is missing, or was also given to the constructor.
        """
        key = f"default.list.{'key' if isKey else 'value'}.serde.inner"
        if self._inner is not None:
            _refuse_second(configs, key, "serializer")
            configure_part(self._inner, configs, isKey)
            return
        if configs.get(key) is None:
            raise ConfigException(
                "Not able to determine the serializer class because it was neither passed via the "
                "constructor nor set in the config.",
                hint=f"Set {key}.",
            )
        inner: Serde[Any] = loaded_serde(configs[key], key)
        configure_part(inner, configs, isKey)
        self._inner = checked_half(inner.serializer(), "serialize")

    def serialize(self, topic: str, /, *arguments: Any) -> bytes | None:
        """Write ``(topic, data)`` or ``(topic, headers, data)``."""
        headers, data = headers_and_data(arguments)
        if data is None:
            return None
        if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
            raise wrong_type(self, topic, data, "lists")
        if self._inner is None:
            raise _no_inner(self)
        entries = list(data)
        call = serializer_call(self._inner)
        blobs = [None if entry is None else call(topic, headers, entry) for entry in entries]
        # Not their subclasses, as in Java: those may write anything.
        if type(self._inner) in FIXED_SERIALIZERS:
            nulls = [index for index, blob in enumerate(blobs) if blob is None]
            head = struct.pack(
                f">b{len(nulls) + 2}i", CONSTANT_SIZE, len(nulls), *nulls, len(entries)
            )
            return head + b"".join(blob for blob in blobs if blob is not None)
        parts = [struct.pack(">bi", VARIABLE_SIZE, len(entries))]
        for blob in blobs:
            if blob is None:
                parts.append(INT.pack(NULL_ENTRY))
            else:
                parts += (INT.pack(len(blob)), blob)
        return b"".join(parts)

    needs_headers = inner_needs_headers
    close = close_inner


class ListDeserializer(Deserializer[Any]):
    """Lists; the class or callable ``listClass`` converts a Python list.

    Source: ``org.apache.kafka.common.serialization.ListDeserializer``.
    """

    def __init__(
        self,
        listClass: Callable[[list[Any]], Any] | None = None,
        inner: Deserializer[Any] | None = None,
    ) -> None:
        if listClass is not None and not callable(listClass):
            raise ClassCastException(
                f"listClass cannot be {a_kind(listClass)}",
                hint="Give a class or a callable that takes a list, such as tuple.",
            )
        self._list_class = listClass
        self._inner = checked_half(inner, "deserialize")

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take list class and inner serde from ``default.list.key|value.serde.type`` and ``inner``.

        Raises:
            ConfigException: One is missing, or was also given to the constructor.
        """
        role = "key" if isKey else "value"
        type_key, inner_key = f"default.list.{role}.serde.type", f"default.list.{role}.serde.inner"
        if self._list_class is not None or self._inner is not None:
            _refuse_second(configs, type_key, "deserializer")
            _refuse_second(configs, inner_key, "deserializer")
            if self._inner is not None:
                configure_part(self._inner, configs, isKey)
            return
        for what, key in (("list", type_key), ("inner serde", inner_key)):
            if configs.get(key) is None:
                raise ConfigException(
                    f"Not able to determine the {what} class because it was neither passed via "
                    "the constructor nor set in the config.",
                    hint=f"Set {key}.",
                )
        self._list_class = load_object(configs[type_key], type_key)
        inner: Serde[Any] = loaded_serde(configs[inner_key], inner_key)
        configure_part(inner, configs, isKey)
        self._inner = checked_half(inner.deserializer(), "deserialize")

    def deserialize(self, topic: str, /, *arguments: Any) -> Any:
        """Read ``(topic, data)`` or ``(topic, headers, data)``."""
        headers, data = headers_and_data(arguments)
        if data is None:
            return None
        if self._inner is None:
            raise _no_inner(self)
        try:
            blobs = _split(data, FIXED_SIZES.get(type(self._inner)))
        except struct.error as error:
            raise KafkaException("Unable to deserialize into a List") from error
        call = deserializer_call(self._inner)
        entries = [None if blob is None else call(topic, headers, blob) for blob in blobs]
        make = self._list_class
        return entries if make is None or make is list else make(entries)

    needs_headers = inner_needs_headers
    heeds_headers = inner_heeds_headers
    close = close_inner


class ListSerde(WrapperSerde[Any]):
    """Lists, with an inner serde for the entries.

    Args:
        listClass: Class or callable that converts a list: ``list``, ``tuple``, ``deque``, ...
        serde: The serde of the entries. Without both, the configuration has them.
    """

    def __init__(
        self,
        listClass: Callable[[list[Any]], Any] | None = None,
        serde: Serde[Any] | None = None,
    ) -> None:
        checked_serde(serde, "serde")
        if serde is None and listClass is not None:
            raise NullPointerException(
                "serde cannot be null", hint="Give the serde of the entries."
            )
        if listClass is None and serde is not None:
            raise IllegalArgumentException(
                'ListDeserializer requires both "listClass" and "innerDeserializer" parameters to '
                "be provided during initialization",
                hint="Write ListSerde(list, serde).",
            )
        super().__init__(
            ListSerializer(None if serde is None else serde.serializer()),
            ListDeserializer(listClass, None if serde is None else serde.deserializer()),
        )


def _split(data: bytes, fixed_size: int | None) -> list[bytes | None]:
    (strategy,) = struct.unpack_from(">b", data)
    if strategy not in (CONSTANT_SIZE, VARIABLE_SIZE):
        raise SerializationException("Invalid serialization strategy flag value")
    at = 1
    nulls: frozenset[int] = frozenset()
    if strategy == CONSTANT_SIZE:
        (count,) = INT.unpack_from(data, at)
        _check_count(count, "null list entries")
        if count > len(data) // INT.size:
            raise SerializationException(
                "Corrupted byte[]. The number of null list entries cannot be larger than overall "
                "number of elements.",
                detail=f"It is {count}, and there are {len(data)} bytes.",
            )
        nulls = frozenset(struct.unpack_from(f">{count}i", data, at + 4))
        at += 4 + 4 * len(nulls)
        if fixed_size is None:
            raise SerializationException(
                "Invalid serialization strategy flag value",
                detail="The bytes are of entries with one size, and the inner serde has none.",
            )
    (size,) = INT.unpack_from(data, at)
    _check_count(size, "list entries")
    at += 4
    blobs: list[bytes | None] = []
    for index in range(size):
        if strategy == VARIABLE_SIZE:
            (length,) = INT.unpack_from(data, at)
            at += 4
        else:
            length = NULL_ENTRY if index in nulls else fixed_size or 0
        if length == NULL_ENTRY:
            blobs.append(None)
            continue
        if length < 0:
            raise SerializationException(
                "Corrupted byte[]. A list entry cannot have negative size."
            )
        if at + length > len(data):
            raise SerializationException("End of the stream was reached prematurely")
        blobs.append(data[at : at + length])
        at += length
    return blobs


def _check_count(count: int, what: str) -> None:
    if count < 0:
        raise SerializationException(f"Corrupted byte[]. The number of {what} cannot be negative.")


def _refuse_second(configs: Mapping[str, Any], key: str, role: str) -> None:
    if configs.get(key) is not None:
        raise ConfigException(
            f"List {role} was already initialized using a non-default constructor",
            hint=f"Remove {key}, or use ListSerde without arguments.",
        )


def _no_inner(half: object) -> IllegalStateException:
    return IllegalStateException(
        f"{type(half).__name__} has no inner serde",
        hint="Pass one to ListSerde, or configure it.",
    )
