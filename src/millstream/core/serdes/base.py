"""The contracts of serializers, deserializers and serdes."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import NoneType
from typing import Any, ClassVar, Generic, TypeVar

from millstream.core.errors import ClassCastException, SerializationException
from millstream.core.function_kinds import has_not_run
from millstream.core.headers import Headers
from millstream.core.readable import Closing, Readable
from millstream.core.serdes.either_form import accept_headers, without_headers
from millstream.core.serdes.reused import REUSED, own_object, own_objects
from millstream.core.wording import a_kind

T = TypeVar("T")

SerializerCall = Callable[[str, "Headers | None", Any], "bytes | None"]
DeserializerCall = Callable[[str, "Headers | None", "bytes | None"], Any]

_WITHOUT_HEADERS, _WITH_HEADERS = 2, 3
"""Numbers of arguments: topic and data, or headers between them."""


class Serializer(Readable, Closing, ABC, Generic[T]):
    """Turns objects into bytes. Must be picklable, because it travels to Spark's workers.

    A subclass writes ``serialize(self, topic, data)`` or, to see and change the record's headers,
    ``serialize(self, topic, headers, data)``.

    It may return a ``bytearray`` or a ``memoryview``, which is copied at once: a serializer may
    reuse one buffer.

    Source: ``org.apache.kafka.common.serialization.Serializer``.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Make ``serialize_column`` of a class with its own ``serialize`` call that."""
        super().__init_subclass__(**keywords)
        _override(cls, Serializer, "serialize", "serialize_column", "needs_headers")
        accept_headers(cls, "serialize")

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take what is needed from the configuration; called before the first record."""

    @abstractmethod
    def serialize(self, topic: str, data: T | None, /) -> bytes | None:
        """Return ``data`` as bytes; None stands for Kafka's null.

        Raises:
            ClassCastException: ``data`` is of a wrong type.
            SerializationException: The value cannot be serialized.
        """

    def needs_headers(self) -> bool:
        """Return whether the result depends on the record's headers; columns have no headers."""
        return wants_headers(self.serialize)

    def serialize_column(self, topic: str, values: Sequence[T | None]) -> list[bytes | None]:
        """Serialize many values, with the results of ``serialize``."""
        call = serializer_call(self)
        return [call(topic, None, value) for value in values]

    def close(self) -> None:
        """Release what ``configure`` acquired."""


class Deserializer(Readable, Closing, ABC, Generic[T]):
    """Turns bytes into objects. Must be picklable, because it travels to Spark's workers.

    A subclass writes ``deserialize(self, topic, data)`` or, to see the record's headers,
    ``deserialize(self, topic, headers, data)``.

    Source: ``org.apache.kafka.common.serialization.Deserializer``.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Make ``deserialize_column`` of a class with its own ``deserialize`` call that."""
        super().__init_subclass__(**keywords)
        _override(cls, Deserializer, "deserialize", "deserialize_column", "needs_headers")
        accept_headers(cls, "deserialize")

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take what is needed from the configuration; called before the first record."""

    @abstractmethod
    def deserialize(self, topic: str, data: bytes | None, /) -> T | None:
        """Return the deserialized object; None stands for Kafka's null.

        Raises:
            SerializationException: The bytes are not of this format.
        """

    def needs_headers(self) -> bool:
        """Return whether the result depends on the record's headers; columns have no headers."""
        return wants_headers(self.deserialize)

    def heeds_headers(self) -> bool:
        """Return whether headers may change the result of a record that has some.

        Sources then give such records one by one, and others by columns.
        """
        return self.needs_headers()

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[T | None]:
        """Deserialize many values, with the results of ``deserialize``."""
        call = deserializer_call(self)
        found = [call(topic, None, value) for value in values]
        return own_column(self, topic, found, lambda: [(None, value) for value in values])

    def close(self) -> None:
        """Release what ``configure`` acquired."""


