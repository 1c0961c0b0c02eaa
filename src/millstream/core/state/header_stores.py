"""Interfaces of stores that keep headers."""

from __future__ import annotations

from typing import TypeVar

from millstream.core.state.header_values import AggregationWithHeaders, ValueTimestampHeaders
from millstream.core.state.key_value import KeyValueStore
from millstream.core.state.session import SessionStore
from millstream.core.state.window import WindowStore

K = TypeVar("K")
V = TypeVar("V")


class TimestampedKeyValueStoreWithHeaders(KeyValueStore[K, ValueTimestampHeaders[V]]):
    """A map from keys to values with their event time and headers.

    Source: KIP-1271, ``state.TimestampedKeyValueStoreWithHeaders``.
    """


class TimestampedWindowStoreWithHeaders(WindowStore[K, ValueTimestampHeaders[V]]):
    """A window store whose values carry their event time and headers.

    Source: KIP-1271, ``state.TimestampedWindowStoreWithHeaders``.
    """


class SessionStoreWithHeaders(SessionStore[K, AggregationWithHeaders[V]]):
    """A session store whose aggregates carry headers.

    Source: KIP-1271, ``state.SessionStoreWithHeaders``.
    """
