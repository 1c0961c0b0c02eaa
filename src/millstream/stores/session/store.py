"""Session stores with serdes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from millstream.core.durations import LONG_MAX, InstantLike, to_epoch_millis
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.state import (
    AggregationWithHeaders,
    KeyValueIterator,
    SessionStore,
    SessionStoreWithHeaders,
    StateStoreContext,
)
from millstream.core.windows import SessionWindow, Windowed
from millstream.core.wording import a_kind
from millstream.stores import metered
from millstream.stores.access import StoreAccess
from millstream.stores.header_codec import AggregateHeadersCodec
from millstream.stores.key_value.store import given
from millstream.stores.session.access import SerdeSessionAccess
from millstream.stores.session.keys import SessionKeys, end_and_start, end_of, start_of
from millstream.stores.session.layers import SessionLayer
from millstream.stores.timed import Forms, TimedStore, overloaded

K = TypeVar("K")
AGG = TypeVar("AGG")

FIND: Forms = {
    2: ("earliestSessionEndTime", "latestSessionEndTime"),
    3: ("key", "earliestSessionEndTime", "latestSessionStartTime"),
    4: ("keyFrom", "keyTo", "earliestSessionEndTime", "latestSessionStartTime"),
}
FETCH: Forms = {1: ("key",), 2: ("keyFrom", "keyTo")}


class SerdeSessionStore(TimedStore[SerdeSessionAccess], SessionStore[K, AGG]):
    """Keys and aggregates by their serdes, over layers of bytes."""

    points_measured = metered.SESSION_POINTS
    scans_measured = metered.SESSION_SCANS
    access_measured = metered.SESSION_ACCESS
    value_at = 2

    _layer: SessionLayer
    _timed_keys: SessionKeys

    def __init__(self, *given: Any, keys: SessionKeys, **around: Any) -> None:
        """Describe it: keys, and what ``TypedStore`` takes."""
        super().__init__(*given, **around)
        self._timed_keys = keys

    def put(self, sessionKey: Windowed[K], aggregate: AGG | None) -> None:
        access = self._opened()
        key, start, end = _parts(sessionKey)
        plain, _ = self._codec.take(aggregate)
        if self._headed is None:
            access.write(access.serialize_key(key), key, start, end, plain)
            return
        with self._key_written(key, aggregate) as key_bytes:
            access.write(key_bytes, key, start, end, plain)

    def remove(self, sessionKey: Windowed[K]) -> None:
        access = self._opened()
        key, start, end = _parts(sessionKey)
        with self._key_written(key, None) as key_bytes:
            access.remove(key_bytes, key, start, end)

    def fetchSession(
        self, key: K, sessionStartTime: InstantLike, sessionEndTime: InstantLike
    ) -> AGG | None:
        access = self._opened()
        key_bytes = access.serialize_key(given(key))
        start = to_epoch_millis(sessionStartTime, "sessionStartTime")
        end = to_epoch_millis(sessionEndTime, "sessionEndTime")
        if start < 0 or end < 0:
            return None
        shown: AGG | None = self._codec.show(access.cell(key_bytes, start, end))
        return shown

    def findSessions(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        wants = overloaded("findSessions", FIND, arguments, keywords)
        if len(wants) > 2:
            return self._find(wants, reverse=False)
        access, times = self._opened(), iter(wants)
        first = to_epoch_millis(next(times), "earliestSessionEndTime")
        last = to_epoch_millis(next(times), "latestSessionEndTime")
        ended = access.ended_cells(first, last)
        if last < first:
            access.check_inverted()
        return self._entries(ended)

    def backwardFindSessions(
        self, *arguments: Any, **keywords: Any
    ) -> KeyValueIterator[Windowed[K], AGG]:
        names = {count: FIND[count] for count in (3, 4)}
        return self._find(
            overloaded("backwardFindSessions", names, arguments, keywords), reverse=True
        )

    def fetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        wants = overloaded("fetch", FETCH, arguments, keywords)
        return self._find((*wants, 0, LONG_MAX), reverse=False, fetches=True)

    def backwardFetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        wants = overloaded("backwardFetch", FETCH, arguments, keywords)
        return self._find((*wants, 0, LONG_MAX), reverse=True, fetches=True)

    def fetch_stored(self, key: K) -> KeyValueIterator[Windowed[K], AGG]:
        """Return a key's sessions as queries read them: below the record cache."""
        return self._entries(self._opened().stored_cells(self._key_bytes(key)))

    def _find(
        self, wants: tuple[Any, ...], *, reverse: bool, fetches: bool = False
    ) -> KeyValueIterator[Windowed[K], AGG]:
        access = self._opened()
        *keys, earliest, latest = wants
        if len(keys) == 1:
            key = self._key_bytes(keys[0])
            bounds: tuple[bytes | None, bytes | None] | None = (key, key)
        else:
            bounds = self._key_bounds(*keys)
        earliest_end = to_epoch_millis(earliest, "earliestSessionEndTime")
        latest_start = to_epoch_millis(latest, "latestSessionStartTime")
        if bounds is None:
            if fetches and access.has_sessions():
                access.check_inverted()
            return self._entries(iter(()))
        until = access.check_start(latest_start, reverse=reverse) if len(keys) == 1 else None
        return self._entries(
            access.cells(*bounds, earliest_end, latest_start, reverse=reverse, cached_until=until)
        )

    def _access_over(self, points: StoreAccess, context: StateStoreContext) -> SerdeSessionAccess:
        return SerdeSessionAccess(
            points,
            self._timed_keys,
            self._layer,
            self._decode,
            self._keys,
            value_of=self._codec.value,
            remove=self._bytes.remove,
        )

    def _window_of(self, raw: bytes) -> SessionWindow:
        return SessionWindow.of_events(start_of(raw), end_of(raw))

    def _windows_of(self, raws: Sequence[bytes]) -> list[SessionWindow]:
        made = SessionWindow.of_events
        return [made(start, end) for end, start in map(end_and_start, raws)]


class SerdeSessionStoreWithHeaders(
    SerdeSessionStore[K, AggregationWithHeaders[AGG]], SessionStoreWithHeaders[K, AGG]
):
    """A session store with headers in every aggregate."""

    codec_class = AggregateHeadersCodec


def _parts(session_key: Windowed[K]) -> tuple[K, int, int]:
    if session_key is None:
        raise NullPointerException("sessionKey cannot be null")
    if not isinstance(session_key, Windowed):
        raise ClassCastException(
            f"sessionKey cannot be {a_kind(session_key)}",
            hint="Give Windowed(key, SessionWindow(start, end)).",
        )
    window = session_key.window()
    if session_key.key() is None or window is None:
        part = "window" if window is None else "key"
        raise NullPointerException(f"sessionKey.{part}() can't be null")
    return session_key.key(), window.start(), window.end()
