"""Classes that a type is made of, and those among them that cannot go to Spark's workers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints

from millstream.core.errors import ConfigException


def refuse_structs_of_main(wanted: Any) -> None:
    """Raise an error for a class that pickle by value writes and cannot read again.

    Raises:
        ConfigException: A msgspec Struct is not in a module that can be imported.
    """
    for each in _classes_of(wanted):
        if hasattr(each, "__struct_fields__") and each.__module__ == "__main__":
            raise ConfigException(
                f"{each.__qualname__} cannot be sent to Spark's workers: it is in the program's "
                "main module",
                detail="A msgspec Struct is known by the module that it is imported from.",
                hint="Define it in a module that the workers can import, or use a dataclass.",
            )


def _classes_of(wanted: Any) -> Iterator[type]:
    """Yield the classes that a type is made of, and those of their fields, each once."""
    left, seen = [wanted], set[int]()
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        left += get_args(each)
        origin = get_origin(each) or each
        if not isinstance(origin, type) or origin.__module__ in ("builtins", "datetime"):
            continue
        if origin is not each:
            left.append(origin)
            continue
        yield origin
        for base in origin.__mro__[1:]:
            if "__annotations__" in vars(base):
                left.append(base)
        # A class inside a function may name what only that function knows.
        with contextlib.suppress(NameError, TypeError, AttributeError):
            left += get_type_hints(origin).values()
