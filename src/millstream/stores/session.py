"""Session stores as users see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from millstream.core.durations import LONG_MAX, InstantLike, to_epoch_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.serdes import Serde
from millstream.core.state import (
    FlushListener,
    KeyValueIterator,
    SessionAccess,
    SessionStore,
    StateStore,
    StateStoreContext,
)
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores.access import CachedAccess, DirectAccess, StoreAccess
from millstream.stores.codec import Codec, Part, PlainCodec, resolve
from millstream.stores.iterators import Entries
from millstream.stores.key_value import changelog_topic, closed, given, warn_empty_range
from millstream.stores.session_access import Sessions
from millstream.stores.session_keys import SessionKeys, end_of, key_of, start_of
from millstream.stores.session_layers import SessionLayer

K = TypeVar("K")
AGG = TypeVar("AGG")

Cells = Iterator[tuple[bytes, Any]]


class SerdeSessionStore(SessionStore[K, AGG]):
    """Keys and aggregates by their serdes, over layers of bytes."""

    codec_class: type[Codec] = PlainCodec

    def __init__(
        self,
        name: str,
        layer: SessionLayer,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
        *,
        keys: SessionKeys,
        caching: bool,
    ) -> None:
        self._name = name
        self._layer = layer
        self._key_serde = key_serde
        self._value_serde = value_serde
        self._session_keys = keys
        self._caching = caching
        self._access: Sessions | None = None

    def name(self) -> str:
        """Return the name."""
        return self._name

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task."""
        context = stateStoreContext
        topic = changelog_topic(context, self._name)
        keys = Part(resolve(self._key_serde, context.keySerde(), "key", self._name), topic)
        values = Part(resolve(self._value_serde, context.valueSerde(), "value", self._name), topic)
        self._layer.init(context, root)
        self._keys = keys
        codec = self._codec = self.codec_class(values)
        points: StoreAccess
        if self._caching and context.cache_budget.limit > 0:
            points = CachedAccess(
                keys, codec, self._layer, context, self._show_key, remembers=False
            )
        else:
            points = DirectAccess(keys, codec, self._layer, context)
        self._access = Sessions(points, self._layer, self._session_keys, keys, codec, context)

    def access(self) -> SessionAccess:
        """Return the operators' way in."""
        return self._opened()

    def set_flush_listener(self, listener: FlushListener, send_old_values: bool) -> bool:
        """Name who is told of flushed entries; False if the store has no cache."""
        return self._opened().points.set_flush_listener(listener, send_old_values)

    def put(self, sessionKey: Windowed[K], aggregate: AGG | None) -> None:
        """Set the aggregate of a session; None removes it."""
        access = self._opened()
        key, start, end = _parts(sessionKey)
        plain, _ = self._codec.take(aggregate)
        access.write(access.serialize_key(key), key, start, end, plain)

    def remove(self, sessionKey: Windowed[K]) -> None:
        """Remove a session."""
        access = self._opened()
        key, start, end = _parts(sessionKey)
        access.remove(access.serialize_key(key), key, start, end)

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
        shown: AGG | None = self._codec.show(access.read(key_bytes, start, end))
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

    def flush(self) -> None:
        """Pass on what the cache holds."""
        if self._access is not None:
            self._access.points.flush()

    def reload(self) -> None:
        """Forget the cache: the bytes below were changed behind the store."""
        self._opened().points.reload()

    def close(self) -> None:
        """Flush, and release everything."""
        access, self._access = self._access, None
        if access is not None:
            access.points.close()

    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""
        return self._layer.stores_durably

    def isOpen(self) -> bool:
        """Tell whether the store can be used."""
        return self._access is not None

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
        return self._entries(access.cells(first, last, earliest_end, latest_start, reverse=reverse))

    def _entries(self, cells: Cells) -> KeyValueIterator[Windowed[K], AGG]:
        return Entries(cells, self._windowed, self._codec.show, self._name)

    def _show_key(self, session_key: bytes, key: Any) -> Windowed[Any]:
        keys = self._keys
        # An object that is not plain may have been changed since it was written.
        shown = key if type(key) is keys.plain_type else keys.from_bytes(key_of(session_key))
        return Windowed(shown, SessionWindow(start_of(session_key), end_of(session_key)))

    def _windowed(self, session_key: bytes) -> Windowed[Any]:
        key = self._keys.from_bytes(key_of(session_key))
        return Windowed(key, SessionWindow(start_of(session_key), end_of(session_key)))

    def _opened(self) -> Sessions:
        access = self._access
        if access is None:
            raise closed(self._name)
        return access


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
        raise NullPointerException("a session needs a key and a window")
    return session_key.key(), window.start(), window.end()
