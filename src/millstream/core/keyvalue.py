"""``KeyValue``: a key and a value, returned by mappers and by iterators of stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from millstream.core.java_text import java_text

K = TypeVar("K")
V = TypeVar("V")
# A static method's own: the class's are unknown to a type checker there.
K_ = TypeVar("K_")
V_ = TypeVar("V_")


class KeyValue(Generic[K, V]):
    """A key and a value; unpacks like a pair.

    Example:
        >>> key, value = KeyValue.pair("clicks", 3)
        >>> KeyValue("clicks", 3) == KeyValue.pair(key, value)
        True

    Source: ``org.apache.kafka.streams.KeyValue``.
    """

    __slots__ = ("key", "value")

    key: K
    value: V

    def __init__(self, key: K, value: V) -> None:
        self.key = key
        self.value = value

    @staticmethod
    def pair(key: K_, value: V_) -> KeyValue[K_, V_]:
        """Return a new pair."""
        return KeyValue(key, value)

    def __iter__(self) -> Iterator[Any]:
        yield self.key
        yield self.value

    def __getitem__(self, index: int) -> Any:
        return (self.key, self.value)[index]

    def __len__(self) -> int:
        return 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyValue) and self.key == other.key and self.value == other.value

    def __hash__(self) -> int:
        return hash((self.key, self.value))

    def __str__(self) -> str:
        return f"KeyValue({java_text(self.key)}, {java_text(self.value)})"

    def __repr__(self) -> str:
        return f"KeyValue({self.key!r}, {self.value!r})"
