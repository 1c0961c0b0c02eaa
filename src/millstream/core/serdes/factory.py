"""``Serdes``: the stock serdes under Kafka's names."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, overload

from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.serdes import lists, numbers, raw, text
from millstream.core.serdes.base import Deserializer, Serde, Serializer
from millstream.core.serdes.halves import WrapperSerde
from millstream.core.serdes.json_serde import JsonSerde


class Serdes:
    """Makes the stock serdes.

    Example:
        >>> Serdes.Long().serializer().serialize("counts", 258)
        b'\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x02'

    Source: ``org.apache.kafka.common.serialization.Serdes``.
    """

    WrapperSerde = WrapperSerde
    StringSerde = text.StringSerde
    LongSerde = numbers.LongSerde
    IntegerSerde = numbers.IntegerSerde
    ShortSerde = numbers.ShortSerde
    FloatSerde = numbers.FloatSerde
    DoubleSerde = numbers.DoubleSerde
    BooleanSerde = numbers.BooleanSerde
    BytesSerde = raw.BytesSerde
    ByteArraySerde = raw.ByteArraySerde
    ByteBufferSerde = raw.ByteBufferSerde
    UUIDSerde = text.UUIDSerde
    VoidSerde = raw.VoidSerde
    ListSerde = lists.ListSerde
    JsonSerde = JsonSerde

    String = text.StringSerde
    Long = numbers.LongSerde
    Integer = numbers.IntegerSerde
    Short = numbers.ShortSerde
    Float = numbers.FloatSerde
    Double = numbers.DoubleSerde
    Boolean = numbers.BooleanSerde
    Bytes = raw.BytesSerde
    ByteArray = raw.ByteArraySerde
    ByteBuffer = raw.ByteBufferSerde
    UUID = text.UUIDSerde
    Void = raw.VoidSerde

    @overload
    @staticmethod
    def serdeFrom(type: type) -> Serde[Any]: ...
    @overload
    @staticmethod
    def serdeFrom(
        serializer: Serializer[Any] | Callable[..., Any],
        deserializer: Deserializer[Any] | Callable[..., Any],
    ) -> Serde[Any]: ...
    @staticmethod
    def serdeFrom(*arguments: Any, **keywords: Any) -> Serde[Any]:
        """Return the serde of a Python type, or one made of a serializer and a deserializer.

        ``int`` gives Long and ``float`` gives Double, the widest of their kind: where Java has
        ``Integer.class``, write ``Serdes.Integer()``. Parts may be functions of topic and data.

        Raises:
            IllegalArgumentException: No stock serde is for that type, or a half is None.
            ClassCastException: A half is something else, such as a serde.
        """
        if len(arguments) + len(keywords) == 1:
            return _by_type(keywords["type"] if keywords else arguments[0])
        halves = dict(zip(("serializer", "deserializer"), arguments, strict=False), **keywords)
        for name in ("serializer", "deserializer"):
            if halves.get(name) is None:
                raise IllegalArgumentException(f"{name} must not be null")
        return WrapperSerde(halves["serializer"], halves["deserializer"])


# bool is before int, because it is a subclass of it.
BY_TYPE: tuple[tuple[type, Callable[[], Serde[Any]]], ...] = (
    (str, text.StringSerde),
    (bool, numbers.BooleanSerde),
    (int, numbers.LongSerde),
    (float, numbers.DoubleSerde),
    (bytes, raw.ByteArraySerde),
    (bytearray, raw.ByteArraySerde),
    (memoryview, raw.ByteBufferSerde),
    (uuid.UUID, text.UUIDSerde),
    (type(None), raw.VoidSerde),
)


def _by_type(wanted: Any) -> Serde[Any]:
    if isinstance(wanted, type):
        for known, make in BY_TYPE:
            if issubclass(wanted, known):
                return make()
    if wanted is None:
        raise NullPointerException("type can't be null")
    hint = "Pass a serializer and a deserializer, or use JsonSerde.of(cls) or AvroSerde.of(cls)."
    if isinstance(wanted, Serde):
        hint = "It is a serde already: use it as it is."
    elif isinstance(wanted, type) and issubclass(wanted, Serde):
        hint = f"It is the class of a serde: use {wanted.__name__}()."
    raise IllegalArgumentException(
        "Unknown class for built-in serializer. Supported types are: String, Short, Integer, Long, "
        "Float, Double, ByteArray, ByteBuffer, Bytes, UUID, Boolean",
        detail=f"It is {getattr(wanted, '__qualname__', wanted)}; Python's are: "
        "str, int (Long), float (Double), bool, bytes, bytearray, memoryview, UUID, NoneType.",
        hint=hint,
    )
