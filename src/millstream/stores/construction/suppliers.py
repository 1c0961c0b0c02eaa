"""Suppliers of our own stores: a name, a byte store's name, and the sizes."""

from __future__ import annotations

from dataclasses import dataclass

from millstream.core.serdes import Serdes
from millstream.core.state import (
    HeadersBytesStore,
    HeadersBytesStoreSupplier,
    KeyValueBytesStoreSupplier,
    KeyValueStore,
    SessionBytesStoreSupplier,
    SessionStore,
    TimestampedBytesStore,
    VersionedBytesStore,
    VersionedBytesStoreSupplier,
    WindowBytesStoreSupplier,
    WindowStore,
)
from millstream.stores.key_value.store import SerdeKeyValueStore
from millstream.stores.layers import ByteLayer, LruBytes, StoredBytes
from millstream.stores.session.keys import SessionKeys
from millstream.stores.session.layers import StoredSessions
from millstream.stores.session.store import SerdeSessionStore
from millstream.stores.versioned.bytes_stores import OurVersionedBytes
from millstream.stores.versioned.layers import StoredVersions
from millstream.stores.versioned.store import SerdeVersionedStore
from millstream.stores.window.keys import WindowKeys
from millstream.stores.window.layers import StoredWindows
from millstream.stores.window.store import SerdeWindowStore

PlainBytes = SerdeKeyValueStore[bytes, bytes]
WindowBytes = SerdeWindowStore[bytes, bytes]
SessionBytes = SerdeSessionStore[bytes, bytes]


class TimestampedBytes(PlainBytes, TimestampedBytesStore):
    """Key-value bytes with times."""


class HeadersBytes(PlainBytes, HeadersBytesStore):
    """Key-value bytes with headers."""


class TimestampedWindowBytes(WindowBytes, TimestampedBytesStore):
    """Window bytes with times."""


class HeadersWindowBytes(TimestampedWindowBytes, HeadersBytesStore):
    """Window bytes with headers."""


class HeadersSessionBytes(SessionBytes, HeadersBytesStore):
    """Session bytes with headers."""


@dataclass(frozen=True, kw_only=True)
class OurKeyValueSupplier(KeyValueBytesStoreSupplier):
    """A key-value store over the byte store called ``kind``."""

    store: str
    kind: str
    durable: bool
    timestamped: bool
    max_entries: int | None = None
    """How many entries a store that keeps those used last may have; None for no limit."""

    def name(self) -> str:
        """Return the store's name."""
        return self.store

    def metricsScope(self) -> str:
        """Return what Kafka calls the byte store."""
        scope = _scope(self.kind)
        return scope if self.max_entries is None else f"{scope}-lru"

    def get(self) -> KeyValueStore[bytes, bytes]:
        """Return a new store of bytes, without cache and changelog."""
        return self._typed(TimestampedBytes if self.timestamped else PlainBytes)

    def _typed(self, store: type[PlainBytes]) -> KeyValueStore[bytes, bytes]:
        data = Serdes.ByteArray()
        return store(self.store, self.layer(), data, data)

    def layer(self) -> ByteLayer:
        """Return the bytes of a new store."""
        if self.max_entries is not None:
            return LruBytes(self.store, self.kind, self.max_entries)
        return StoredBytes(self.store, self.kind, durable=self.durable)


class OurHeadersKeyValueSupplier(OurKeyValueSupplier, HeadersBytesStoreSupplier):
    """The same for values with headers."""

    def get(self) -> KeyValueStore[bytes, bytes]:
        """Return a new store of bytes, without cache and changelog."""
        return self._typed(HeadersBytes)


