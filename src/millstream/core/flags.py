"""Check of arguments that are True or False."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind


def checked_flag(given: Any, parameter: str) -> bool:
    """Return a flag; a text such as ``"no"`` would count as True.

    Raises:
        ClassCastException: It is no ``bool``.

    Example:
        >>> checked_flag(True, "retainDuplicates")
        True
    """
    if not isinstance(given, bool):
        raise ClassCastException(
            f"{parameter} cannot be {a_kind(given)}", hint="Give True or False."
        )
    return given
