"""``StateSerdes``: a topic and the serdes of its keys and values."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from millstream.core.arguments import text
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.headers import Headers
from millstream.core.readable import Readable
from millstream.core.serdes import (
    Deserializer,
    Serde,
    Serdes,
    Serializer,
    deserializer_call,
    serializer_call,
)
from millstream.core.serdes.checks import checked_serde, halves_of, incompatible

K = TypeVar("K")
V = TypeVar("V")


class StateSerdes(Readable, Generic[K, V]):
    """Turns a store's keys and values into bytes and back, for stores of your own.

    Args:
        topic: The topic that serializers receive, as a rule the store's changelog.
        keySerde: The keys' serde.
        valueSerde: The values' serde.

    Raises:
        NullPointerException: One of them is None.

    Example:
        >>> counts = StateSerdes.withBuiltinTypes("app-counts-changelog", str, int)
        >>> counts.valueFrom(counts.rawValue(5))
        5

    Source: ``state.StateSerdes``.
    """

    _shown = ("_topic", "_key_serde", "_value_serde")

    TIMESTAMP_SIZE: ClassVar[int] = 8
    BOOLEAN_SIZE: ClassVar[int] = 1

    def __init__(self, topic: str, keySerde: Serde[K], valueSerde: Serde[V]) -> None:
        for name, given in (("topic", topic), ("key serde", keySerde), ("value serde", valueSerde)):
            if given is None:
                raise NullPointerException(f"{name} cannot be null")
        self._topic = text(topic, "topic")
        self._key_serde: Serde[K] = checked_serde(keySerde, "keySerde")
        self._value_serde: Serde[V] = checked_serde(valueSerde, "valueSerde")
        keys, values = (f'the {each} serde of StateSerdes("{topic}")' for each in ("key", "value"))
        self._key_serializer, self._key_deserializer = halves_of(keySerde, keys)
        self._value_serializer, self._value_deserializer = halves_of(valueSerde, values)

    @staticmethod
    def withBuiltinTypes(topic: str, keyClass: type, valueClass: type) -> StateSerdes[Any, Any]:
        """Return the serdes for two of the types that ``Serdes.serdeFrom`` knows.

        Raises:
            IllegalArgumentException: It does not know one of them.
        """
        return StateSerdes(topic, Serdes.serdeFrom(keyClass), Serdes.serdeFrom(valueClass))

    def topic(self) -> str:
        """Return the topic."""
        return self._topic

    def keySerde(self) -> Serde[K]:
        """Return the keys' serde."""
        return self._key_serde

    def valueSerde(self) -> Serde[V]:
        """Return the values' serde."""
        return self._value_serde

    def keySerializer(self) -> Serializer[K]:
        """Return the keys' serializer."""
        return self._key_serializer

    def valueSerializer(self) -> Serializer[V]:
        """Return the values' serializer."""
        return self._value_serializer

    def keyDeserializer(self) -> Deserializer[K]:
        """Return the keys' deserializer."""
        return self._key_deserializer

    def valueDeserializer(self) -> Deserializer[V]:
        """Return the values' deserializer."""
        return self._value_deserializer

    def rawKey(self, key: K, headers: Headers | None = None) -> bytes | None:
        """Return a key's bytes.

        Raises:
            StreamsException: The key is not of the serde's type.
        """
        serializer = self._key_serializer
        try:
            return serializer_call(serializer)(self._topic, headers, key)
        except ClassCastException as error:
            raise incompatible(serializer, "key", key, error) from error

    def rawValue(self, value: V, headers: Headers | None = None) -> bytes | None:
        """Return a value's bytes.

        Raises:
            StreamsException: The value is not of the serde's type.
        """
        serializer = self._value_serializer
        try:
            return serializer_call(serializer)(self._topic, headers, value)
        except ClassCastException as error:
            raise incompatible(serializer, "value", value, error) from error

    def keyFrom(self, rawKey: bytes | None, headers: Headers | None = None) -> K:
        """Return the key that has these bytes."""
        key: K = deserializer_call(self._key_deserializer)(self._topic, headers, rawKey)
        return key

    def valueFrom(self, rawValue: bytes | None, headers: Headers | None = None) -> V:
        """Return the value that has these bytes."""
        value: V = deserializer_call(self._value_deserializer)(self._topic, headers, rawValue)
        return value
