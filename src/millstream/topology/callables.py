"""Check before the start that a user's function can be called as an operator calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from millstream.core.errors import ClassCastException

KEY_VALUE = ("key", "value")
VALUE = ("value",)
NOTHING: tuple[str, ...] = ()
ADDED = ("key", "value", "aggregate")
MERGED = ("key", "aggregate", "other aggregate")
REDUCED = ("aggregate", "value")
RECORD = ("record",)
CHOSEN_TOPIC = ("key", "value", "recordContext")
EXTRACTED = ("record", "partitionTime")
PARTITIONED = ("topic", "key", "value", "numPartitions")
JOINED = ("value", "other value")


def check_callable(
    function: Callable[..., Any],
    parameter: str,
    arguments: tuple[str, ...] | None,
    *,
    many: bool = False,
) -> None:
    """Refuse a function that an operator cannot call, or whose result it could not use.

    A function without a signature, as some that are written in C, is accepted.

    Args:
        function: What the user gave, as a plain callable.
        parameter: What the caller calls it.
        arguments: What the operator calls it with; None to leave that open.
        many: Whether the function returns an iterable, so that it may be a generator.

    Raises:
        ClassCastException: It takes other arguments, is asynchronous, or is a generator where one
            value is expected.

    Example:
        >>> check_callable(len, "mapper", VALUE)
        >>> check_callable(lambda key: key, "predicate", KEY_VALUE)
        Traceback (most recent call last):
            ...
        millstream.core.errors.ClassCastException: predicate cannot be called with (key, value)
          detail: <lambda> takes (key).
          hint: Let it take 2 arguments: key, value.
    """
    _check_kind(function, parameter, many=many)
    if arguments is None:
        return
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
            detail=f"{_name(function)} takes {_taken(signature)}.",
            hint=f"Let it take {count}: {listed}." if arguments else "Let it take no argument.",
        ) from None


def check_processor(processor: object) -> None:
    """Refuse a processor whose ``process`` does not take one record.

    Raises:
        ClassCastException: It takes other arguments: a key and a value, as before Kafka 3.0.
    """
    process = getattr(processor, "process", None)
    if callable(process):
        check_callable(process, "the method process() of a processor", RECORD)


def _check_kind(function: Callable[..., Any], parameter: str, *, many: bool) -> None:
    called = inspect.getattr_static(function, "__call__", None)
    for each in (function, called):
        if inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each):
            raise ClassCastException(
                f"{parameter} cannot be an async function",
                detail=f"{_name(function)} returns a coroutine, which no operator waits for.",
                hint="Give a plain function.",
            )
        if not many and inspect.isgeneratorfunction(each):
            raise ClassCastException(
                f"{parameter} cannot be a generator function",
                detail=f"{_name(function)} yields values, where its result is one value.",
                hint="Return the value, or use flatMap() or flatMapValues() for several.",
            )


def _taken(signature: inspect.Signature) -> str:
    bare = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)
