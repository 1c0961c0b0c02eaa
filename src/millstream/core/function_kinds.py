"""Kinds of users' functions: those that only make a coroutine or a generator when called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from millstream.core.errors import ClassCastException


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
    for each in (function, called):
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


def name_of(function: Callable[..., Any]) -> str:
    """Return what a function, or the class of a callable object, is called."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)
