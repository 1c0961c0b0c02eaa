"""JSON serde."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast, get_origin

from millstream.core.errors import ClassCastException, SerializationException
from millstream.core.function_kinds import has_not_run
from millstream.core.serdes.base import Deserializer, Serializer
from millstream.core.serdes.halves import WrapperSerde
from millstream.core.serdes.json_encoding import SameNameError, encoder
from millstream.core.serdes.misfits import registry_hint, way_to_misfit
from millstream.core.wording import a_kind

T = TypeVar("T")
S = TypeVar("S")


class JsonSerializer(Serializer[Any]):
    """Objects as compact UTF-8 JSON, keys in the order of insertion.

    Args:
        default: Called for an object that JSON does not support; returns one that it supports
            (``dataclasses.asdict``, for instance).
        sort_keys: Whether to sort the keys of dicts, so that equal dicts give equal bytes. None
            sorts them in a serializer that is configured for keys, such as the one of
            ``default.key.serde``.
    """

    def __init__(
        self,
        default: Callable[[Any], Any] | None = None,
        *,
        sort_keys: bool | None = None,
    ) -> None:
        _check_default(default)
        self._default = default
        self._sort_keys = sort_keys
        self._set_order(bool(sort_keys))

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Sort keys of dicts from now on if this is for keys, and the caller did not choose."""
        if isKey and self._sort_keys is None:
            self._set_order(True)

    def _set_order(self, is_sorted: bool) -> None:
        self._format = "sorted" if is_sorted else None
        self._encode = encoder(self._default, is_sorted)

    def serialize(self, topic: str, data: Any) -> bytes | None:
        if data is None:
            return None
        try:
            return self._encode(data)
        except SameNameError as error:
            raise SerializationException(
                f"{type(self).__name__} cannot serialize {a_kind(data)}",
                detail=f'{error}; the topic is "{topic}".',
                hint="Give all keys of a dict one type: JSON's names are text.",
            ) from None
        except TypeError as error:
            raise ClassCastException(
                f"{type(self).__name__} cannot serialize {a_kind(data)}",
                detail=f'{error}{self._where(data)}; the topic is "{topic}".',
                hint="Nothing of it has run: call plain functions, and make a list of a generator."
                if has_not_run(data)
                else "Give JsonSerializer a default that turns such objects into plain ones, or "
                "use JsonSerde.of(the class).",
            ) from error
        except (ValueError, RecursionError) as error:
            raise SerializationException(
                f"{type(self).__name__} cannot serialize {a_kind(data)}",
                detail=f'{error}; the topic is "{topic}".',
            ) from error

    def _where(self, data: Any) -> str:
        """Return where in the object it is; a default would have to be asked for each part."""
        way = "" if self._default is not None else way_to_misfit(data)
        return f" (at {way})" if way else ""

    def serialize_column(self, topic: str, values: Sequence[Any]) -> list[bytes | None]:
        encode = self._encode
        try:
            return [None if value is None else encode(value) for value in values]
        except (TypeError, ValueError, RecursionError):
            return [self.serialize(topic, value) for value in values]

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_serializer, (type(self), self._default, self._sort_keys, bool(self._format))


class JsonDeserializer(Deserializer[Any]):
    """Objects from UTF-8 JSON.

    Args:
        convert: Called with the decoded JSON; returns the topology's object
            (``lambda fields: Order(**fields)``, for instance).
    """

    def __init__(self, convert: Callable[[Any], Any] | None = None) -> None:
        import msgspec

        self._convert = convert
        self._decode = json.JSONDecoder().decode
        # Three times as fast. What it takes is what Python's decoder makes of it; it refuses more.
        self._decode_fast = msgspec.json.Decoder().decode

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is None:
            return None
        try:
            found = self._decode_fast(data)
        except (ValueError, RecursionError):
            found = self._decoded(topic, data)
        return found if self._convert is None else self._convert(found)

    def _decoded(self, topic: str, data: bytes) -> Any:
        try:
            return self._decode(bytes(data).decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise SerializationException(
                f"{type(self).__name__} received bytes that are not JSON",
                detail=f'{error}; the topic is "{topic}".',
                hint=registry_hint(data),
            ) from error

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        if self._convert is not None:
            return super().deserialize_column(topic, values)
        decode = self._decode_fast
        found: list[Any] = []
        for value in values:
            try:
                found.append(None if value is None else decode(value))
            except (ValueError, RecursionError):
                found.append(self._decoded(topic, cast(bytes, value)))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._convert,)


