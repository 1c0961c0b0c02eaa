"""Checks of arguments whose types Java's compiler would see to."""

from __future__ import annotations

from operator import index
from typing import Any

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.wording import a_kind, plain_text


def whole(given: Any, parameter: str, bits: int = 64) -> int:
    """Return a whole number as a plain ``int``; NumPy's integers are such, True and 1.0 are not.

    Args:
        given: The argument.
        parameter: What the caller calls it.
        bits: 64 for a ``long`` of Java, 32 for an ``int``.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is no whole number.
        IllegalArgumentException: It does not fit into so many bits.

    Example:
        >>> whole(5, "partition", 32)
        5
    """
    hint = "Give a whole number."
    if given is None:
        raise NullPointerException(f"{parameter} cannot be null", hint=hint)
    try:
        number = given if type(given) is int else _index(given)
    except Exception:  # noqa: BLE001 - a user's object may raise anything
        number = None
    if number is None:
        raise ClassCastException(f"{parameter} cannot be {a_kind(given)}", hint=hint)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise IllegalArgumentException(
            f"{parameter} cannot be {number}",
            detail=f"It does not fit into {bits} bits.",
            hint=hint,
        )
    return number


def _index(given: Any) -> int | None:
    # Before 2.3 NumPy's truth values were numbers, too.
    is_truth = isinstance(given, bool) or getattr(given, "dtype", None) == bool
    return None if is_truth else index(given)


def text_or_none(given: Any, parameter: str, hint: str = "Give it as text.") -> str | None:
    """Return a plain text, or None where Kafka Streams takes a null as well.

    Raises:
        ClassCastException: It is something else.
    """
    if given is None:
        return None
    if not isinstance(given, str):
        raise ClassCastException(f"{parameter} cannot be {a_kind(given)}", hint=hint)
    return plain_text(given)


def text(given: Any, parameter: str, hint: str = "Give it as text.") -> str:
    """Return a plain text.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is something else.
    """
    found = text_or_none(given, parameter, hint)
    if found is None:
        raise NullPointerException(f"{parameter} cannot be null", hint=hint)
    return found


def of_type(given: Any, kind: type | tuple[type, ...], parameter: str, hint: str) -> Any:
    """Return an object of a type, or None, whose answer is the caller's affair.

    Raises:
        ClassCastException: It is of another type.
    """
    if given is not None and not isinstance(given, kind):
        raise ClassCastException(f"{parameter} cannot be {a_kind(given)}", hint=hint)
    return given


def required(given: Any, parameter: str) -> Any:
    """Return an argument.

    Raises:
        NullPointerException: It is None.
    """
    if given is None:
        raise NullPointerException(f"{parameter} cannot be null", hint="Give an object, not None.")
    return given
