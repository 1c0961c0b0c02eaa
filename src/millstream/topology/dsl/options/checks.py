"""Checks of the types of options."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.serdes import Serde
from millstream.core.wording import a_kind
from millstream.topology.callables import check_callable

_OTHERS = ("serializer", "extract", "partitions", "keyValueStore")
"""Methods of what else stands where a serde may stand."""


def checked_serde(value: Any, parameter: str) -> Any:
    """Return a serde, or None; ``Serdes.String`` without its parentheses is the likely slip.

    Raises:
        ClassCastException: It is something else.
    """
    if value is None or isinstance(value, Serde):
        return value
    if isinstance(value, type):
        raise ClassCastException(
            f"{parameter} cannot be the class {value.__name__}",
            hint=f"Write {value.__name__}(), with parentheses."
            if issubclass(value, Serde) or any(_has(value, each) for each in _OTHERS)
            else f"Give a serde, such as Serdes.serdeFrom({value.__name__}).",
        )
    if _has(value, "serializer") and _has(value, "deserializer"):
        return value
    raise ClassCastException(
        f"{parameter} cannot be {a_kind(value)}", hint="Give a serde, or None."
    )


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
    if _has(value, method) or callable(value):
        check_callable(getattr(value, method, value), parameter, arguments)
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
    return all(_has(value, name) for name in ("keyValueStore", "windowStore", "sessionStore"))


def _has(value: Any, method: str) -> bool:
    return callable(getattr(value, method, None))