class Serde(Readable, Closing, ABC, Generic[T]):
    """A serializer and the matching deserializer.

    Attributes:
        plain_type: Immutable type whose objects are equal after serialization and deserialization,
            so that a store may keep the object; None if there is no such type.

    Source: ``org.apache.kafka.common.serialization.Serde``.
    """

    plain_type: ClassVar[type | None] = None

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Configure both halves."""
        configure_part(self.serializer(), configs, isKey)
        configure_part(self.deserializer(), configs, isKey)

    @abstractmethod
    def serializer(self) -> Serializer[T]:
        """Return the serializer."""

    @abstractmethod
    def deserializer(self) -> Deserializer[T]:
        """Return the deserializer."""

    def close(self) -> None:
        """Close both halves."""
        close_part(self.serializer())
        close_part(self.deserializer())


def wants_headers(method: Callable[..., Any]) -> bool:
    """Return whether a ``serialize`` or ``deserialize`` is to be called with headers.

    It is if it asks for three arguments. One with a default, such as the variable of a loop that a
    lambda keeps, is none that it asks for; unless it is the last of topic, headers and data.
    """
    function = getattr(method, "__func__", None)
    if function is None and not _has_identity(method):
        function = type(method).__call__
    return _takes_headers(method, 0) if function is None else _takes_headers(function, 1)


# Serializers with an inner serializer call it per record; a signature costs 50 microseconds.
@lru_cache(maxsize=1024)
def _takes_headers(function: Callable[..., Any], own: int) -> bool:
    """Answer ``wants_headers`` for a function; so many of its parameters are ``self``."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    given = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][own:]
    if len(given) < _WITHOUT_HEADERS and any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    asked_for = sum(p.default is p.empty for p in given)
    return asked_for >= _WITH_HEADERS or (
        len(given) >= _WITH_HEADERS and "header" in given[1].name.lower()
    )


def needs_headers(*halves: Any) -> bool:
    """Tell whether one of some serializers and deserializers reads or changes headers."""
    return any(_needs_headers(half) for half in halves)


def _needs_headers(half: Any) -> bool:
    if hasattr(half, "needs_headers"):
        return bool(half.needs_headers())
    methods = [getattr(half, name, None) for name in ("serialize", "deserialize")]
    if methods == [None, None] and callable(half):
        return wants_headers(half)
    return any(wants_headers(method) for method in methods if method is not None)


def heeds_headers(*halves: Any) -> bool:
    """Tell whether one of some deserializers heeds the headers of a record that has some."""
    return any(
        half.heeds_headers() if hasattr(half, "heeds_headers") else _needs_headers(half)
        for half in halves
    )


def plain_bytes(half: object, data: Any) -> bytes:
    """Return the bytes that a deserializer was given, as ``bytes``.

    Raises:
        ClassCastException: They are none, such as a text.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ClassCastException(
            f"{type(half).__name__} cannot deserialize {a_kind(data)}", hint="Give bytes, or None."
        )
    return bytes(data)


def headers_and_data(arguments: tuple[Any, ...]) -> tuple[Headers | None, Any]:
    """Return the last arguments of ``serialize`` or ``deserialize``; headers of None if missing."""
    return (None, arguments[0]) if len(arguments) == 1 else (arguments[0], arguments[1])


def inner_needs_headers(self: Any) -> bool:
    """Return whether ``self._inner`` needs headers; a method of halves with an inner one."""
    return self._inner is not None and needs_headers(self._inner)


def inner_heeds_headers(self: Any) -> bool:
    """Return whether ``self._inner`` heeds headers; a method of halves with an inner one."""
    return self._inner is not None and heeds_headers(self._inner)


def close_inner(self: Any) -> None:
    """Close ``self._inner``; a method of halves with an inner one."""
    if self._inner is not None:
        close_part(self._inner)


def serialize_column(serializer: Any, topic: str, values: Sequence[Any]) -> list[bytes | None]:
    """Serialize many values, by the column method if the serializer has one."""
    if not hasattr(serializer, "serialize_column"):
        return Serializer.serialize_column(serializer, topic, values)
    found: list[bytes | None] = serializer.serialize_column(topic, values)
    if is_stock(serializer):
        return found
    found = _whole_column(serializer, "serialize_column()", topic, values, found)
    if set(map(type, found)) <= {bytes, NoneType}:
        return found
    return [_as_bytes(serializer, topic, each) for each in found]


def deserialize_column(deserializer: Any, topic: str, values: Sequence[bytes | None]) -> list[Any]:
    """Deserialize many values, by the column method if the deserializer has one."""
    if not hasattr(deserializer, "deserialize_column"):
        return Deserializer.deserialize_column(deserializer, topic, values)
    found: list[Any] = deserializer.deserialize_column(topic, values)
    if is_stock(deserializer):
        return found
    return _whole_column(deserializer, "deserialize_column()", topic, values, found)


def configure_part(part: Any, configs: Mapping[str, Any], is_key: bool) -> None:
    """Configure a serde, or one of its halves, if it has ``configure``."""
    if hasattr(part, "configure"):
        part.configure(configs, is_key)


def close_part(part: Any) -> None:
    """Close a serde, or one of its halves, if it has ``close``."""
    if hasattr(part, "close"):
        part.close()


def serializer_call(serializer: Serializer[Any]) -> SerializerCall:
    """Return ``(topic, headers, data) -> bytes`` for a serializer of either form.

    A serializer with headers gets new, empty headers for None.
    """
    call = _with_headers(serializer.serialize)
    if is_stock(serializer):
        return call
    return lambda topic, headers, data: _as_bytes(serializer, topic, call(topic, headers, data))


def deserializer_call(deserializer: Deserializer[Any]) -> DeserializerCall:
    """Return ``(topic, headers, data) -> object`` for a deserializer of either form."""
    call, made_by = _with_headers(deserializer.deserialize), _user_part(deserializer)
    if made_by is None:
        return call

    def own(topic: str, headers: Headers | None, data: bytes | None) -> Any:
        found = call(topic, headers, data)
        return own_object(found) if made_by in REUSED else found

    return own


def own_column(
    deserializer: Any,
    topic: str,
    items: list[Any],
    given: Callable[[], Sequence[tuple[Headers | None, bytes | None]]],
) -> list[Any]:
    """Return what a deserializer has made of headers and bytes, each as its own object."""
    call = _with_headers(deserializer.deserialize)
    return own_objects(items, given, lambda each: call(topic, *each), _user_part(deserializer))


def _user_part(half: Any) -> Any:
    """Return the class or function of a user's half; None for one of this library."""
    if is_stock(half):
        return None
    part = half.function if getattr(type(half), "holds_user_code", False) else type(half)
    return part if _has_identity(part) else type(part)


