"""Interfaces of session stores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from millstream.core.durations import InstantLike
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.store import StateStore
from millstream.core.windows import Windowed

K = TypeVar("K")
AGG = TypeVar("AGG")


class ReadOnlySessionStore(Generic[K, AGG]):
    """Read access to a session store. Times are ``datetime`` or epoch milliseconds.

    Source: ``state.ReadOnlySessionStore``.
    """

    @abstractmethod
    def findSessions(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        """Return sessions that end at or after one time and start at or before another.

        ``findSessions(key, earliestSessionEndTime, latestSessionStartTime)``,
        ``findSessions(keyFrom, keyTo, earliestSessionEndTime, latestSessionStartTime)`` or, for all
        keys, ``findSessions(earliestSessionEndTime, latestSessionEndTime)``.
        """

    @abstractmethod
    def backwardFindSessions(
        self, *arguments: Any, **keywords: Any
    ) -> KeyValueIterator[Windowed[K], AGG]:
        """Return what ``findSessions`` with keys returns, last first."""

    @abstractmethod
    def fetchSession(
        self, key: K, sessionStartTime: InstantLike, sessionEndTime: InstantLike
    ) -> AGG | None:
        """Return the aggregate of exactly one session; None if there is no such session."""

    @abstractmethod
    def fetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        """Return all sessions of ``fetch(key)``, or of ``fetch(keyFrom, keyTo)``."""

    @abstractmethod
    def backwardFetch(self, *arguments: Any, **keywords: Any) -> KeyValueIterator[Windowed[K], AGG]:
        """Return what ``fetch`` returns, last first."""


class SessionStore(StateStore, ReadOnlySessionStore[K, AGG]):
    """A map from key and session to aggregates, which forgets old sessions by itself.

    Source: ``state.SessionStore``.
    """

    @abstractmethod
    def put(self, sessionKey: Windowed[K], aggregate: AGG | None) -> None:
        """Set the aggregate of a session; None removes it."""

    @abstractmethod
    def remove(self, sessionKey: Windowed[K]) -> None:
        """Remove a session."""
