"""Checks of the types of options."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.function_kinds import method_or_self
from millstream.core.wording import a_kind
from millstream.topology.callables import check_callable


def checked_function(
    value: Any, method: str, parameter: str, arguments: tuple[str, ...] | None = None
) -> Any:
    """Return a callable or an object with the interface's method, or None.

    Args:
        value: What was given.
        method: The interface's method.
        parameter: What the caller calls it.
        arguments: What it is called with; None to leave that open.

    Raises:
        ClassCastException: It is something else, or cannot be called so.
    """
    if value is None or isinstance(value, type):
        return value
    if callable(value) or _has(value, method):
        check_callable(method_or_self(value, method), parameter, arguments)
        return value
    raise ClassCastException(
        f"{parameter} cannot be {a_kind(value)}",
        hint=f"Give a callable, or an object with a method {method}().",
    )


def required(value: Any, problem: str) -> Any:
    """Return ``value``; None is an error with this text."""
    if value is None:
        raise NullPointerException(problem)
    return value


def is_dsl_store_suppliers(value: Any) -> bool:
    """Return whether an object makes the DSL's stores: all three kinds of them."""
    made = not isinstance(value, type)  # a class has the methods, but nobody to call them on
    kinds = ("keyValueStore", "windowStore", "sessionStore")
    return made and all(_has(value, name) for name in kinds)


def _has(value: Any, method: str) -> bool:
    return callable(getattr(value, method, None))
