"""Serdes of two halves, a serializer and a deserializer, which may be functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, ClassVar, TypeVar

from millstream.core.errors import ClassCastException
from millstream.core.function_arguments import check_arguments
from millstream.core.function_kinds import check_kind, name_of
from millstream.core.serdes.base import Deserializer, Serde, Serializer, is_stock, wants_headers
from millstream.core.wording import a_kind

T = TypeVar("T")


class WrapperSerde(Serde[T]):
    """A serde made of a serializer and a deserializer.

    Args:
        serializer: A ``Serializer``; another object with a method ``serialize``; or a function of
            topic and data, or of topic, headers and data.
        deserializer: The same for reading.

    Raises:
        ClassCastException: An argument is something else, such as a serde or the other half.
    """

    def __init__(
        self,
        serializer: Serializer[T] | Callable[..., Any],
        deserializer: Deserializer[T] | Callable[..., Any],
    ) -> None:
        self._serializer: Serializer[T] = checked_half(serializer, "serialize")
        self._deserializer: Deserializer[T] = checked_half(deserializer, "deserialize")

    def serializer(self) -> Serializer[T]:
        return self._serializer

    def deserializer(self) -> Deserializer[T]:
        return self._deserializer

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class StockSerde(WrapperSerde[T]):
    """A serde of two classes that are created without arguments."""

    _halves: ClassVar[tuple[type[Serializer[Any]], type[Deserializer[Any]]]]

    def __init__(self) -> None:
        super().__init__(self._halves[0](), self._halves[1]())


class ByFunction:
    """A serializer or deserializer that calls a function."""

    holds_user_code: ClassVar[bool] = True
    """The function's results are checked and copied, as those of a user's class are."""

    def __init__(self, function: Callable[..., Any], method: str) -> None:
        self.function = function
        # It replaces the method: the number of its arguments decides whether it gets headers.
        setattr(self, method, function)


class FunctionSerializer(ByFunction, Serializer[Any]):
    """A serializer that calls a function."""

    def serialize(self, topic: str, data: Any, /) -> bytes | None:
        raise NotImplementedError


class FunctionDeserializer(ByFunction, Deserializer[Any]):
    """A deserializer that calls a function."""

    def deserialize(self, topic: str, data: bytes | None, /) -> Any:
        raise NotImplementedError


_CONTEXT = "ctx"
"""What confluent-kafka's serializers call the place of a record, after the data."""


def is_function(given: Any) -> bool:
    """Tell whether a function may stand for a half here: Java's lambda, not an object or class."""
    return isinstance(given, _FUNCTIONS)


_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)


def checked_half(given: Any, method: str) -> Any:
    """Return an object with ``method``; a function becomes one.

    Raises:
        ClassCastException: It is something else, such as a serde or the other half.
    """
    own = callable(getattr(given, method, None)) and not isinstance(given, type)
    if given is None:
        return given
    if own:
        check_half(given, method)
        return given
    if callable(given) and not isinstance(given, type):
        check_half_call(given, f"{method}r")
        return _BY_FUNCTION[method](given, method)
    raise _refusal(given, method)


def check_half(half: Any, method: str) -> None:
    """Refuse a half whose method cannot be called as it will be, or does nothing when called.

    Raises:
        ClassCastException: It takes other arguments, or is an async or a generator function.
    """
    if not is_stock(half):
        check_half_call(getattr(half, method), f"{method}() of {type(half).__name__}")


def check_half_call(call: Callable[..., Any], parameter: str) -> None:
    """Refuse such a method, or a function in its place."""
    check_kind(call, parameter)
    named = ("topic", "headers", "data") if wants_headers(call) else ("topic", "data")
    check_arguments(call, parameter, named)
    _check_first(call, parameter)


def _check_first(call: Callable[..., Any], parameter: str) -> None:
    """Refuse a function of data alone, as those of other clients are: it would get the topic."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return  # a built-in without a signature
    first, *others = parameters
    kinds = (first.VAR_KEYWORD, first.VAR_POSITIONAL)
    more = [p.name for p in others if p.default is p.empty and p.kind not in kinds]
    alone = not more or more[0] == _CONTEXT
    if not alone or first.kind in kinds or "topic" in first.name.lower():
        return
    raise ClassCastException(
        f"{parameter} would take the topic for its {first.name}",
        detail=f"{name_of(call)} takes ({', '.join(p.name for p in (first, *others))}).",
        hint="Let it take 2 arguments: topic, data. A serializer or deserializer of another client "
        "goes into a function: lambda topic, data: serializer(data).",
    )


_BY_FUNCTION = {"serialize": FunctionSerializer, "deserialize": FunctionDeserializer}


def _refusal(given: Any, method: str) -> ClassCastException:
    half = f"{method}r"
    hint = f"Give an object with a method {method}(topic, data), or such a function."
    if isinstance(given, type):
        kind = f"the class {given.__qualname__}"
        if callable(getattr(given, method, None)):
            hint = f"Give an object: {given.__qualname__}()."
    else:
        kind = a_kind(given)
    if callable(getattr(given, half, None)):
        hint = f"Give the serde's .{half}(), or the serde alone where a serde is asked for."
    elif isinstance(given, Serializer | Deserializer):
        hint += " The serializer comes first, then the deserializer."
    return ClassCastException(f"{kind} is no {half}", hint=hint)
