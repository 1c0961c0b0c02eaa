"""Codecs of a store's keys and cells, in Kafka's formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from types import NoneType
from typing import Any, ClassVar, Generic, TypeVar

from millstream.core.errors import ClassCastException, NullPointerException, StreamsException
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.core.serdes import (
    Serde,
    StringSerializer,
    deserializer_call,
    plain_type_of,
    serializer_call,
)
from millstream.core.serdes.base import (
    SerializerCall,
    deserialize_column,
    is_stock,
    needs_headers,
    serialize_column,
)
from millstream.core.serdes.checks import halves_of, incompatible, no_serde
from millstream.core.state import DslStoreFormat, ValueAndTimestamp
from millstream.stores.value_forms import log_plain, log_timestamped

T = TypeVar("T")

SIZED_BY_TYPE = (int, float, bool)
READ_FROM_ANY = (str, bytes)
"""Types whose own serdes refuse no bytes."""
KEPT_AS_OBJECTS = (*SIZED_BY_TYPE, *READ_FROM_ANY)


class BoundSerde(Generic[T]):
    """One serde, bound to the topic whose records the bytes would be.

    ``headers`` returns those of the current record, for a serde that reads or changes headers;
    ``where`` and ``role`` say in an error what it is the serde of.

    Raises:
        ClassCastException: One of its halves is no serializer or deserializer.
    """

    def __init__(
        self,
        serde: Serde[T],
        topic: str,
        headers: Callable[[], Headers] = Headers,
        where: str = "that of a store",
        role: str = "value",
    ) -> None:
        self.role = role
        self.topic = topic
        self._serializer, self._deserializer = halves_of(serde, where)
        self._serialize = serializer_call(self._serializer)
        self._deserialize = deserializer_call(self._deserializer)
        self.writes_headers = needs_headers(self._serializer)
        self.reads_headers = needs_headers(self._deserializer)
        if self.writes_headers:
            write = self._serialize
            # Headers may be given and be empty.
            self._serialize = lambda topic, given, value: write(
                topic, headers() if given is None else given, value
            )
        if self.reads_headers:
            read = self._deserialize
            self._deserialize = lambda topic, given, data: read(
                topic, headers() if given is None else given, data
            )
        plain = plain_type_of(serde)
        self.plain_type: type | None = plain if plain in KEPT_AS_OBJECTS else None
        """Objects of exactly this type may be kept instead of their bytes."""
        self.width: int | None = None
        """How many bytes every object of the plain type takes; None if that differs."""
        self.limits: tuple[int, int] | None = None
        """The least and the largest number of the plain type that can be written."""
        if role == "key" and not is_stock(self._serializer):
            self._serialize = partial(self._key_to_bytes, self._serialize)
        if not is_stock(self._serializer):
            self.column_to_bytes = self._present_to_bytes  # type: ignore[method-assign]
        if not is_stock(self._deserializer):
            self.column_from_bytes = self._present_from_bytes  # type: ignore[method-assign]
        if type(self._serializer) is StringSerializer and self._serializer.is_utf_8():
            self.to_bytes = self._text_to_bytes  # type: ignore[method-assign]
        if self.plain_type in SIZED_BY_TYPE:
            sample: Any = self.plain_type()
            self.width = len(self.to_bytes(sample) or b"")
        if self.plain_type is int and self.width:
            half = 1 << 8 * self.width - 1
            self.limits = -half, half - 1

    def to_bytes(self, value: T) -> bytes | None:
        """Return the bytes of an object.

        Raises:
            StreamsException: It is of another type than the serializer writes.
        """
        try:
            return self._serialize(self.topic, None, value)
        except ClassCastException as error:
            raise incompatible(self._serializer, self.role, value, error) from error

    def from_bytes(self, data: bytes) -> T:
        """Return the object of some bytes."""
        return self._deserialize(self.topic, None, data)  # type: ignore[no-any-return]

    def _text_to_bytes(self, value: T) -> bytes | None:
        # Most keys are text, and one is written for almost every record.
        given: Any = value
        if type(given) is str and given.isascii():
            return given.encode()
        return self.to_bytes_with(None, value)

    def to_bytes_with(self, headers: Headers | None, value: T) -> bytes | None:
        """Return the bytes of an object, as a serializer writes them that may change headers."""
        try:
            return self._serialize(self.topic, headers, value)
        except ClassCastException as error:
            raise incompatible(self._serializer, self.role, value, error) from error

    def from_bytes_with(self, headers: Headers | None, data: bytes) -> T:
        """Return the object of some bytes that have headers."""
        return self._deserialize(self.topic, headers, data)  # type: ignore[no-any-return]

    def column_to_bytes(self, values: Sequence[T | None]) -> list[bytes | None]:
        """Return the bytes of many objects."""
        try:
            return serialize_column(self._serializer, self.topic, values)
        except ClassCastException as error:
            raise incompatible(self._serializer, self.role, None, error) from error

    def column_from_bytes(self, data: Sequence[bytes | None]) -> list[T | None]:
        """Return the objects of many bytes."""
        return deserialize_column(self._deserializer, self.topic, data)

    # As in Kafka, a user's serde is not called for what is not there.
    def _present_to_bytes(self, values: Sequence[T | None]) -> list[bytes | None]:
        return _spread(values, self._all_to_bytes)

    def _all_to_bytes(self, present: Sequence[T]) -> list[bytes | None]:
        found = type(self).column_to_bytes(self, present)
        if self.role == "key" and None in found:
            raise self._no_bytes()
        return found

    def _key_to_bytes(
        self, write: SerializerCall, topic: str, headers: Headers | None, key: Any
    ) -> bytes | None:
        found = write(topic, headers, key)
        if found is None and key is not None:
            raise self._no_bytes()
        return found

    def _no_bytes(self) -> NullPointerException:
        name = type(self._serializer).__qualname__
        return NullPointerException(
            "key cannot be null",
            detail=f'{name} returned None for a key; the topic is "{self.topic}".',
            hint="Return bytes for every key, as a store has no entry without a key.",
        )

    def _present_from_bytes(self, data: Sequence[bytes | None]) -> list[T | None]:
        return _spread(data, partial(deserialize_column, self._deserializer, self.topic))

    def fits(self, values: Sequence[Any]) -> bool:
        """Tell whether values of the plain type, or None, surely can be written."""
        if self.limits is not None:
            least, most = self.limits
            present = [value for value in values if value is not None]
            return not present or (least <= min(present) and max(present) <= most)
        if self.plain_type is str and not "".join(filter(None, values)).isascii():
            try:
                self.column_to_bytes(values)
            except Exception:  # noqa: BLE001 - written one by one, the one that fails is told
                return False
        return True

    def takes(self, values: Sequence[Any]) -> bool:
        """Tell whether any values, or None, surely can be written."""
        if set(map(type, values)) <= {self.plain_type, NoneType}:
            return self.fits(values)
        try:
            self.column_to_bytes(values)
        except Exception:  # noqa: BLE001 - as above
            return False
        return True

    def size(self, value: Any) -> int:
        """Return how many bytes an object of the plain type takes."""
        if self.width is not None:
            return self.width
        if type(value) is str and not value.isascii():
            return len(value.encode("utf-8", "replace"))
        return len(value)


def _spread(items: Sequence[Any], convert: Callable[[list[Any]], list[Any]]) -> list[Any]:
    """Convert the items that are not None."""
    present = [item for item in items if item is not None]
    found = convert(present) if present else []
    if len(present) == len(items):
        return found
    converted = iter(found)
    return [None if item is None else next(converted) for item in items]


class Codec(ABC):
    """Conversion of cells to bytes and back, and to what the public methods return."""

    timestamped: bool
    prefix_width: int
    """Bytes before those of the value."""
    format: DslStoreFormat
    log: ClassVar[staticmethod[..., None]]
    """Logs a change in a changelog: a ``Log``."""

    def __init__(self, part: BoundSerde[Any]) -> None:
        self.part = part

    @abstractmethod
    def encode(self, value: Any, timestamp: int) -> bytes | None:
        """Return the bytes of a value and its time."""

    @abstractmethod
    def encode_column(self, values: Sequence[Any], timestamps: Sequence[int]) -> list[bytes | None]:
        """Return the bytes of many values and their times."""

    @abstractmethod
    def decode(self, data: bytes) -> Any:
        """Return the cell of some bytes."""

    @abstractmethod
    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        """Return the cells of many bytes."""

    def copied(self, value: Any, timestamp: int) -> Any:
        """Return the cell of a value and its time, as it would be read back."""
        data = self.encode(value, timestamp)
        return None if data is None else self.decode(data)

    @abstractmethod
    def cell(self, value: Any, timestamp: int) -> Any:
        """Return the cell of a value, not None, and its time."""

    @abstractmethod
    def value(self, cell: Any) -> Any:
        """Return the value of a cell, not None."""

    @abstractmethod
    def time(self, cell: Any, otherwise: int) -> int:
        """Return the time of a cell, not None; ``otherwise`` where cells have none."""

    def time_in(self, data: bytes) -> int | None:
        """Return the time in a cell's bytes; None unless they are surely those of a cell."""
        return None

    def headers_of(self, cell: Any) -> Headers:
        """Return the headers of a cell, not None; new ones where it has none."""
        return Headers()

    def passed_on(self, cell: Any, record: RecordContext) -> RecordContext:
        """Return the context that a flushed cell is passed on with, given that of its update."""
        return record

    @abstractmethod
    def show(self, cell: Any) -> Any:
        """Return a cell as the public methods do."""

    @abstractmethod
    def take(self, shown: Any) -> tuple[Any, int]:
        """Return value and time of what the public methods were given; a value of None deletes."""


