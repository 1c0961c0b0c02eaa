"""Session stores as users see them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, TypeVar

from millstream.core.durations import LONG_MAX, InstantLike, to_epoch_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.state import (
    AggregationWithHeaders,
    KeyValueIterator,
    SessionStore,
    SessionStoreWithHeaders,
    StateStoreContext,
)
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores import metered
from millstream.stores.access import StoreAccess
from millstream.stores.header_codec import AggregateHeadersCodec
from millstream.stores.iterators import Entries
from millstream.stores.key_value.store import given, warn_empty_range
from millstream.stores.session.access import Sessions
from millstream.stores.session.keys import SessionKeys, end_of, key_of, start_of
from millstream.stores.session.layers import SessionLayer
from millstream.stores.typed import TypedStore

K = TypeVar("K")
AGG = TypeVar("AGG")

Cells = Iterator[tuple[bytes, Any]]


class SerdeSessionStore(TypedStore[Sessions], SessionStore[K, AGG]):
    """Keys and aggregates by their serdes, over layers of bytes."""

    points_measured = metered.SESSION_POINTS
    scans_measured = metered.SESSION_SCANS
    access_measured = metered.SESSION_ACCESS
    value_at = 2

    _layer: SessionLayer

    def __init__(self, *given: Any, keys: SessionKeys, **around: Any) -> None:
        """Describe it: keys, and what ``TypedStore`` takes."""
        super().__init__(*given, **around)
        self._session_keys = keys

    def put(self, sessionKey: Windowed[K], aggregate: AGG | None) -> None:
        """Set the aggregate of a session; None removes it."""
        access = self._opened()
        key, start, end = _parts(sessionKey)
        plain, _ = self._codec.take(aggregate)
        if self._headed is None:
            access.write(access.serialize_key(key), key, start, end, plain)
            return
        with self._key_written(key, aggregate) as key_bytes:
            access.write(key_bytes, key, start, end, plain)

    def remove(self, sessionKey: Windowed[K]) -> None:
        """Remove a session."""
        access = self._opened()
        key, start, end = _parts(sessionKey)
        with self._key_written(key, None) as key_bytes:
            access.remove(key_bytes, key, start, end)

    def fetchSession(
        self, key: K, sessionStartTime: InstantLike, sessionEndTime: InstantLike
    ) -> AGG | None:
        """Return the aggregate of exactly one session; None if there is no such session."""
        access = self._opened()
        key_bytes = access.serialize_key(given(key))
        start = to_epoch_millis(sessionStartTime, "sessionStartTime")
        end = to_epoch_millis(sessionEndTime, "sessionEndTime")
        if start < 0 or end < 0:
            return None
        shown: AGG | None = self._codec.show(access.cell(key_bytes, start, end))
        return shown

    def findSessions(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        """Return sessions of a key, of a range of keys or of all keys, within times."""
        wants = _named("findSessions", FIND_NAMES, arguments, keywords)
        if len(wants) > 2:
            return self._find(wants, reverse=False)
        times = iter(wants)
        ended = self._opened().ended_cells(
            to_epoch_millis(next(times), "earliestSessionEndTime"),
            to_epoch_millis(next(times), "latestSessionEndTime"),
        )
        return self._entries(ended)

    def backwardFindSessions(
        self, *arguments: Any, **keywords: Any
    ) -> KeyValueIterator[Windowed[K], AGG]:
        """Return what ``findSessions`` with keys returns, last first."""
        names = {count: FIND_NAMES[count] for count in (3, 4)}
        return self._find(_named("backwardFindSessions", names, arguments, keywords), reverse=True)

    def fetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        """Return all sessions of a key, or of a range of keys."""
        wants = _named("fetch", FETCH_NAMES, arguments, keywords)
        return self._find((*wants, 0, LONG_MAX), reverse=False)

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        """Return what ``fetch`` returns, last first."""
        wants = _named("backwardFetch", FETCH_NAMES, arguments, keywords)
        return self._find((*wants, 0, LONG_MAX), reverse=True)

    def _find(self, wants: tuple[Any, ...], *, reverse: bool) -> KeyValueIterator[Windowed[K], AGG]:
        access = self._opened()
        *keys, earliest, latest = wants
        first: bytes | None
        last: bytes | None
        if len(keys) == 1:
            first = last = access.serialize_key(given(keys[0]))
        else:
            first, last = (None if key is None else access.serialize_key(key) for key in keys)
        earliest_end = to_epoch_millis(earliest, "earliestSessionEndTime")
        latest_start = to_epoch_millis(latest, "latestSessionStartTime")
        if first is not None and last is not None and first > last:
            warn_empty_range(self._name)
            return self._entries(iter(()))
        bounds = (first, last, earliest_end, latest_start)
        if len(keys) == 1:
            until = access.check_start(latest_start, reverse=reverse)
            cells = access.cells(*bounds, reverse=reverse, cached_until=until)
            return self._entries(cells)
        return self._entries(access.cells(*bounds, reverse=reverse))

    def _entries(self, cells: Cells) -> KeyValueIterator[Windowed[K], AGG]:
        with_cell = self._windowed_with_cell if self._reads_headed_keys else None
        show = self._codec.show
        return self._watched(
            Entries(cells, self._windowed, show, self._name, key_and_cell=with_cell)
        )

    def _open(self, points: StoreAccess, context: StateStoreContext) -> Sessions:
        self._layer.before_drop = partial(self._settle, end_of)
        return Sessions(
            points,
            self._layer,
            self._session_keys,
            self._keys,
            self._codec,
            context,
            decode=self._decode,
            remove=self._bytes.remove,
        )

    def _show_key(self, stored_key: bytes, key: Any) -> Windowed[Any]:
        shown = self._key_of(key_of(stored_key), key)
        return Windowed(shown, SessionWindow(start_of(stored_key), end_of(stored_key)))

    def _windowed(self, session_key: bytes) -> Windowed[Any]:
        key = self._keys.from_bytes(key_of(session_key))
        return Windowed(key, SessionWindow(start_of(session_key), end_of(session_key)))

    def _windowed_with_cell(self, session_key: bytes, cell: Any) -> Windowed[Any]:
        key = self._key_and_cell(key_of)(session_key, cell)
        return Windowed(key, SessionWindow(start_of(session_key), end_of(session_key)))


class SerdeSessionStoreWithHeaders(
    SerdeSessionStore[K, AggregationWithHeaders[AGG]], SessionStoreWithHeaders[K, AGG]
):
    """A session store with headers in every aggregate."""

    codec_class = AggregateHeadersCodec


FIND_NAMES = {
    2: ("earliestSessionEndTime", "latestSessionEndTime"),
    3: ("key", "earliestSessionEndTime", "latestSessionStartTime"),
    4: ("keyFrom", "keyTo", "earliestSessionEndTime", "latestSessionStartTime"),
}
FETCH_NAMES = {1: ("key",), 2: ("keyFrom", "keyTo")}


def _named(
    method: str,
    names: dict[int, tuple[str, ...]],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> tuple[Any, ...]:
    wanted = names.get(len(arguments) + len(keywords), ())
    given_names = dict(zip(wanted, arguments, strict=False)) | keywords
    if not wanted or set(given_names) != set(wanted):
        forms = " or ".join(f"({', '.join(form)})" for form in names.values())
        raise IllegalArgumentException(
            f"{method} takes {forms}",
            detail=f"It got {len(arguments)} arguments and {sorted(keywords)}.",
        )
    return tuple(given_names[name] for name in wanted)


def _parts(session_key: Windowed[K]) -> tuple[K, int, int]:
    if session_key is None:
        raise NullPointerException("sessionKey cannot be null")
    window = session_key.window()
    if session_key.key() is None or window is None:
        part = "window" if window is None else "key"
        raise NullPointerException(f"sessionKey.{part}() can't be null")
    return session_key.key(), window.start(), window.end()
