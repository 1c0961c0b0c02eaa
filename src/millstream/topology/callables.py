"""Check before the start that a user's function can be called as an operator calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.function_arguments import check_arguments
from millstream.core.function_kinds import check_kind, is_generator, name_of

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
    check_kind(function, parameter, many=many)
    if arguments is not None:
        check_arguments(function, parameter, arguments)


def check_processor(processor: object) -> None:
    """Refuse a processor whose ``process`` does not take one record, or whose calls do nothing.

    Raises:
        ClassCastException: It takes other arguments: a key and a value, as before Kafka 3.0. A
            method is asynchronous or a generator, so that calling it does nothing.
    """
    for name in ("init", "close"):
        method = getattr(processor, name, None)
        if callable(method):
            check_kind(method, f"the method {name}() of a processor")
    process = getattr(processor, "process", None)
    if callable(process) and is_generator(process):
        raise ClassCastException(
            "the method process() of a processor cannot be a generator function",
            detail=f"{name_of(process)} yields values, which nobody asks for.",
            hint="Write context.forward(record) in the place of yield.",
        )
    if callable(process):
        check_callable(process, "the method process() of a processor", RECORD)