class PlainCodec(Codec):
    """A cell is the value."""

    timestamped = False
    prefix_width = 0
    format = DslStoreFormat.PLAIN
    log = staticmethod(log_plain)

    def encode(self, value: Any, timestamp: int) -> bytes | None:
        return self.part.to_bytes(value)

    def encode_column(self, values: Sequence[Any], timestamps: Sequence[int]) -> list[bytes | None]:
        return self.part.column_to_bytes(values)

    def decode(self, data: bytes) -> Any:
        return self.part.from_bytes(data)

    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        return self.part.column_from_bytes(data)

    def cell(self, value: Any, timestamp: int) -> Any:
        return value

    def value(self, cell: Any) -> Any:
        return cell

    def time(self, cell: Any, otherwise: int) -> int:
        return otherwise

    def show(self, cell: Any) -> Any:
        return cell

    def take(self, shown: Any) -> tuple[Any, int]:
        return shown, 0


class TimestampedCodec(Codec):
    """A cell is ``(value, timestamp)``; in bytes the time comes first, 8 bytes big endian."""

    timestamped = True
    prefix_width = 8
    format = DslStoreFormat.TIMESTAMPED
    log = staticmethod(log_timestamped)

    def encode(self, value: Any, timestamp: int) -> bytes | None:
        data = self.part.to_bytes(value)
        return None if data is None else timestamp.to_bytes(8, "big", signed=True) + data

    def encode_column(self, values: Sequence[Any], timestamps: Sequence[int]) -> list[bytes | None]:
        return [
            None if data is None else time.to_bytes(8, "big", signed=True) + data
            for time, data in zip(timestamps, self.part.column_to_bytes(values), strict=True)
        ]

    def decode(self, data: bytes) -> Any:
        return self.part.from_bytes(data[8:]), int.from_bytes(data[:8], "big", signed=True)

    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        values = self.part.column_from_bytes([d if d is None else d[8:] for d in data])
        return [
            None if d is None else (value, int.from_bytes(d[:8], "big", signed=True))
            for value, d in zip(values, data, strict=True)
        ]

    def cell(self, value: Any, timestamp: int) -> Any:
        return value, timestamp

    def value(self, cell: Any) -> Any:
        return cell[0]

    def time(self, cell: Any, otherwise: int) -> int:
        return cell[1]  # type: ignore[no-any-return]

    def time_in(self, data: bytes) -> int | None:
        if self.part.plain_type not in READ_FROM_ANY:
            return None
        return int.from_bytes(data[:8], "big", signed=True)

    def show(self, cell: Any) -> Any:
        return None if cell is None else ValueAndTimestamp(*cell)

    def take(self, shown: Any) -> tuple[Any, int]:
        if shown is None:
            return None, 0
        if not isinstance(shown, ValueAndTimestamp):
            raise ClassCastException(
                f"a timestamped store takes ValueAndTimestamp, not {type(shown).__name__}",
                hint="Write ValueAndTimestamp.make(value, timestamp).",
            )
        return shown.value(), shown.timestamp()


def resolve(serde: Serde[Any] | None, default: Serde[Any] | None, role: str, store: str) -> Any:
    """Return a store's own serde, or else the application's default.

    Raises:
        StreamsException: There is neither.
    """
    chosen = default if serde is None else serde
    if chosen is None:
        raise StreamsException(
            f"Failed to initialize {role} serdes for store {store}",
            detail=f"It has no {role} serde, and the configuration has no default.",
            hint=f"Give it one where it is defined, or set default.{role}.serde.",
        ) from no_serde(role)
    return chosen