class JsonSerde(WrapperSerde[T]):
    """Compact UTF-8 JSON.

    Args:
        default: As for ``JsonSerializer``.
        convert: As for ``JsonDeserializer``.
        sort_keys: As for ``JsonSerializer``.

    Example:
        >>> JsonSerde().serializer().serialize("orders", {"id": 7})
        b'{"id":7}'
    """

    def __init__(
        self: JsonSerde[Any],
        default: Callable[[Any], Any] | None = None,
        convert: Callable[[Any], Any] | None = None,
        *,
        sort_keys: bool | None = None,
    ) -> None:
        super().__init__(JsonSerializer(default, sort_keys=sort_keys), JsonDeserializer(convert))

    @classmethod
    def of(cls, type: type[S]) -> JsonSerde[S]:
        """Return the serde of the objects of a type.

        Dataclasses, enums (their values), NamedTuples, TypedDicts, msgspec Structs and pydantic
        models, ``datetime``, ``date``, ``time``, ``timedelta`` (ISO 8601), ``UUID``, ``Decimal``
        (text), ``bytes`` (base64), and lists, tuples, sets and dicts of them: what is read equals
        what was written. A field of another type than the class says is found when it is read.
        Fields that the class lacks are passed over, and those that the bytes lack get their
        default. Keys of dicts are sorted: equal objects give equal bytes.

        Raises:
            IllegalArgumentException: It is no type, or JSON does not tell its objects apart.

        Example:
            >>> import dataclasses
            >>> @dataclasses.dataclass
            ... class Click:
            ...     page: str
            ...     count: int = 1
            >>> JsonSerde.of(Click).deserializer().deserialize("clicks", b'{"page":"a"}')
            Click(page='a', count=1)
        """
        from millstream.core.serdes.json_typed import (
            TypedJsonDeserializer,
            TypedJsonSerializer,
            refuse_unknown,
        )

        refuse_unknown(type)
        made: Any = cls.__new__(cls)
        WrapperSerde.__init__(made, TypedJsonSerializer(type), TypedJsonDeserializer(type))
        serde: JsonSerde[S] = made
        return serde


def _check_default(default: Any) -> None:
    """Refuse a class that is given in the place of the function: it would read plain dicts.

    Raises:
        ClassCastException: It is such a class, or cannot be called.
    """
    # Python 3.10 takes list[int] for a type.
    is_generic = get_origin(default) is not None
    if isinstance(default, type) and default.__module__ == "builtins" and not is_generic:
        # A function, such as str, as for json.dumps.
        return
    if isinstance(default, type) or is_generic:
        name = getattr(default, "__qualname__", None) or str(default)
        raise ClassCastException(
            f"default cannot be the type {name}",
            hint=f"Write JsonSerde.of({name}) for JSON of its objects.",
        )
    if default is not None and not callable(default):
        raise ClassCastException(f"default cannot be {a_kind(default)}", hint="Give a function.")


def _made_serializer(
    kind: type[JsonSerializer], default: Any, sort_keys: bool | None, is_sorted: bool
) -> JsonSerializer:
    """Return a pickled serializer, with the order that its configuration chose."""
    made = kind(default) if sort_keys is None else kind(default, sort_keys=sort_keys)
    made._set_order(is_sorted)
    return made
