"""Queries of window and session stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from typing_extensions import TypeVar

from millstream.core.durations import InstantLike, to_epoch_millis
from millstream.core.errors import NullPointerException
from millstream.core.java_shapes import java_optional, java_value
from millstream.core.java_text import java_instant
from millstream.core.java_time import Instant, from_epoch_millis
from millstream.core.query.keys import required_key
from millstream.core.query.query import Query
from millstream.core.state.iterators import KeyValueIterator, WindowStoreIterator
from millstream.core.windows import Windowed

# A key alone does not tell the type of values.
K = TypeVar("K", default=Any)
V = TypeVar("V", default=Any)
# A static method's own: the class's are unknown to a type checker there.
K_ = TypeVar("K_", default=Any)
V_ = TypeVar("V_", default=Any)


class _StartRange:
    __slots__ = ()

    _from_ms: int | None
    _to_ms: int | None

    def getTimeFrom(self) -> Instant | None:
        """Return the earliest window start, inclusive; None if not given."""
        return _instant(self._from_ms)

    def getTimeTo(self) -> Instant | None:
        """Return the latest window start, inclusive; None if not given."""
        return _instant(self._to_ms)


@dataclass(frozen=True, slots=True)
class WindowKeyQuery(_StartRange, Query[WindowStoreIterator[V]], Generic[K, V]):
    """Query of one key's windows by window start, both ends inclusive; for window stores.

    Source: KIP-806, ``query.WindowKeyQuery``.
    """

    _key: K
    _from_ms: int | None
    _to_ms: int | None

    @staticmethod
    def withKeyAndWindowStartRange(
        key: K_, timeFrom: InstantLike, timeTo: InstantLike
    ) -> WindowKeyQuery[K_, V_]:
        """Return the query of the windows of ``key``.

        Raises:
            NullPointerException: A time is None.
        """
        return WindowKeyQuery(key, _ms(timeFrom, "timeFrom"), _ms(timeTo, "timeTo"))

    def getKey(self) -> K:
        """Return the key."""
        return self._key

    def __str__(self) -> str:
        times = _times(self._from_ms, self._to_ms)
        return f"WindowKeyQuery{{key={java_value(self._key)}, {times}}}"


@dataclass(frozen=True, slots=True)
class WindowRangeQuery(_StartRange, Query[KeyValueIterator[Windowed[K], V]], Generic[K, V]):
    """Query of a window store by window start, or of a session store by key.

    Source: KIP-806, ``query.WindowRangeQuery``.
    """

    _key: K | None = None
    _from_ms: int | None = None
    _to_ms: int | None = None

    @staticmethod
    def withKey(key: K_) -> WindowRangeQuery[K_, V_]:
        """Return the query of all sessions of ``key``; for session stores."""
        return WindowRangeQuery(required_key(key))

    @staticmethod
    def withWindowStartRange(
        timeFrom: InstantLike, timeTo: InstantLike
    ) -> WindowRangeQuery[K_, V_]:
        """Return the query of all keys' windows by window start; for window stores.

        Raises:
            NullPointerException: A time is None.
        """
        return WindowRangeQuery(None, _ms(timeFrom, "timeFrom"), _ms(timeTo, "timeTo"))

    def getKey(self) -> K | None:
        """Return the key; None if the query is by window start."""
        return self._key

    def __str__(self) -> str:
        times = _times(self._from_ms, self._to_ms)
        return f"WindowRangeQuery{{key={java_optional(self._key)}, {times}}}"


def _ms(time: InstantLike, name: str) -> int:
    if time is None:
        raise NullPointerException(f"{name} cannot be null")
    return to_epoch_millis(time, name)


def _times(from_ms: int | None, to_ms: int | None) -> str:
    first, last = (None if each is None else java_instant(each) for each in (from_ms, to_ms))
    return f"timeFrom={java_optional(first)}, timeTo={java_optional(last)}"


def _instant(millis: int | None) -> Instant | None:
    return None if millis is None else from_epoch_millis(millis)
