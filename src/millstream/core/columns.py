"""Columns of users' objects: functions called on them, with the index of a failing record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import is_
from typing import Any


def until_error(
    function: Callable[..., Any], *columns: Sequence[Any]
) -> tuple[list[Any], Exception | None]:
    """Call ``function`` on the columns, row by row, up to the first row that raises.

    Args:
        function: The user's function.
        columns: Its arguments, at least one, all of one length.

    Returns:
        The results of the rows before it, and the error; None if no row raised. The number of
        results is the failing row's index.

    Example:
        >>> results, error = until_error(lambda x: 6 // x, [1, 2, 0, 3])
        >>> results, type(error).__name__
        ([6, 3], 'ZeroDivisionError')
    """
    results: list[Any] = []
    try:
        # ``extend`` runs the calls in C and keeps what it has appended when one of them raises.
        results.extend(map(function, *columns))
    except Exception as error:  # noqa: BLE001 - a user's function may raise anything
        return results, error
    if len(results) < len(columns[0]):
        # The function's own StopIteration, as of ``next()`` without a default: to ``extend`` it is
        # the end of the column.
        return results, StopIteration()
    return results, None


def has_none(column: Iterable[Any]) -> bool:
    """Return whether None is among users' objects, which are not asked if they equal it.

    ``None in column`` asks: a NumPy array answers with an array, which is neither true nor false.

    Example:
        >>> has_none(["a", None]), has_none(["a", ""])
        (True, False)
    """
    return any(map(is_, column, repeat(None)))