@dataclass(frozen=True, kw_only=True)
class OurWindowSupplier(WindowBytesStoreSupplier):
    """A window store over the byte store called ``kind``; times in milliseconds."""

    store: str
    kind: str
    durable: bool
    timestamped: bool
    retention: int
    size: int
    duplicates: bool
    segment_interval: int
    emits_final: bool = False
    """Windows of all keys are asked for by their start, each once, when they close."""
    sliding: bool = False

    def name(self) -> str:
        """Return the store's name."""
        return self.store

    def metricsScope(self) -> str:
        """Return what Kafka calls the byte store."""
        return f"{_scope(self.kind)}-window"

    def segmentIntervalMs(self) -> int:
        """Return the width of the segments; 1 for a store in memory, which has none in Kafka."""
        return self.segment_interval if self.durable else 1

    def windowSize(self) -> int:
        """Return the size of the windows."""
        return self.size

    def retainDuplicates(self) -> bool:
        """Tell whether a window keeps every value put into it."""
        return self.duplicates

    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start."""
        return self.retention

    def get(self) -> WindowStore[bytes, bytes]:
        """Return a new store of bytes, without cache and changelog."""
        return self._typed(TimestampedWindowBytes if self.timestamped else WindowBytes)

    def _typed(self, store: type[WindowBytes]) -> WindowStore[bytes, bytes]:
        keys, data = self.keys(), Serdes.ByteArray()
        return store(self.store, self.layer(keys), data, data, window_size=self.size, keys=keys)

    def keys(self) -> WindowKeys:
        """Return the layout of a new store."""
        return WindowKeys(self.segment_interval)

    def layer(self, keys: WindowKeys) -> StoredWindows:
        """Return the bytes of a new store."""
        return StoredWindows(
            self.store,
            self.kind,
            self.retention,
            keys,
            duplicates=self.duplicates,
            durable=self.durable,
            emits_final=self.emits_final,
            sliding=self.sliding,
        )


class OurHeadersWindowSupplier(OurWindowSupplier, HeadersBytesStoreSupplier):
    """The same for values with headers."""

    def get(self) -> WindowStore[bytes, bytes]:
        """Return a new store of bytes, without cache and changelog."""
        return self._typed(HeadersWindowBytes)


@dataclass(frozen=True, kw_only=True)
class OurSessionSupplier(SessionBytesStoreSupplier):
    """A session store over the byte store called ``kind``; times in milliseconds."""

    store: str
    kind: str
    durable: bool
    retention: int
    segment_interval: int
    emits_final: bool = False
    """Sessions of all keys are asked for by their end."""

    def name(self) -> str:
        """Return the store's name."""
        return self.store

    def metricsScope(self) -> str:
        """Return what Kafka calls the byte store."""
        return f"{_scope(self.kind)}-session"

    def segmentIntervalMs(self) -> int:
        """Return the width of the segments; 1 for a store in memory, which has none in Kafka."""
        return self.segment_interval if self.durable else 1

    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end."""
        return self.retention

    def get(self) -> SessionStore[bytes, bytes]:
        """Return a new store of bytes, without cache and changelog."""
        return self._typed(SessionBytes)

    def _typed(self, store: type[SessionBytes]) -> SessionStore[bytes, bytes]:
        keys, data = self.keys(), Serdes.ByteArray()
        return store(self.store, self.layer(keys), data, data, keys=keys)

    def keys(self) -> SessionKeys:
        """Return the layout of a new store."""
        return SessionKeys(self.segment_interval)

    def layer(self, keys: SessionKeys) -> StoredSessions:
        """Return the bytes of a new store."""
        return StoredSessions(
            self.store,
            self.kind,
            self.retention,
            keys,
            durable=self.durable,
            indexed=self.emits_final,
        )


class OurHeadersSessionSupplier(OurSessionSupplier, HeadersBytesStoreSupplier):
    """The same for aggregates with headers."""

    def get(self) -> SessionStore[bytes, bytes]:
        """Return a new store of bytes, without cache and changelog."""
        return self._typed(HeadersSessionBytes)


@dataclass(frozen=True, kw_only=True)
class OurVersionedSupplier(VersionedBytesStoreSupplier):
    """A versioned store over the byte store called ``kind``; times in milliseconds."""

    store: str
    kind: str
    durable: bool
    retention: int
    segment_interval: int
    cached: bool = False

    def name(self) -> str:
        """Return the store's name."""
        return self.store

    def metricsScope(self) -> str:
        """Return what Kafka calls the byte store."""
        return _scope(self.kind)

    def historyRetentionMs(self) -> int:
        """Return how far back versions are kept."""
        return self.retention

    def segmentIntervalMs(self) -> int:
        """Return the width of the segments in which old versions are dropped."""
        return self.segment_interval

    def get(self) -> VersionedBytesStore:
        """Return a new versioned store of bytes, without changelog."""
        data = Serdes.ByteArray()
        return OurVersionedBytes(SerdeVersionedStore(self.store, self.layer(), data, data))

    def layer(self) -> StoredVersions:
        """Return the bytes of a new store."""
        return StoredVersions(
            self.store, self.kind, self.retention, self.segment_interval, durable=self.durable
        )


def _scope(kind: str) -> str:
    return "in-memory" if kind == "memory" else kind