def _has_identity(part: object) -> bool:
    """Tell whether something is a function or class: other objects may have no hash."""
    return isinstance(part, type | partial) or inspect.isroutine(part)


def is_stock(part: object) -> bool:
    """Tell whether a serde, or one of its halves, is this library's, not a user's."""
    kind = type(part)
    ours = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
    return ours and not getattr(kind, "holds_user_code", False)


def _as_bytes(serializer: object, topic: str, data: Any) -> bytes | None:
    """Return the result of a user's serializer as ``bytes``.

    Raises:
        SerializationException: The result is not bytes.
    """
    if data is None or type(data) is bytes:
        return data
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    raise SerializationException(
        f"{type(serializer).__name__} returned {a_kind(data)}, not bytes",
        detail=f'The topic is "{topic}".',
        hint="Return bytes, or None for Kafka's null.",
    )


def _whole_column(
    half: object, method: str, topic: str, values: Sequence[Any], found: Any
) -> list[Any]:
    """Return what a user's half has made of a column, as a list.

    Raises:
        SerializationException: It is no column, or of another length.
    """
    column = list(found) if isinstance(found, Iterable) else None
    if column is not None and len(column) == len(values):
        return column
    returned = "None" if found is None else a_kind(found)
    if column is not None:
        returned = f"{len(column)} items"
    raise SerializationException(
        f"{method} of {type(half).__name__} returned {returned} for {len(values)} values",
        detail=f'The topic is "{topic}".',
        hint="Return a list with one item for each value, in their order.",
    )


def _override(cls: type, base: type, method: str, *others: str) -> None:
    """Set the base class's ``others`` on a class whose ``method`` overrides a class with them."""
    order = cls.__mro__
    newest = next(place for place, each in enumerate(order) if method in vars(each))
    for other in others:
        if next(place for place, each in enumerate(order) if other in vars(each)) > newest:
            setattr(cls, other, vars(base)[other])


def _with_headers(method: Callable[..., Any]) -> Callable[[str, Headers | None, Any], Any]:
    if wants_headers(method):
        return lambda topic, headers, data: method(
            topic, Headers() if headers is None else headers, data
        )
    own = without_headers(method)
    return lambda topic, headers, data: own(topic, data)


def wrong_type(serializer: object, topic: str, data: object, expected: str) -> ClassCastException:
    """Return the error for an object of a type that a serializer does not support."""
    hint = "Name a serde for this type at the operator, or change default.key.serde or "
    hint += "default.value.serde."
    if type(data).__module__ == "numpy":
        hint = "Give the plain Python value of numpy's, which its item() or tolist() returns."
    if has_not_run(data):
        hint = "Nothing of it has run: call plain functions, and make a list of a generator."
    return ClassCastException(
        f"{type(serializer).__name__} cannot serialize {a_kind(data)}",
        detail=f'It writes {expected}; the topic is "{topic}".',
        hint=hint,
    )
