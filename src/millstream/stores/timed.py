"""Bases of window and session stores: access by key and time, and ``Windowed`` keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from millstream.core.errors import IllegalArgumentException
from millstream.core.state import KeyValueIterator, StateStoreContext
from millstream.core.state.access import CellAccess
from millstream.core.store import Entry
from millstream.core.windows import Windowed
from millstream.stores.access import StoreAccess
from millstream.stores.cache.merge import merged
from millstream.stores.expiry import TimedLayer
from millstream.stores.iterators import Entries
from millstream.stores.key_value.store import given, warn_empty_range
from millstream.stores.time_keys import Bounds, TimedKeys
from millstream.stores.typed import TypedStore

A = TypeVar("A", bound="TimedAccess")

Cells = Iterator[tuple[bytes, Any]]
"""Raw keys and cells."""


def by_segment(
    read: Callable[[bytes, bytes], Cells], bounds: Sequence[Bounds], *, reverse: bool
) -> Cells:
    """Read the cache segment by segment.

    The first segment's keys are those of now, those of a later one of when it is reached, as with
    Kafka's cached stores.
    """
    parts = (read(*each) for each in (reversed(bounds) if reverse else bounds))
    return chain(next(parts, ()), chain.from_iterable(parts))


class Latest:
    """A time, seen alike by an access and its copies: reads of a cache end there."""

    __slots__ = ("time",)

    def __init__(self) -> None:
        self.time = -1


class TimedAccess(CellAccess):
    """Access by key and time, in front of an access by raw key."""

    def __init__(
        self,
        points: StoreAccess,
        keys: TimedKeys,
        layer: TimedLayer,
        decode: Callable[[bytes], Any],
    ) -> None:
        self.points = points
        self.cached = points.cached
        self.logs = points.logs
        self.keeps_headers = points.keeps_headers
        self.folds = points.folds
        self.plain = points.plain
        self.to_cell = points.to_cell
        self.fits, self.takes = points.fits, points.takes
        self._timed_keys = keys
        self._timed_layer = layer
        self._decode = decode
        self._latest = Latest()
        """The latest time that was written, by this access or a copy of it."""

    def serialize_key(self, key: Any) -> bytes:
        return self.points.serialize_key(key)

    def serialize_keys(self, keys: Sequence[Any]) -> list[bytes]:
        return self.points.serialize_keys(keys)

    def _decoded(self, stored: Iterable[Entry]) -> Cells:
        decode = self._decode
        return ((key, decode(data)) for key, data in stored)

    def _used_cells(self, raw_keys: list[bytes]) -> Cells:
        """Yield the cells of entries in the cache, each of which is used when it is yielded."""
        use, cell_of = self.points.cached_use, self.points.cell_of
        for key in raw_keys:
            entry = use(key)
            if entry is not None:
                yield key, cell_of(entry)

    def _merged(self, cached: Cells, stored: Iterable[Entry], *, reverse: bool) -> Cells:
        """Lay the cache's cells over what is stored, in the store's order."""
        order: Callable[[bytes], Any] = bytes
        if self._timed_layer.time_ordered:
            order = self._timed_keys.by_time
            cached = iter(sorted(cached, key=lambda cell: order(cell[0]), reverse=reverse))
        return merged(
            ((order(key), key, cell) for key, cell in cached),
            ((order(key), key, cell) for key, cell in self._decoded(stored)),
            reverse=reverse,
        )


class TimedStore(TypedStore[A], Generic[A]):
    """A store whose iterators show ``Windowed`` keys."""

    _layer: Any
    _timed_keys: Any

    @abstractmethod
    def _window_of(self, raw: bytes) -> Any:
        """Return the window of a raw key."""

    def _open(self, points: StoreAccess, context: StateStoreContext) -> A:
        time_at, cached = self._timed_keys.time_at, points.cached

        def settle(first_kept: int | None) -> None:
            # What a cache has does not expire with its segment.
            kept = None if cached else first_kept
            self._settle(lambda raw: int.from_bytes(raw[time_at], "big"), kept)

        self._layer.before_drop = settle
        return self._access_over(points, context)

    @abstractmethod
    def _access_over(self, points: StoreAccess, context: StateStoreContext) -> A:
        """Return the access for operators, in front of ``points``."""

    def _key_bounds(self, key_from: Any, key_to: Any) -> tuple[bytes | None, bytes | None] | None:
        """Return a range's bounds as bytes, None for no bound; None if no key is between them."""
        access = self._opened()
        first = None if key_from is None else access.serialize_key(key_from)
        last = None if key_to is None else access.serialize_key(key_to)
        if first is not None and last is not None and first > last:
            warn_empty_range(self._name)
            return None
        return first, last

    def _key_bytes(self, key: Any) -> bytes:
        return self._opened().serialize_key(given(key))

    def _entries(
        self, cells: Cells, show: Callable[[Any], Any] | None = None
    ) -> KeyValueIterator[Any, Any]:
        with_cell = self._windowed_with_cell if self._reads_headed_keys else None
        show = show or self._codec.show
        return self._watched(
            Entries(cells, self._windowed, show, self._name, key_and_cell=with_cell)
        )

    def _show_keys(self, stored_keys: Sequence[bytes], keys: Sequence[Any]) -> list[Any]:
        shown = self._keys_of(map(self._timed_keys.key_of, stored_keys), keys)
        return list(map(Windowed, shown, self._windows_of(stored_keys)))

    def _windows_of(self, raws: Sequence[bytes]) -> Iterable[Any]:
        return map(self._window_of, raws)

    def _windowed(self, raw: bytes) -> Windowed[Any]:
        return Windowed(self._keys.from_bytes(self._timed_keys.key_of(raw)), self._window_of(raw))

    def _windowed_with_cell(self, raw: bytes, cell: Any) -> Windowed[Any]:
        key = self._key_and_cell(self._timed_keys.key_of)(raw, cell)
        return Windowed(key, self._window_of(raw))


Forms = Mapping[int, tuple[str, ...]]
"""The parameters of an overloaded method, by how many there are."""


def overloaded(
    method: str, forms: Forms, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, ...]:
    """Return the arguments of a call to a method with several forms, in their order.

    Raises:
        IllegalArgumentException: They are those of no form.
    """
    names = forms.get(len(arguments) + len(keywords), ())
    named = dict(zip(names, arguments, strict=False)) | keywords
    if not names or set(named) != set(names):
        *others, last = [f"({', '.join(form)})" for form in forms.values()]
        listed = f"{', '.join(others)} or {last}" if others else last
        raise IllegalArgumentException(
            f"{method} takes {listed}",
            detail=f"It got {len(arguments)} arguments and {sorted(keywords)}.",
        )
    return tuple(named[name] for name in names)
