"""JSON of one type: dataclasses and other classes, checked when they are read."""

from __future__ import annotations

import contextlib
import enum
import types
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, get_args, get_origin

import msgspec
from typing_extensions import is_typeddict

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.core.java_durations import Duration
from millstream.core.java_time import Instant
from millstream.core.serdes.base import Deserializer, Serializer
from millstream.core.serdes.json_encoding import check_names
from millstream.core.serdes.json_models import dumped
from millstream.core.serdes.json_nan import may_hold_floats, nan_finder, nones_of, refuse_nan
from millstream.core.serdes.json_sets import in_order, is_model
from millstream.core.serdes.misfits import registry_hint
from millstream.core.wording import a, a_kind

_NOTHING = type(None)
_PLAIN = (datetime, date, timedelta)
"""Not by their names: in a test, freezegun puts classes of its own there."""
_BAD = (ValueError, TypeError, RecursionError, OverflowError, UnicodeError)


class _NoForm(TypeError):
    """A type of a field that cannot be read, though its objects may be written."""


class TypedJsonSerializer(Serializer[Any]):
    """Objects of one type as compact UTF-8 JSON. See ``JsonSerde.of``.

    Keys of dicts are sorted, and fields of classes stand in their order: equal objects give equal
    bytes.
    """

    def __init__(self, type: Any) -> None:
        self._type = type
        self._class = _class_of(type)
        self._format = _shown(type)
        self._encode_fast = msgspec.json.Encoder(enc_hook=_to_json, order="deterministic").encode
        # JSON has no NaN, and msgspec writes null for it.
        self._hides_nan = may_hold_floats(type)
        self._nones = nones_of(self._class)
        self._may_have_nan = nan_finder(_to_json)

    def serialize(self, topic: str, data: Any) -> bytes | None:
        if data is None:
            return None
        if not isinstance(data, self._class):
            if _full_name(type(data)) == _full_name(self._class):
                raise ClassCastException(
                    f"JsonSerde of {self._format} cannot serialize an object of another class "
                    "with that name",
                    detail=f'The class was defined anew; the topic is "{topic}".',
                    hint="Make the serde, and what uses it, after the class: in a notebook, run "
                    "their cells again.",
                )
            raise ClassCastException(
                f"JsonSerde of {self._format} cannot serialize {a_kind(data)}",
                detail=f'The topic is "{topic}".',
                hint="Name a serde for this type at the operator, or change default.key.serde or "
                "default.value.serde.",
            )
        try:
            found = self._encoded(data)
            if self._hides_nan and b"null" in found:
                self._refuse_nan(data, found)
        except _BAD as error:
            raise SerializationException(
                f"JsonSerde of {self._format} cannot serialize {a_kind(data)}",
                detail=f'{error}; the topic is "{topic}".',
            ) from error
        return found

    def serialize_column(self, topic: str, values: Sequence[Any]) -> list[bytes | None]:
        if {*map(type, values)} <= {self._class, _NOTHING}:
            encode = self._encode_fast
            with contextlib.suppress(*_BAD):
                found = [None if value is None else encode(value) for value in values]
                if self._hides_nan:
                    for value, data in zip(values, found, strict=True):
                        if data is not None and b"null" in data:
                            self._refuse_nan(value, data)
                return found
        return [self.serialize(topic, value) for value in values]

    def _refuse_nan(self, value: Any, data: bytes) -> None:
        # One null for each field that is None: there is none for a number.
        if data.count(b"null") != self._nones(value) and self._may_have_nan(value):
            refuse_nan(msgspec.to_builtins(value, enc_hook=_to_json, str_keys=True))

    def _encoded(self, data: Any) -> bytes:
        try:
            return self._encode_fast(data)
        except TypeError:
            # Keys of dicts that are not text, such as dates, are sorted as the text they become;
            # so are items of sets that Python has no order for, such as those of an enum.
            check_names(msgspec.to_builtins(data, enc_hook=_to_json))
            plain = msgspec.to_builtins(data, enc_hook=_to_json, str_keys=True)
            return self._encode_fast(in_order(data, plain))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._type,)


