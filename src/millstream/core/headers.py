"""Record headers, as Kafka's ``Headers``: an ordered list whose names may repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, overload

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    IllegalStateException,
    NullPointerException,
)
from millstream.core.java_text import java_bytes, java_text
from millstream.core.wording import a_kind


@dataclass(frozen=True, slots=True)
class Header:
    """One name and its bytes; ``None`` is Kafka's null value.

    Raises:
        NullPointerException: The name is None.
    """

    _key: str
    _value: bytes | None

    def __post_init__(self) -> None:
        if self._key is None:
            raise NullPointerException("Null header keys are not permitted")

    def key(self) -> str:
        """Return the name."""
        return self._key

    def value(self) -> bytes | None:
        """Return the bytes."""
        return self._value

    def __str__(self) -> str:
        return f"RecordHeader(key = {self._key}, value = {java_bytes(self._value)})"


class HeaderRows(Protocol):
    """Headers of many records as columns, of which little may ever be asked."""

    def size(self, row: int) -> int:
        """Return how many headers a record has."""

    def items(self, row: int) -> list[Header]:
        """Return a record's headers."""

    def last(self, row: int, key: str) -> Header | None:
        """Return a record's newest header of this name; None if there is none."""


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


def _refuse_none() -> NoReturn:
    raise IllegalArgumentException("key cannot be null.")


def _checked(headers: Any) -> list[Header]:
    items = list(headers)
    for place, item in enumerate(items):
        if type(item) is not Header or type(item._value) is not bytes:
            if item is None:
                raise NullPointerException("Header cannot be null.")
            if not isinstance(item, Header):
                raise ClassCastException(
                    f"{a_kind(item)} is no header", hint="Write Header(name, value)."
                )
            if item._value is not None:
                items[place] = Header(item._key, _bytes(item._key, item._value))
    return items


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

    __slots__ = ("_items", "_row", "_rows")

    def __init__(self, headers: Iterable[Header] | None = None) -> None:
        self._items: list[Header] | tuple[()] = [] if headers is None else _checked(headers)
        self._rows: HeaderRows | None = None
        """Columns that have the headers before those in ``_items``, in the row ``_row``."""
        self._row = 0

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
        header = key if isinstance(key, Header) else new_header(key, value)
        if type(header._value) is not bytes and header._value is not None:
            header = Header(header._key, _bytes(header._key, header._value))
        if not isinstance(header._key, str):
            raise ClassCastException(
                f"the name of a header cannot be {a_kind(header._key)}", hint="Give a text."
            )
        items = self._items
        if type(items) is list:
            items.append(header)
        else:
            self._items = [header]
        return self

    def remove(self, key: str) -> Headers:
        """Remove every header named ``key`` and return this object.

        Raises:
            IllegalArgumentException: The name is None.
        """
        if key is None:
            _refuse_none()
        items = self._own()
        items[:] = [header for header in items if header.key() != key]
        return self

    # As in Java, a type checker does not ask whether it is None.
    def lastHeader(self, key: str) -> Header | Any:
        """Return the newest header named ``key``; None if there is none.

        Raises:
            IllegalArgumentException: The name is None.
        """
        if key is None:
            _refuse_none()
        for header in reversed(self._items):
            if header._key == key:
                return header
        return None if self._rows is None else self._rows.last(self._row, key)

    def headers(self, key: str) -> list[Header]:
        """Return every header named ``key``, oldest first.

        Raises:
            IllegalArgumentException: The name is None.
        """
        if key is None:
            _refuse_none()
        return [header for header in self._own() if header.key() == key]

    def toArray(self) -> list[Header]:
        """Return all headers in order, as a new list."""
        return list(self._own())

    def setReadOnly(self) -> None:
        """Refuse ``add`` and ``remove`` from now on; a copy takes them.

        Source: ``org.apache.kafka.common.header.internals.RecordHeaders``.
        """
        # Not a field that each add() would have to read.
        read_only: Any = _ReadOnlyHeaders
        self.__class__ = read_only

    def isReadOnly(self) -> bool:
        """Return whether ``setReadOnly`` was called."""
        return False

    def copy(self) -> Headers:
        """Return an independent copy, which is not read-only."""
        made = _new(Headers)
        made._items = self._items[:]
        made._rows = self._rows
        made._row = self._row
        return made

    def _own(self) -> list[Header]:
        """Return the list of all headers; from now on nothing is read from columns."""
        if self._rows is not None:
            self._items = [*self._rows.items(self._row), *self._items]
            self._rows = None
        return self._items  # type: ignore[return-value]  # only a row's may be a tuple

    def __iter__(self) -> Iterator[Header]:
        return iter(self._own())

    def __len__(self) -> int:
        return len(self._items) + (0 if self._rows is None else self._rows.size(self._row))

    def __bool__(self) -> bool:
        return bool(self._items) or self._rows is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self._own() == other._own()

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __str__(self) -> str:
        inside = ", ".join(map(str, self._own()))
        read_only = java_text(self.isReadOnly())
        return f"RecordHeaders(headers = [{inside}], isReadOnly = {read_only})"

    def __repr__(self) -> str:
        inside = ", ".join(f"{h.key()}={h.value()!r}" for h in self._own())
        return f"Headers({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Headers, (self._own(),)


class _ReadOnlyHeaders(Headers):
    """The class of headers whose ``setReadOnly`` was called."""

    __slots__ = ()

    def add(self, key: Any, value: Any = None) -> NoReturn:
        _refuse_change()

    def remove(self, key: str) -> NoReturn:
        _refuse_change()

    def isReadOnly(self) -> bool:
        return True


def _refuse_change() -> NoReturn:
    raise IllegalStateException(
        "RecordHeaders has been closed.",
        detail="setReadOnly() was called.",
        hint="Change a copy: headers.copy(), or Headers(headers).",
    )


_new = object.__new__
_set_key: Any = Header.__dict__["_key"].__set__
_set_value: Any = Header.__dict__["_value"].__set__


def new_header(key: str, value: bytes | None) -> Header:
    """Return a header; in half the time that its class takes, which is frozen."""
    header = _new(Header)
    _set_key(header, key)
    _set_value(header, value)
    return header


def headers_from_pairs(pairs: Iterable[tuple[str, bytes | None]]) -> Headers:
    """Return headers of names and values, as a changelog record has them.

    Example:
        >>> headers_from_pairs([("h", b"1")]).lastHeader("h").value()
        b'1'
    """
    found = Headers()
    for name, value in pairs:
        found.add(name, value)
    return found


def header_pairs(headers: Headers | None) -> tuple[tuple[str, bytes | None], ...]:
    """Return the names and values of headers; none of None."""
    return tuple((each.key(), each.value()) for each in headers or ())


def headers_of_row(rows: HeaderRows, row: int) -> Headers:
    """Return the headers of a record that are read from columns when they are asked for.

    Args:
        rows: The columns.
        row: A row that has headers.
    """
    made = _new(Headers)
    made._items = ()
    made._rows = rows
    made._row = row
    return made


def unread(headers: Headers) -> tuple[HeaderRows | None, int, Sequence[Header]]:
    """Return columns and the row whose headers come first, and the list of those that follow."""
    return headers._rows, headers._row, headers._items


def own_headers(headers: Any) -> Headers | None:
    """Return a copy of a record's headers; None if there are none.

    Raises:
        ClassCastException: They are something else.
    """
    if isinstance(headers, Headers):
        return headers.copy() if headers else None
    if headers is None:
        return None
    raise ClassCastException(
        f"headers cannot be {a_kind(headers)}",
        hint='Write Headers().add("name", b"value").',
    )
