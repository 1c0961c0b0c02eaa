"""Stores whose values carry headers."""

from __future__ import annotations

from typing import TypeVar

from millstream.core.state import (
    AggregationWithHeaders,
    SessionStoreWithHeaders,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStoreWithHeaders,
    ValueTimestampHeaders,
)
from millstream.stores.header_codec import AggregateHeadersCodec, HeadersCodec
from millstream.stores.key_value.store import SerdeKeyValueStore
from millstream.stores.session.store import SerdeSessionStore
from millstream.stores.window.store import SerdeWindowStore

K = TypeVar("K")
V = TypeVar("V")


class SerdeKeyValueStoreWithHeaders(
    SerdeKeyValueStore[K, ValueTimestampHeaders[V]], TimestampedKeyValueStoreWithHeaders[K, V]
):
    """A key-value store with a time and headers in every value."""

    codec_class = HeadersCodec


class SerdeWindowStoreWithHeaders(
    SerdeWindowStore[K, ValueTimestampHeaders[V]], TimestampedWindowStoreWithHeaders[K, V]
):
    """A window store with a time and headers in every value."""

    codec_class = HeadersCodec


class SerdeSessionStoreWithHeaders(
    SerdeSessionStore[K, AggregationWithHeaders[V]], SessionStoreWithHeaders[K, V]
):
    """A session store with headers in every aggregate."""

    codec_class = AggregateHeadersCodec