class TypedJsonDeserializer(Deserializer[Any]):
    """Objects of one type from UTF-8 JSON. See ``JsonSerde.of``."""

    def __init__(self, type: Any) -> None:
        self._type = type
        self._format = _shown(type)
        try:
            self._decode = msgspec.json.Decoder(type, dec_hook=_from_json).decode
        except NameError as error:
            raise IllegalArgumentException(
                f"the types of the fields of {self._format} cannot be found",
                detail=f"{error}.",
                hint="Define the class, and those that its fields name, at the top of a module.",
            ) from error
        except TypeError as error:
            if str(error).startswith("Enums "):
                raise IllegalArgumentException(
                    f"JsonSerde of {self._format} has no JSON for the values of an enum",
                    detail=f"{error}.",
                    hint="Give each member a text, or each a whole number, as its value; set "
                    "further attributes in the __new__ of the enum.",
                ) from error
            raise IllegalArgumentException(
                f"JSON does not tell objects of {self._format} apart",
                detail=f"{error}",
                hint="Use msgspec Structs with a tag, or JsonSerde(default, convert).",
            ) from error

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        if data is None:
            return None
        try:
            return self._decode(data)
        except _BAD as error:
            hint = registry_hint(data) or "Fields that older bytes lack need a default."
            if isinstance(error.__cause__, _NoForm):
                hint = "Give the field a type that JSON gives back, such as dict, list or Any."
            raise SerializationException(
                f"JsonSerde received bytes that are not {a(self._format)}",
                detail=f'{error}; the topic is "{topic}".',
                hint=hint,
            ) from error

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[Any]:
        decode = self._decode
        # One by one, the first that fails is told.
        with contextlib.suppress(*_BAD):
            return [None if value is None else decode(value) for value in values]
        return [self.deserialize(topic, value) for value in values]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._type,)


def _class_of(wanted: Any) -> Any:
    """Return the class that all objects of a type belong to; ``object`` if there is none."""
    if hasattr(wanted, "__metadata__"):  # Annotated
        return _class_of(get_args(wanted)[0])
    if wanted is float:
        return (int, float)
    found = get_origin(wanted) or wanted
    if is_typeddict(found):
        return dict
    if found in (Any, Sequence, Mapping, types.UnionType) or not isinstance(found, type):
        return object
    return found


def _full_name(kind: Any) -> tuple[Any, Any]:
    return getattr(kind, "__module__", None), getattr(kind, "__qualname__", None)


def _shown(wanted: Any) -> str:
    """Return a type's name, as the identity of a serde has it."""
    if isinstance(wanted, type) and get_origin(wanted) is None:
        return wanted.__qualname__
    return repr(wanted).replace("typing.", "")


def read_model(kind: Any, data: bytes | str) -> Any:
    """Return a pydantic model, whose fields have their names, as it writes them, or aliases."""
    try:
        return kind.model_validate_json(data, by_name=True)
    except TypeError:  # pydantic before 2.11
        return kind.model_validate_json(data)


def _to_json(value: Any) -> Any:
    """Write what msgspec does not know: a pydantic model by its own rules, and Java's times."""
    if is_model(type(value)):
        return dumped(value)
    if isinstance(value, Instant | Duration) and value.far_ms is not None:
        raise ValueError(f"{value} is beyond the times that Python has")
    finer = isinstance(value, _PLAIN) and ("nanosecond", "nanoseconds")
    if finer and any(getattr(value, each, 0) > 0 for each in finer):
        raise ValueError(f"{value!r} is finer than the times of Python")
    # Of a subclass, such as Instant, freezegun's or pandas', only what a time of Python is.
    plain_datetime, plain_date, plain_timedelta = _PLAIN
    if isinstance(value, plain_datetime):
        return plain_datetime.combine(value.date(), value.timetz())
    if isinstance(value, plain_date):
        return plain_date(value.year, value.month, value.day)
    if isinstance(value, plain_timedelta):
        return plain_timedelta(value.days, value.seconds, value.microseconds)
    raise TypeError(f"{a_kind(value)} has no JSON form")


