"""Record headers, as Kafka's ``Headers``: an ordered list whose names may repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, overload

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.java_text import java_bytes
from millstream.core.wording import a_kind


@dataclass(frozen=True, slots=True)
class Header:
    """One name and its bytes; ``None`` is Kafka's null value."""

    _key: str
    _value: bytes | None

    def key(self) -> str:
        """Return the name."""
        return self._key

    def value(self) -> bytes | None:
        """Return the bytes."""
        return self._value

    def __str__(self) -> str:
        return f"RecordHeader(key = {self._key}, value = {java_bytes(self._value)})"


def _bytes(key: str, value: object) -> bytes:
    """Return a header's value as bytes.

    A text would be bytes as soon as the record is written, and a text until then.
    """
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise ClassCastException(
        f"the value of header {key!r} cannot be {a_kind(value)}",
        hint='Give bytes, such as "text".encode().',
    )


class Headers:
    """The headers of one record: ordered, mutable, names may repeat.

    A record that is forwarded to several children has one object, as in Kafka Streams: a header
    that one child adds is visible to the next children.

    Example:
        >>> headers = Headers().add("source", b"web").add("source", b"app")
        >>> headers.lastHeader("source").value()
        b'app'

    Source: ``org.apache.kafka.common.header.Headers``.
    """

    __slots__ = ("_items",)

    def __init__(self, headers: Iterable[Header] | None = None) -> None:
        self._items: list[Header] = [] if headers is None else list(headers)

    @overload
    def add(self, key: Header, value: None = None) -> Headers: ...
    @overload
    def add(self, key: str, value: bytes | None) -> Headers: ...
    def add(self, key: Header | str, value: bytes | None = None) -> Headers:
        """Append a header and return this object; a ``bytearray`` or ``memoryview`` is copied.

        Raises:
            NullPointerException: The name is None.
            ClassCastException: The name is no text, or the value is neither bytes nor None.
        """
        if key is None:
            raise NullPointerException("cannot add a header: its name is None")
        header = key if isinstance(key, Header) else Header(key, value)
        if type(header._value) is not bytes and header._value is not None:
            header = Header(header._key, _bytes(header._key, header._value))
        if not isinstance(header._key, str):
            raise ClassCastException(
                f"the name of a header cannot be {a_kind(header._key)}", hint="Give a text."
            )
        self._items.append(header)
        return self

    def remove(self, key: str) -> Headers:
        """Remove every header named ``key`` and return this object."""
        self._items[:] = [header for header in self._items if header.key() != key]
        return self

    # As in Java, a type checker does not ask whether it is None.
    def lastHeader(self, key: str) -> Header | Any:
        """Return the newest header named ``key``; None if there is none."""
        for header in reversed(self._items):
            if header.key() == key:
                return header
        return None

    def headers(self, key: str) -> list[Header]:
        """Return every header named ``key``, oldest first."""
        return [header for header in self._items if header.key() == key]

    def toArray(self) -> list[Header]:
        """Return all headers in order, as a new list."""
        return list(self._items)

    def copy(self) -> Headers:
        """Return an independent copy."""
        return Headers(self._items)

    def __iter__(self) -> Iterator[Header]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self._items == other._items

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __str__(self) -> str:
        inside = ", ".join(map(str, self._items))
        return f"RecordHeaders(headers = [{inside}], isReadOnly = false)"

    def __repr__(self) -> str:
        inside = ", ".join(f"{h.key()}={h.value()!r}" for h in self._items)
        return f"Headers({inside})"
