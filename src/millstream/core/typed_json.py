"""JSON that others may have written, read as an object of a type or refused."""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A number that is not negative and has 63 bits."""
Time = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""A number of 64 bits."""


def read_json(text: str | bytes, kind: type[T]) -> T:
    """Return a JSON text as an object of a type, such as a dataclass.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or does not fit the type; the message says
            where.

    Example:
        >>> read_json('{"a": 1}', dict[str, int])
        {'a': 1}
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def fitted(body: object, kind: type[T]) -> T:
    """Return decoded JSON as an object of a type.

    Raises:
        ValueError: It does not fit the type; the message says where.

    Example:
        >>> fitted({"0": 5}, dict[str, int])
        {'0': 5}
    """
    try:
        return msgspec.convert(body, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
