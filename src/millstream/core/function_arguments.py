"""Check that a user's function can be called as it will be."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from millstream.core.arguments import required
from millstream.core.errors import ClassCastException
from millstream.core.function_kinds import check_kind, method_or_self, name_of
from millstream.core.wording import a_kind


def check_arguments(
    function: Callable[..., Any], parameter: str, arguments: tuple[str, ...]
) -> None:
    """Refuse a function that cannot be called with these arguments.

    A function without a signature, as some that are written in C, is accepted.

    Raises:
        ClassCastException: It takes other arguments.

    Example:
        >>> check_arguments(lambda: None, "callback", ("timestamp",))
        Traceback (most recent call last):
            ...
        millstream.core.errors.ClassCastException: callback cannot be called with (timestamp)
          detail: <lambda> takes ().
          hint: Let it take 1 argument: timestamp.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a built-in without a signature
    try:
        signature.bind(*arguments)
    except TypeError:
        listed = ", ".join(arguments)
        count = "1 argument" if len(arguments) == 1 else f"{len(arguments)} arguments"
        raise ClassCastException(
            f"{parameter} cannot be called with ({listed})",
            detail=f"{name_of(function)} takes {_taken(signature)}.",
            hint=f"Let it take {count}: {listed}." if arguments else "Let it take no argument.",
        ) from None


def check_punctuator(callback: Any) -> None:
    """Refuse what cannot be called with a time, and is no object with a method ``punctuate``.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is such a thing, or an async function.
    """
    required(callback, "callback")
    found = method_or_self(callback, "punctuate")
    if not callable(found) or (found is not callback and isinstance(callback, type)):
        raise ClassCastException(
            f"callback cannot be {a_kind(callback)}",
            hint="Give a callable, or an object with a method punctuate().",
        )
    check_kind(found, "a punctuator")
    check_arguments(found, "callback", ("timestamp",))


def _taken(signature: inspect.Signature) -> str:
    bare = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
