"""Columns for operations that turn one record into any number of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.errors import NullPointerException

if TYPE_CHECKING:
    from millstream.core.context import NodeContext

_SIZED = frozenset({list, tuple})


def pair(found: Any) -> tuple[Any, Any]:
    """Return key and value of a ``KeyValue`` or of a tuple of two.

    Raises:
        NullPointerException: A mapper returned None instead.
    """
    if found is None:
        raise NullPointerException("a KeyValueMapper returned None, which is not allowed")
    key, value = found
    return key, value


def not_none(results: Any) -> Any:
    """Return what a mapper returned, which may be empty but not None.

    Raises:
        NullPointerException: It is None.
    """
    if results is None:
        raise NullPointerException(
            "a mapper returned None instead of values", hint="Return an empty list for no values."
        )
    return results


def flattened(
    context: NodeContext,
    chunk: Chunk,
    results: list[Any],
    convert: Callable[[Any], Any] | None = None,
) -> Iterator[tuple[list[int], list[Any]]]:
    """Yield the items of all results, each with the index of the record it comes from.

    Results may be lazy, and then raise half way: what came before is yielded first, then the
    record goes to the exception handler, then the rest is yielded.
    """
    if convert is None and _SIZED.issuperset(map(type, results)):
        counts = map(len, results)
        owners = chain.from_iterable(map(repeat, range(len(results)), counts))
        yield list(owners), list(chain.from_iterable(results))
        return
    indices: list[int] = []
    items: list[Any] = []
    for index, result in enumerate(results):
        before = len(items)
        error = None
        try:
            found = not_none(result)
            items.extend(found if convert is None else map(convert, found))
        except Exception as raised:  # noqa: BLE001 - a user's iterator may raise anything
            error = raised
        indices.extend(repeat(index, len(items) - before))
        if error is not None:
            yield indices, items
            indices, items = [], []
            context.fail(chunk, index, error)
    yield indices, items


def fanned_out(chunk: Chunk, indices: list[int]) -> Chunk:
    """Return the records at ``indices``, each with headers of its own."""
    out = chunk.take(indices)
    if out.headers is not None:
        out.headers = [headers.copy() if headers else None for headers in out.headers]
    return out
