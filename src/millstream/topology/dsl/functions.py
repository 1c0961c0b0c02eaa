"""Functional interfaces of the DSL, and their conversion to plain callables.

Every parameter of these types also takes a plain callable. The classes are there to subclass, to
annotate with, and to say which method an object may have instead. ``ValueMapper.of(function)``
makes such an object of a callable, for code that calls ``mapper.apply(value)``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.function_kinds import method_or_self
from millstream.core.wording import a_kind
from millstream.topology.callables import VALUE, check_callable
from millstream.topology.dsl.type_vars import A

K_contra = TypeVar("K_contra", contravariant=True)
V_contra = TypeVar("V_contra", contravariant=True)
O_contra = TypeVar("O_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class _Interface(type(Protocol)):  # type: ignore[misc]  # the class of protocols is private
    """The class of the functional interfaces."""

    def of(cls, function: Callable[..., Any]) -> Any:
        """Return a callable as an object with the interface's method, as a lambda is in Java.

        Example:
            >>> mapper = ValueMapper.of(lambda value: value.upper())
            >>> mapper.apply("a"), mapper("a")
            ('A', 'A')

        Raises:
            ClassCastException: It cannot be called.
        """
        method = "test" if cls is Predicate else "apply"
        return FunctionObject(plain(function, method, cls.__name__), method)


class FunctionObject:
    """A callable that an interface's method calls, too."""

    def __init__(self, function: Callable[..., Any], method: str) -> None:
        # For inspect.signature.
        self.__wrapped__ = function
        setattr(self, method, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.__wrapped__(*arguments)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


class Predicate(Protocol[K_contra, V_contra], metaclass=_Interface):
    """Decides about a record. Source: ``kstream.Predicate``."""

    def test(self, key: K_contra, value: V_contra, /) -> bool:
        """Return True to accept the record."""


class KeyValueMapper(Protocol[K_contra, V_contra, R_co], metaclass=_Interface):
    """Makes something of a key and a value. Source: ``kstream.KeyValueMapper``."""

    def apply(self, key: K_contra, value: V_contra, /) -> R_co:
        """Return the new key, the new pair or the new pairs."""


class ValueMapper(Protocol[V_contra, R_co], metaclass=_Interface):
    """Makes a new value of a value. Source: ``kstream.ValueMapper``."""

    def apply(self, value: V_contra, /) -> R_co:
        """Return the new value or values."""


class ValueMapperWithKey(Protocol[K_contra, V_contra, R_co], metaclass=_Interface):
    """Makes a new value of a key, which it must not change, and a value."""

    def apply(self, readOnlyKey: K_contra, value: V_contra, /) -> R_co:
        """Return the new value or values."""


class ForeachAction(Protocol[K_contra, V_contra], metaclass=_Interface):
    """Does something with a record. Source: ``kstream.ForeachAction``."""

    def apply(self, key: K_contra, value: V_contra, /) -> None:
        """Look at the record; what is returned is ignored."""


class Initializer(Protocol[R_co], metaclass=_Interface):
    """Makes the aggregate that a new key starts from. Source: ``kstream.Initializer``."""

    def apply(self) -> R_co:
        """Return a fresh aggregate."""


class Aggregator(Protocol[K_contra, V_contra, A], metaclass=_Interface):
    """Adds a value to an aggregate. Source: ``kstream.Aggregator``."""

    def apply(self, key: K_contra, value: V_contra, aggregate: A, /) -> A | None:
        """Return the new aggregate; None deletes it."""


class Merger(Protocol[K_contra, A], metaclass=_Interface):
    """Makes one aggregate of two, of sessions that grow together. Source: ``kstream.Merger``."""

    def apply(self, aggKey: K_contra, aggOne: A, aggTwo: A, /) -> A | None:
        """Return the merged aggregate."""


class Reducer(Protocol[A], metaclass=_Interface):
    """Combines two values into one of the same type. Source: ``kstream.Reducer``."""

    def apply(self, value1: A, value2: A, /) -> A | None:
        """Return the combination of the value so far and the new one; None deletes it."""


class ValueJoiner(Protocol[V_contra, O_contra, R_co], metaclass=_Interface):
    """Makes one value of two that meet in a join; None stands for one that is missing.

    Source: ``kstream.ValueJoiner``.
    """

    def apply(self, value1: V_contra, value2: O_contra, /) -> R_co:
        """Return the joined value."""


class ValueJoinerWithKey(Protocol[K_contra, V_contra, O_contra, R_co], metaclass=_Interface):
    """Makes one value of a key, which it must not change, and two values.

    Source: ``kstream.ValueJoinerWithKey``.
    """

    def apply(self, readOnlyKey: K_contra, value1: V_contra, value2: O_contra, /) -> R_co:
        """Return the joined value."""


def plain(
    function: Any,
    method: str,
    parameter: str,
    arguments: tuple[str, ...] | None = None,
    *,
    many: bool = False,
) -> Callable[..., Any]:
    """Return ``function`` as a plain callable.

    Args:
        function: A callable, or an object with the interface's method, or a class of such objects.
        method: The interface's method, for instance ``"apply"``.
        parameter: What the caller calls the argument.
        arguments: What the operator calls it with; None to leave that open.
        many: Whether it returns an iterable.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is neither callable nor has the method, or cannot be called so.

    Example:
        >>> class Long:
        ...     def test(self, key, value):
        ...         return len(value) > 3
        >>> plain(Long(), "test", "predicate")("k", "word")
        True
    """
    if function is None:
        raise NullPointerException(f"{parameter} can't be null")
    if isinstance(function, type) and callable(getattr(function, method, None)):
        function = function()
    found = method_or_self(function, method)
    if callable(found):
        check_callable(found, parameter, arguments, many=many)
        return found  # type: ignore[no-any-return]
    raise ClassCastException(
        f"{parameter} cannot be {a_kind(function)}",
        hint=f"Give a callable, or an object with a method {method}().",
    )


def takes_key(function: Callable[..., Any], values: int = 1) -> bool:
    """Return whether a function takes the key besides the values, by its required parameters.

    Example:
        >>> takes_key(lambda key, value: value), takes_key(str.upper), takes_key(str)
        (True, False, False)
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False  # a built-in without a signature
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [
        parameter
        for parameter in parameters
        if parameter.kind in positional and parameter.default is inspect.Parameter.empty
    ]
    return len(required) > values


def with_key(
    function: Any,
    parameter: str,
    values: tuple[str, ...] = VALUE,
    *,
    many: bool = False,
) -> tuple[Callable[..., Any], bool]:
    """Return a value mapper or joiner as a plain callable, and whether it takes the key first."""
    found = plain(function, "apply", parameter, many=many)
    keyed = takes_key(found, len(values))
    check_callable(found, parameter, ("key", *values) if keyed else values, many=many)
    return found, keyed
