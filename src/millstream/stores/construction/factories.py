"""``Stores``: the factories of stores that users call."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypeVar

from millstream.core.arguments import whole
from millstream.core.durations import DurationLike
from millstream.core.errors import IllegalArgumentException
from millstream.core.serdes import Serde
from millstream.core.state import (
    KeyValueBytesStoreSupplier,
    KeyValueStore,
    SessionBytesStoreSupplier,
    SessionStore,
    SessionStoreWithHeaders,
    StoreBuilder,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedBytesStoreSupplier,
    VersionedKeyValueStore,
    WindowBytesStoreSupplier,
    WindowStore,
)
from millstream.stores.construction.builders import store_builder
from millstream.stores.construction.suppliers import (
    OurHeadersKeyValueSupplier,
    OurHeadersSessionSupplier,
    OurHeadersWindowSupplier,
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurVersionedSupplier,
    OurWindowSupplier,
)

# The default is for a serde of None, which does not tell.
K = TypeVar("K", default=Any)
V = TypeVar("V", default=Any)

PERSISTENT: dict[str, Any] = {"kind": "rocksdb", "durable": True}
IN_MEMORY: dict[str, Any] = {"kind": "memory", "durable": False}


class Stores:
    """Factories of suppliers (which bytes) and builders (which serdes, cache, changelog) of stores.

    Durations are ``timedelta`` or milliseconds; a serde of None is the application's default.

    Example:
        >>> from millstream.core.serdes import Serdes
        >>> Stores.keyValueStoreBuilder(
        ...     Stores.inMemoryKeyValueStore("last-seen"), Serdes.String(), Serdes.Long()
        ... ).withCachingEnabled().name()
        'last-seen'

    Source: ``state.Stores``.
    """

    @staticmethod
    def persistentKeyValueStore(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores on local disk.

        Raises:
            NullPointerException: ``name`` is None, here and below.
        """
        return OurKeyValueSupplier(store=name, **PERSISTENT, timestamped=False)

    @staticmethod
    def persistentTimestampedKeyValueStore(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores on local disk, for values with timestamps."""
        return OurKeyValueSupplier(store=name, **PERSISTENT)

    @staticmethod
    def persistentTimestampedKeyValueStoreWithHeaders(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores on local disk, for values with headers."""
        return OurHeadersKeyValueSupplier(store=name, **PERSISTENT, timestamped=False)

    @staticmethod
    def inMemoryKeyValueStore(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores in memory."""
        return OurKeyValueSupplier(store=name, **IN_MEMORY)

    @staticmethod
    def lruMap(name: str, maxCacheSize: int) -> KeyValueBytesStoreSupplier:
        """Return a supplier of stores in memory that keep the entries used last.

        Which were used last is not kept on Spark: when a task is restored, the order begins with
        that of the keys, and a full store may forget another entry first.

        Raises:
            IllegalArgumentException: ``maxCacheSize`` is negative.
        """
        limit = whole(maxCacheSize, "maxCacheSize", 32)
        if limit < 0:
            raise IllegalArgumentException(
                "maxCacheSize cannot be negative", detail=f"It is {maxCacheSize}."
            )
        return OurKeyValueSupplier(store=name, **IN_MEMORY, max_entries=limit)

    @staticmethod
    def persistentWindowStore(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores on local disk.

        Raises:
            IllegalArgumentException: A duration is negative, or the retention period shorter than
                a window, here and below.
        """
        return OurWindowSupplier(
            store=name,
            **PERSISTENT,
            timestamped=False,
            retention=retentionPeriod,
            size=windowSize,
            duplicates=retainDuplicates,
        )

    @staticmethod
    def persistentTimestampedWindowStore(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores on local disk, for values with timestamps."""
        return OurWindowSupplier(
            store=name,
            **PERSISTENT,
            retention=retentionPeriod,
            size=windowSize,
            duplicates=retainDuplicates,
        )

    @staticmethod
    def persistentTimestampedWindowStoreWithHeaders(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores on local disk, for values with headers."""
        return OurHeadersWindowSupplier(
            store=name,
            **PERSISTENT,
            retention=retentionPeriod,
            size=windowSize,
            duplicates=retainDuplicates,
        )

    @staticmethod
    def inMemoryWindowStore(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores in memory."""
        return OurWindowSupplier(
            store=name,
            **IN_MEMORY,
            retention=retentionPeriod,
            size=windowSize,
            duplicates=retainDuplicates,
        )

    @staticmethod
    def persistentSessionStore(
        name: str, retentionPeriod: DurationLike
    ) -> SessionBytesStoreSupplier:
        """Return a supplier of session stores on local disk.

        Raises:
            IllegalArgumentException: ``retentionPeriod`` is negative, here and below.
        """
        return OurSessionSupplier(store=name, **PERSISTENT, retention=retentionPeriod)

    @staticmethod
    def persistentSessionStoreWithHeaders(
        name: str, retentionPeriod: DurationLike
    ) -> SessionBytesStoreSupplier:
        """Return a supplier of session stores on local disk, for aggregates with headers."""
        return OurHeadersSessionSupplier(store=name, **PERSISTENT, retention=retentionPeriod)

    @staticmethod
    def inMemorySessionStore(name: str, retentionPeriod: DurationLike) -> SessionBytesStoreSupplier:
        """Return a supplier of session stores in memory."""
        return OurSessionSupplier(store=name, **IN_MEMORY, retention=retentionPeriod)

    @staticmethod
    def persistentVersionedKeyValueStore(
        name: str,
        historyRetention: DurationLike,
        segmentInterval: DurationLike | None = None,
        *,
        cached: bool = False,
    ) -> VersionedBytesStoreSupplier:
        """Return a supplier of versioned stores on local disk.

        ``historyRetention`` is how far back versions can be read and still be written;
        ``segmentInterval`` the stretch of time in which old versions are dropped together. With
        ``cached``, which Kafka does not have, the latest versions used last stay in memory as well;
        every version is stored, logged and passed on all the same.

        Raises:
            IllegalArgumentException: ``historyRetention`` is negative, or ``segmentInterval`` less
                than a millisecond.
        """
        return OurVersionedSupplier(
            store=name,
            **PERSISTENT,
            retention=historyRetention,
            interval=segmentInterval,
            cached=cached,
        )

    @staticmethod
    def inMemoryVersionedKeyValueStore(
        name: str,
        historyRetention: DurationLike,
        segmentInterval: DurationLike | None = None,
        *,
        cached: bool = False,
    ) -> VersionedBytesStoreSupplier:
        """Return a supplier of versioned stores in memory, which Kafka does not have.

        Everything but the place is as with ``persistentVersionedKeyValueStore``.
        """
        return OurVersionedSupplier(
            store=name,
            **IN_MEMORY,
            retention=historyRetention,
            interval=segmentInterval,
            cached=cached,
        )

    @staticmethod
    def keyValueStoreBuilder(
        supplier: KeyValueBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[KeyValueStore[K, V]]:
        """Return a builder of plain key-value stores."""
        return store_builder(KeyValueStore, supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedKeyValueStoreBuilder(
        supplier: KeyValueBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[TimestampedKeyValueStore[K, V]]:
        """Return a builder of key-value stores with timestamps.

        Over ``persistentKeyValueStore`` the times are not kept: they are read as -1, as in Kafka.
        """
        return store_builder(TimestampedKeyValueStore, supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedKeyValueStoreWithHeadersBuilder(
        supplier: KeyValueBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[TimestampedKeyValueStoreWithHeaders[K, V]]:
        """Return a builder of key-value stores with timestamps and headers.

        What a persistent supplier was not made for is not kept: headers read as none, times as -1.
        """
        return store_builder(TimestampedKeyValueStoreWithHeaders, supplier, keySerde, valueSerde)

    @staticmethod
    def windowStoreBuilder(
        supplier: WindowBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[WindowStore[K, V]]:
        """Return a builder of plain window stores."""
        return store_builder(WindowStore, supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedWindowStoreBuilder(
        supplier: WindowBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[TimestampedWindowStore[K, V]]:
        """Return a builder of window stores with timestamps."""
        return store_builder(TimestampedWindowStore, supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedWindowStoreWithHeadersBuilder(
        supplier: WindowBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[TimestampedWindowStoreWithHeaders[K, V]]:
        """Return a builder of window stores with timestamps and headers."""
        return store_builder(TimestampedWindowStoreWithHeaders, supplier, keySerde, valueSerde)

    @staticmethod
    def sessionStoreBuilder(
        supplier: SessionBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[SessionStore[K, V]]:
        """Return a builder of session stores."""
        return store_builder(SessionStore, supplier, keySerde, valueSerde)

    @staticmethod
    def sessionStoreWithHeadersBuilder(
        supplier: SessionBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[SessionStoreWithHeaders[K, V]]:
        """Return a builder of session stores with headers."""
        return store_builder(SessionStoreWithHeaders, supplier, keySerde, valueSerde)

    @staticmethod
    def versionedKeyValueStoreBuilder(
        supplier: VersionedBytesStoreSupplier,
        keySerde: Serde[K] | None,
        valueSerde: Serde[V] | None,
    ) -> StoreBuilder[VersionedKeyValueStore[K, V]]:
        """Return a builder of versioned stores."""
        return store_builder(VersionedKeyValueStore, supplier, keySerde, valueSerde)
