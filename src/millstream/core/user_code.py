"""Places of users' functions in their sources, for errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

_OWN = str(Path(__file__).parents[1])
_MOST = 3
_DEEPEST = 4
_METHODS = ("process", "apply", "test", "extract", "partitions", "get", "__call__")

NOTED = "_millstream_code"
"""Where an error keeps the place of the function that it is of."""


def code_of(function: Any) -> str:
    """Return what a user's function or object is, and where; empty for what is not the user's.

    Example:
        >>> code_of(lambda value: value)  # doctest: +ELLIPSIS
        'lambda at ...'
        >>> code_of(len)
        ''
    """
    return next(_places(function, _DEEPEST), "")


def codes_in(operator: Any) -> str:
    """Return where the functions that an operator calls are, for an error of this operator.

    Args:
        operator: A processor of ours that has users' functions as attributes, or a user's own.
    """
    found: dict[str, None] = {}
    # For an error: another one must not take its place, whatever a user's object does when asked.
    with suppress(Exception):
        for place in _places(operator, _DEEPEST):
            found[place] = None
    return ", ".join([*found][:_MOST])


def note_code(error: BaseException, function: Any, role: str) -> None:
    """Keep with an error which function it is of; the first who knows is right."""
    with suppress(Exception):
        if not hasattr(error, NOTED):
            setattr(error, NOTED, f"{code_of(function) or type(function).__name__}, {role}")


def _places(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, MethodType):
        yield from _method(value)
    elif isinstance(value, FunctionType):
        if _is_ours(value.__code__):
            # One of our wrappers around the user's.
            yield from _each([each.cell_contents for each in value.__closure__ or ()], depth)
        else:
            name = "lambda" if value.__name__ == "<lambda>" else value.__qualname__
            yield _place(name.rpartition("<locals>.")[2], value.__code__)
    elif depth <= 0 or isinstance(value, str | bytes | type):
        return
    elif isinstance(value, partial):
        yield from _each((value.func, *value.args, *value.keywords.values()), depth)
    elif isinstance(value, list | tuple):
        yield from _each(value, depth)
    elif type(value).__module__.partition(".")[0] == __name__.partition(".")[0]:
        made = getattr(value, "_made", None)
        yield from _each(_attributes(value), depth) if made is None else _object(made)
    else:
        yield from _object(value)


def _each(values: Any, depth: int) -> Iterator[str]:
    for each in values:
        if isinstance(each, FunctionType | MethodType | partial | list | tuple) or _holds(each):
            yield from _places(each, depth - 1)


def _holds(value: Any) -> bool:
    """Tell whether an object is a user's own, or one of ours that wraps a user's."""
    kind = type(value)
    return any(callable(getattr(kind, name, None)) for name in _METHODS) or hasattr(
        value, "__wrapped__"
    )


def _method(method: MethodType) -> Iterator[str]:
    code = getattr(method.__func__, "__code__", None)
    if isinstance(code, CodeType) and not _is_ours(code):
        owner = method.__self__
        kind = owner if isinstance(owner, type) else type(owner)
        yield _place(kind.__name__, code)


def _object(value: Any) -> Iterator[str]:
    """Yield the place of a user's object: of the method that operators call."""
    for name in _METHODS:
        code = getattr(getattr(type(value), name, None), "__code__", None)
        if isinstance(code, CodeType) and not _is_ours(code):
            yield _place(type(value).__name__, code)
            return


def _attributes(value: Any) -> Iterator[Any]:
    slots = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
    for name in (*vars(value), *slots) if hasattr(value, "__dict__") else slots:
        if "context" not in name:
            yield getattr(value, name, None)


def _place(name: str, code: CodeType) -> str:
    return f"{name} at {code.co_filename}:{code.co_firstlineno}"


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_OWN)
