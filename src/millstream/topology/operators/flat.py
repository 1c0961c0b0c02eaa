"""Columns for operations that turn one record into any number of records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.keyvalue import KeyValue
from millstream.core.wording import a_kind

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext

SIZED = frozenset({list, tuple})
SINGLE = (str, bytes, bytearray, memoryview, KeyValue)
_SHOWN = 60
"""Characters of a wrong result that an error shows."""


def pair(found: Any) -> tuple[Any, Any]:
    """Return key and value of a ``KeyValue`` or of a tuple of two.

    Raises:
        NullPointerException: A mapper returned None instead.
        ClassCastException: It returned something else.
    """
    kind = type(found)
    if kind is KeyValue:
        return found.key, found.value
    if kind is tuple or isinstance(found, tuple | KeyValue | list):
        try:
            key, value = found
        except ValueError:
            pass
        else:
            return key, value
    if found is None:
        raise NullPointerException("a KeyValueMapper returned None, which is not allowed")
    raise ClassCastException(
        f"a KeyValueMapper returned {a_kind(found)}, which is no pair",
        detail=f"It is {_short(found)}.",
        hint="Return KeyValue.pair(key, value), or the tuple (key, value); of flatMap() a list of "
        "such pairs.",
    )


def columns_of(pairs: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return keys and values of pairs, each a ``KeyValue`` or a tuple of two."""
    if set(map(type, pairs)) == {KeyValue}:
        # To unpack one takes several times as long.
        return [each.key for each in pairs], [each.value for each in pairs]
    return [key for key, _ in pairs], [value for _, value in pairs]


class Read:
    """What a collection that is no list had when it was returned."""

    __slots__ = ("error", "items")

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.error: Exception | None = None
        """Raised after these."""


def read(results: Any) -> Any:
    """Read what a mapper has returned, unless that is a list, or nothing that can be read."""
    if type(results) in SIZED or isinstance(results, SINGLE) or not isinstance(results, Iterable):
        return results
    found = Read()
    try:
        found.items.extend(results)
    except Exception as error:  # noqa: BLE001 - a user's iterator may raise anything
        found.error = error
    return found


def not_none(results: Any) -> Any:
    """Return what a mapper returned, an iterable that may be empty.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is one value: text, bytes, a pair, or nothing that can be iterated.
    """
    if type(results) in SIZED:
        return results
    if results is None:
        raise NullPointerException(
            "a mapper returned None instead of values", hint="Return an empty list for no values."
        )
    if isinstance(results, SINGLE) or not isinstance(results, Iterable):
        raise ClassCastException(
            f"a mapper returned {a_kind(results)} instead of values",
            detail=f"It is {_short(results)}.",
            hint="Return a list of the values, such as [value], or use mapValues() or map().",
        )
    return results


def flattened(
    context: NodeContext,
    chunk: Chunk,
    results: list[Any],
    convert: Callable[[Any], Any] | None = None,
) -> Iterator[tuple[list[int], list[Any]]]:
    """Yield the items of all results, each with the index of the record it comes from.

    They are converted unless all are ``KeyValue``.

    Results may be lazy, and then raise half way: what came before is yielded first, then the
    record goes to the exception handler, then the rest is yielded.
    """
    if SIZED.issuperset(map(type, results)):
        flat = list(chain.from_iterable(results))
        if convert is None or set(map(type, flat)) == {KeyValue}:
            counts = map(len, results)
            yield list(chain.from_iterable(map(repeat, range(len(results)), counts))), flat
            return
    indices: list[int] = []
    items: list[Any] = []
    for index, result in enumerate(results):
        before = len(items)
        error, given = (result.error, result.items) if type(result) is Read else (None, result)
        try:
            found = not_none(given)
            items.extend(found if convert is None else map(convert, found))
        except Exception as raised:  # noqa: BLE001 - a user's iterator may raise anything
            error = raised
        indices.extend(repeat(index, len(items) - before))
        if error is not None:
            yield indices, items
            indices, items = [], []
            context.fail(chunk, index, error)
    yield indices, items


def fanned_out(chunk: Chunk, indices: Sequence[int]) -> Chunk:
    """Return the records at ``indices``, each with headers of its own."""
    out = chunk.take(indices)
    if out.headers is not None:
        out.headers = [headers.copy() if headers else None for headers in out.headers]
    return out


def _short(result: Any) -> str:
    text = repr(result)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