def _from_json(kind: Any, found: Any) -> Any:
    if is_model(kind):
        return read_model(kind, msgspec.json.encode(found))
    if kind is Instant:
        return Instant.of_datetime(msgspec.convert(found, _PLAIN[0]))
    if kind is Duration:
        return Duration.of_timedelta(msgspec.convert(found, _PLAIN[2]))
    if (get_origin(kind) or kind) is Counter:
        counts = types.GenericAlias(dict, (*(get_args(kind) or (Any,)), int))
        return Counter(msgspec.convert(found, counts, str_keys=True, dec_hook=_from_json))
    raise _NoForm(f"{kind!r} has no JSON form")


def refuse_unknown(wanted: Any) -> None:
    """Raise an error for what is no type, or one whose objects have no JSON form.

    Raises:
        IllegalArgumentException: It is one of these.
    """
    if wanted is None or isinstance(wanted, str | bytes | int | dict | list):
        raise IllegalArgumentException(
            f"JsonSerde.of takes a type, not {a_kind(wanted)}",
            hint="Give a dataclass, an enum, or a type such as list[Order].",
        )
    if isinstance(wanted, type) and issubclass(wanted, enum.Enum):
        kinds = {type(each.value) for each in wanted}
        if not (kinds <= {str} or kinds <= {int}):
            raise IllegalArgumentException(
                f"the values of {wanted.__qualname__} are not all text, or all ints",
                hint="JSON has the value of a member: make it text.",
            )
    try:
        _has_form(wanted)
    except RecursionError as error:
        raise IllegalArgumentException(
            f"{_shown(wanted)} has a type that refers to itself",
            detail="Only classes can, such as dataclasses.",
            hint="Make it a dataclass, or use JsonSerde(), which takes any JSON.",
        ) from error
    for each in (wanted, *get_args(wanted)):
        if isinstance(each, type) and not _has_form(each):
            raise IllegalArgumentException(
                f"objects of {each.__qualname__} have no JSON form: it is a plain class",
                detail="The names and types of its fields are not known.",
                hint="Make it a dataclass, or use JsonSerde(default, convert).",
            )
    _refuse_private(wanted)


def _refuse_private(wanted: Any) -> None:
    """Refuse private attributes of attrs' classes: msgspec reads them, and does not write them."""
    try:
        left: list[Any] = [msgspec.inspect.type_info(wanted)]
    except (TypeError, NameError):  # the deserializer says why
        return
    seen = set()
    while left:
        each = left.pop()
        if isinstance(each, tuple):
            left += each
        elif (
            isinstance(each, msgspec.inspect.Type | msgspec.inspect.Field) and id(each) not in seen
        ):
            seen.add(id(each))
            kind: Any = getattr(each, "cls", None)
            for own in getattr(kind, "__attrs_attrs__", ()):
                if own.init and own.name.startswith("_"):
                    raise IllegalArgumentException(
                        f"{kind.__qualname__}.{own.name} would not be written",
                        detail="JSON leaves out private attributes of attrs' classes.",
                        hint="Name it without an underscore, or make the class a dataclass.",
                    )
            left += [getattr(each, name) for name in each.__struct_fields__]


def _has_form(kind: type) -> bool:
    try:
        found = msgspec.inspect.type_info(kind)
    except (TypeError, NameError):  # the deserializer says why
        return True
    return not isinstance(found, msgspec.inspect.CustomType) or (
        kind in (Instant, Duration, Counter) or is_model(kind)
    )
