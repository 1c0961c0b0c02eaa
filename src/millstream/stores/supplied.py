"""Stores of bytes that a user's own supplier made: what they answer is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, SupportsIndex

from millstream.core.errors import ClassCastException, IllegalStateException, MillstreamError
from millstream.core.function_kinds import check_kind
from millstream.core.keyvalue import KeyValue
from millstream.core.state import commit_of
from millstream.core.user_code import note_code
from millstream.core.windows import Windowed
from millstream.core.wording import a_kind
from millstream.stores.layers import Delegating

_LIVES = ("name", "init", "persistent", "close")
_ONE_RESULT = (
    *("commit", "flush", "get", "put", "putAll", "putIfAbsent", "delete", "remove"),
    *("fetchSession", "approximateNumEntries"),
)
_MANY_RESULTS = (
    *("range", "reverseRange", "all", "reverseAll", "prefixScan", "fetch", "backwardFetch"),
    *("fetchAll", "backwardFetchAll", "backwardAll", "findSessions", "backwardFindSessions"),
)


class _Noted:
    """A user's own store whose errors keep with them which store and method they are of."""

    def __init__(self, store: Any) -> None:
        self._own = store

    def __getattr__(self, method: str) -> Any:
        call, store = getattr(self._own, method), self._own

        def noted(*arguments: Any) -> Any:
            try:
                return call(*arguments)
            except MillstreamError:
                raise
            except Exception as error:
                _note(error, call, store, method)
                raise

        vars(self)[method] = noted
        return noted


class SuppliedLayer(Delegating):
    """Base of the layers over a user's own store."""

    _store: Any
    """The store, for its methods."""

    def __init__(self, store: Any) -> None:
        self._own = self._delegate = store
        self._store = _Noted(store)
        self.stores_durably = bool(store.persistent())

    def flush(self) -> None:
        """Commit the store; one that overrides ``flush`` alone is flushed by that."""
        commit_of(self._own)({})

    def reload(self) -> None:
        """Let the store forget what it has derived, if it has such a method."""
        reload = getattr(self._store, "reload", None)
        if reload is not None:
            reload()

    def _value(self, found: Any, method: str) -> bytes | None:
        """Return a value as bytes.

        Raises:
            ClassCastException: It is none: no exception handler passes over that.
        """
        if found is None or type(found) is bytes:
            return found
        if isinstance(found, bytes | bytearray | memoryview):
            return bytes(found)
        raise self._refusal(method, a_kind(found), "bytes, or None")

    def _pairs(self, found: Any, method: str) -> Iterator[tuple[Any, Any]]:
        """Yield the entries of an iterator, a list or another collection, and close what it is."""
        close = getattr(found, "close", None)
        try:
            for entry in self._each(found, method):
                if not isinstance(entry, KeyValue | tuple | list) or len(tuple(entry)) != 2:
                    raise self._refusal(method, f"{a_kind(entry)} as an entry", _ENTRIES)
                key, value = entry
                yield key, self._value(value, method)
        except MillstreamError:
            raise
        except Exception as error:
            _note(error, self._own, self._own, method.removesuffix("()"))
            raise
        finally:
            if close is not None:
                close()

    def _windowed(self, found: Any, method: str) -> Iterator[tuple[Windowed[bytes], Any]]:
        """Yield entries with windowed keys."""
        for key, value in self._pairs(found, method):
            if not isinstance(key, Windowed):
                raise self._refusal(method, f"{a_kind(key)} as a key", "Windowed keys")
            yield key, value

    def _each(self, found: Any, method: str) -> Iterator[Any]:
        if isinstance(found, Iterable) and not isinstance(found, str | bytes):
            return iter(found)
        if callable(getattr(found, "hasNext", None)):
            return self._by_next(found, method)
        raise self._refusal(method, a_kind(found), _ENTRIES)

    def _by_next(self, found: Any, method: str) -> Iterator[Any]:
        """Yield what an iterator with Java's methods only has."""
        while found.hasNext():
            try:
                entry = found.next()
            except StopIteration as error:
                # The generator would turn it into an error without a place.
                said = "an iterator whose next() raised StopIteration after hasNext() returned True"
                raise self._refusal(method, said, _ENTRIES) from error
            yield entry

    def _count(self, found: Any, method: str) -> int:
        """Return a number of entries."""
        if not isinstance(found, SupportsIndex):
            raise self._refusal(method, a_kind(found), "a number of entries")
        return index(found)

    def _refusal(self, method: str, found: str, wanted: str) -> ClassCastException:
        kind = type(self._own)
        return ClassCastException(
            f'{method} of store "{self._store.name()}" returned {found}',
            detail=f"The class is {kind.__module__}.{kind.__qualname__}.",
            hint=f"Return {wanted}.",
        )


def _note(error: Exception, function: Any, store: Any, method: str) -> None:
    note_code(error, function, f'{method}() of store "{store.name()}"')


_ENTRIES = "a KeyValueIterator, or another iterator of KeyValue"


def supplied(supplier: Any, what: str, *methods: str) -> Any:
    """Return a new store of a user's own supplier.

    Args:
        supplier: The user's supplier.
        what: What it should make.
        methods: What such stores have, besides what all have.

    Raises:
        IllegalStateException: It made something else, or a store of another name.
    """
    made = supplier.get()
    lacks = [each for each in (*_LIVES, *methods) if not callable(getattr(made, each, None))]
    if isinstance(made, type) or lacks:
        kind = type(supplier)
        raise IllegalStateException(
            f'the supplier of {what} store "{supplier.name()}" made no {what} store',
            detail=f"It made {a_kind(made)}, without {', '.join(lacks)}; the supplier is "
            f"{kind.__module__}.{kind.__qualname__}.",
            hint=f"Let its get() return a new {what} store of bytes.",
        )
    if made.name() != supplier.name():
        # It would be kept, logged and queried under two names; Kafka finds no store then.
        raise IllegalStateException(
            f'the supplier of {what} store "{supplier.name()}" made a store with the name '
            f'"{made.name()}"',
            hint="Let the supplier's name() and its store's return the same.",
        )
    check_methods(made)
    return made


def check_methods(store: Any) -> None:
    """Refuse a user's own store whose methods do nothing when they are called.

    What an async ``put`` was given would be lost in silence.

    Raises:
        ClassCastException: A method is an async function, or a generator where it has one result.
    """
    for method in (*_LIVES, *_ONE_RESULT, *_MANY_RESULTS):
        found = getattr(store, method, None)
        if callable(found):
            role = f"{method}() of {type(store).__qualname__}, a store,"
            check_kind(found, role, many=method in _MANY_RESULTS)


def supplied_store(layer: Any) -> Any:
    """Return the user's own store below layers; None if there is one of ours."""
    while isinstance(layer, Delegating) and not isinstance(layer, SuppliedLayer):
        layer = layer._delegate
    return layer._own if isinstance(layer, SuppliedLayer) else None
