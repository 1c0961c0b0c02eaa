"""Resolution of Java's overloads in one Python method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import wraps
from inspect import isfunction
from typing import Any, TypeVar

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.serdes import Serde
from millstream.core.wording import a_kind
from millstream.topology.dsl.options import Materialized, Named
from millstream.topology.dsl.options.named import ChangesItself

C = TypeVar("C", bound=type)


class _Absent:
    """Marker of an argument that was not given; a None was given, and is an error."""

    def __repr__(self) -> str:
        return "<absent>"

    def __reduce__(self) -> str:
        # There is one in each process.
        return "ABSENT"


ABSENT: Any = _Absent()


def sort_options(method: str, given: Mapping[str, object], *kinds: type) -> list[Any]:
    """Put optional arguments in the order of ``kinds``, whatever order they came in.

    Args:
        method: The method's name, for the errors.
        given: Parameter name to argument, ``ABSENT`` for what was not given.
        kinds: The accepted types, each at most once.

    Returns:
        For each kind the argument of that type, or None.

    Raises:
        NullPointerException: An argument is None.
        ClassCastException: An argument is of no accepted type, or two are of the same type.

    Example:
        >>> sort_options("f", {"a": 1.5, "b": ABSENT}, str, float)
        [None, 1.5]
    """
    found: dict[type, Any] = {}
    for parameter, argument in given.items():
        if argument is ABSENT:
            continue
        if argument is None:
            raise NullPointerException(f"{parameter} can't be null")
        kind = next((kind for kind in kinds if isinstance(argument, kind)), None)
        if kind is None or kind in found:
            raise ClassCastException(
                f"{method}() does not take {a_kind(argument)} as {parameter}",
                detail=f"It takes {_listed(kinds)}, each at most once.",
                hint=_hint(argument, kinds),
            )
        # It may be changed later, for another operator.
        found[kind] = copy(argument) if isinstance(argument, ChangesItself) else argument
    return [found.get(kind) for kind in kinds]


def given_name(method: str, named: object) -> str | None:
    """Return the name in a ``Named``; None if there is none. See ``sort_options`` for errors."""
    (chosen,) = sort_options(method, {"named": named}, Named)
    return None if chosen is None else chosen.name


def name_and_store(
    method: str, named: object, materialized: object
) -> tuple[str | None, Materialized[Any, Any, Any] | None]:
    """Return the name in a ``Named``, and a ``Materialized``, whatever order they came in."""
    options = {"named": named, "materialized": materialized}
    chosen, how = sort_options(method, options, Named, Materialized)
    return None if chosen is None else chosen.name, how


def bound(
    method: str,
    names: tuple[str, ...],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> dict[str, Any]:
    """Return the arguments of an overload by the names of its parameters.

    Raises:
        IllegalArgumentException: There are too many, or some of other names.
    """
    given = dict(zip(names, arguments, strict=False))
    if len(arguments) > len(names) or set(keywords) - (set(names) - set(given)):
        raise wrong_arguments(method, names)
    return given | keywords


def wrong_arguments(method: str, names: tuple[str, ...]) -> IllegalArgumentException:
    """Return the error that says what an overload takes, the last ones being optional."""
    return IllegalArgumentException(
        f"{method}() does not take these arguments",
        detail=f"With such a first argument it takes {', '.join(names)}.",
    )


def says_cannot(cls: C) -> C:
    """Have a class say "cannot be null" of an argument that is None; Kafka's other ones "can't".

    Its public methods are wrapped, so it has to be complete.
    """
    for name, method in list(vars(cls).items()):
        if not name.startswith("_") and isfunction(method):
            setattr(cls, name, _saying_cannot(method))
    return cls


def _saying_cannot(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return method(*arguments, **keywords)
        except NullPointerException as error:
            if not error.problem.endswith(" can't be null"):
                raise
            problem = error.problem.replace("can't", "cannot")
            raise NullPointerException(problem, detail=error.detail, hint=error.hint) from None

    return call


def _hint(argument: object, kinds: tuple[type, ...]) -> str:
    if isinstance(argument, str):
        return f'Write Named.as_("{argument}").' if Named in kinds else ""
    if any(argument is kind for kind in kinds):
        return "Give what one of the class's methods returns, not the class itself."
    given = argument if isinstance(argument, type) else type(argument)
    with_serdes = next((kind for kind in kinds if hasattr(kind, "with_")), None)
    if with_serdes is not None and issubclass(given, Serde):
        return f"Write {with_serdes.__name__}.with_(...), with serdes as its arguments."
    return ""


def _listed(kinds: tuple[type, ...]) -> str:
    return " and ".join(kind.__name__ for kind in kinds)
