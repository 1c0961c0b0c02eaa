"""Kinds of users' functions: those that only make a coroutine or a generator when called.

A function is looked at when it is given. What a plain one returns, such as ``lambda k, v: send(v)``
around an async ``send``, is looked at when it is called, where the result is else not used as a
value: it would be silently dropped, or taken for true.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    MethodType,
)
from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind

PREDICATE = "a predicate"

_NO_NAME = "_millstream_no_name"
_NOT_RUN: frozenset[type] = frozenset({CoroutineType, AsyncGeneratorType, GeneratorType})
_NOT_CALLED: frozenset[type] = frozenset({BuiltinFunctionType, FunctionType, MethodType, type})


def check_kind(function: Callable[..., Any], parameter: str, *, many: bool = False) -> None:
    """Refuse a function that does nothing when it is called: an async one, or a generator.

    Args:
        function: What the user gave, as a plain callable.
        parameter: What the caller calls it.
        many: Whether the function returns an iterable, so that it may be a generator.

    Raises:
        ClassCastException: It is such a function.
    """
    called = inspect.getattr_static(function, "__call__", None)
    for each in filter(_tells_its_kind, (function, called)):
        if inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each):
            raise ClassCastException(
                f"{parameter} cannot be an async function",
                detail=f"{name_of(function)} returns a coroutine, which no operator waits for.",
                hint="Give a plain function.",
            )
        if not many and inspect.isgeneratorfunction(each):
            raise ClassCastException(
                f"{parameter} cannot be a generator function",
                detail=f"{name_of(function)} yields values, where its result is one value.",
                hint="Return the value, or use flatMap() or flatMapValues() for several.",
            )


def is_generator(function: Any) -> bool:
    """Tell whether calling a function only makes a generator."""
    return _tells_its_kind(function) and inspect.isgeneratorfunction(function)


def _tells_its_kind(function: Any) -> bool:
    """Tell whether a function has flags: a mock of ``create_autospec`` has another mock there."""
    return isinstance(getattr(getattr(function, "__code__", None), "co_flags", 0), int)


def name_of(function: Callable[..., Any]) -> str:
    """Return what a function, or the class of a callable object, is called."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


def method_or_self(given: Any, method: str) -> Any:
    """Return what a caller calls: the method that a user's object has, or the object itself.

    A callable that has every name that is asked for, as a ``Mock`` of unittest has, is called
    itself, unless the method is its class's, or was set or used before.

    Example:
        >>> from unittest.mock import Mock
        >>> seen = Mock()
        >>> method_or_self(seen, "apply") is seen
        True
    """
    found = getattr(given, method, given) if _has_own(given, method) else given
    return found if callable(found) else given


def _has_own(given: Any, method: str) -> bool:
    if not callable(given) or hasattr(type(given), method) or not has_every_name(given):
        return True
    own = vars(given) if hasattr(type(given), "__dict__") else {}
    return method in own or method in own.get("_mock_children", ())


def has_every_name(given: Any) -> bool:
    """Tell whether an object has any attribute that is asked for, as a mock of unittest has.

    Example:
        >>> from unittest.mock import MagicMock
        >>> has_every_name(MagicMock()), has_every_name(iter([]))
        (True, False)
    """
    return hasattr(given, _NO_NAME)


def has_not_run(value: Any) -> bool:
    """Tell whether an object is a coroutine or a generator, which a function returned unread."""
    return type(value) in _NOT_RUN


def check_result(result: Any, role: str) -> None:
    """Refuse a coroutine or a generator where a function should have done its work.

    Of a predicate a function is refused as well, such as ``value.isdigit`` without parentheses.

    Raises:
        ClassCastException: It is one.

    Example:
        >>> check_result(any([1, 2]), PREDICATE)
        >>> check_result(any, PREDICATE)
        Traceback (most recent call last):
            ...
        millstream.core.errors.ClassCastException: a predicate returned any, which is always true
          hint: Call it, with parentheses: any().
    """
    if has_not_run(result):
        if isinstance(result, CoroutineType):
            # Else Python warns that nobody has awaited it.
            result.close()
        raise ClassCastException(
            f"{role} returned {a_kind(result)}, of which nothing has run",
            hint="Call plain functions only: no operator waits for an async one.",
        )
    if role == PREDICATE and type(result) in _NOT_CALLED:
        name = str(getattr(result, "__name__", None) or a_kind(result))
        raise ClassCastException(
            f"{role} returned {name}, which is always true",
            hint=f"Call it, with parentheses: {name}().",
        )


def refused_places(results: Sequence[Any], role: str) -> list[int]:
    """Return the places of the results that ``check_result`` refuses."""
    refused = _NOT_RUN | _NOT_CALLED if role == PREDICATE else _NOT_RUN
    if refused.isdisjoint(map(type, results)):
        return []
    return [place for place, each in enumerate(results) if type(each) in refused]
