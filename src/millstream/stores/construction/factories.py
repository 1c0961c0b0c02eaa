"""The factories of stores that users call."""

from __future__ import annotations

from typing import Any

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
from millstream.stores.construction.builders import (
    KeyValueStoreBuilder,
    KeyValueStoreWithHeadersBuilder,
    SessionStoreBuilder,
    SessionStoreWithHeadersBuilder,
    TimestampedKeyValueStoreBuilder,
    TimestampedWindowStoreBuilder,
    VersionedKeyValueStoreBuilder,
    WindowStoreBuilder,
    WindowStoreWithHeadersBuilder,
)
from millstream.stores.construction.make_suppliers import (
    key_value_supplier,
    session_supplier,
    versioned_supplier,
    window_supplier,
)

PERSISTENT = "rocksdb"
IN_MEMORY = "memory"


class Stores:
    """Makes suppliers (which bytes) and builders (which serdes, cache, changelog) of stores.

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
        return key_value_supplier(name, PERSISTENT, durable=True, timestamped=False)

    @staticmethod
    def persistentTimestampedKeyValueStore(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores on local disk, for values with timestamps."""
        return key_value_supplier(name, PERSISTENT, durable=True, timestamped=True)

    @staticmethod
    def persistentTimestampedKeyValueStoreWithHeaders(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores on local disk, for values with headers."""
        return key_value_supplier(name, PERSISTENT, durable=True, timestamped=False, headers=True)

    @staticmethod
    def inMemoryKeyValueStore(name: str) -> KeyValueBytesStoreSupplier:
        """Return a supplier of key-value stores in memory."""
        return key_value_supplier(name, IN_MEMORY, durable=False, timestamped=True)

    @staticmethod
    def lruMap(name: str, maxCacheSize: int) -> KeyValueBytesStoreSupplier:
        """Return a supplier of stores in memory that keep the entries used last.

        Raises:
            IllegalArgumentException: ``maxCacheSize`` is negative.
        """
        if maxCacheSize < 0:
            raise IllegalArgumentException(
                "maxCacheSize cannot be negative", detail=f"It is {maxCacheSize}."
            )
        return key_value_supplier(
            name, IN_MEMORY, durable=False, timestamped=True, max_entries=maxCacheSize
        )

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
        return window_supplier(
            name,
            PERSISTENT,
            retentionPeriod,
            windowSize,
            retainDuplicates,
            durable=True,
            timestamped=False,
        )

    @staticmethod
    def persistentTimestampedWindowStore(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores on local disk, for values with timestamps."""
        return window_supplier(
            name,
            PERSISTENT,
            retentionPeriod,
            windowSize,
            retainDuplicates,
            durable=True,
            timestamped=True,
        )

    @staticmethod
    def persistentTimestampedWindowStoreWithHeaders(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores on local disk, for values with headers."""
        return window_supplier(
            name,
            PERSISTENT,
            retentionPeriod,
            windowSize,
            retainDuplicates,
            durable=True,
            timestamped=True,
            headers=True,
        )

    @staticmethod
    def inMemoryWindowStore(
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool,
    ) -> WindowBytesStoreSupplier:
        """Return a supplier of window stores in memory."""
        return window_supplier(
            name,
            IN_MEMORY,
            retentionPeriod,
            windowSize,
            retainDuplicates,
            durable=False,
            timestamped=True,
        )

    @staticmethod
    def persistentSessionStore(
        name: str, retentionPeriod: DurationLike
    ) -> SessionBytesStoreSupplier:
        """Return a supplier of session stores on local disk.

        Raises:
            IllegalArgumentException: ``retentionPeriod`` is negative, here and below.
        """
        return session_supplier(name, PERSISTENT, retentionPeriod, durable=True)

    @staticmethod
    def persistentSessionStoreWithHeaders(
        name: str, retentionPeriod: DurationLike
    ) -> SessionBytesStoreSupplier:
        """Return a supplier of session stores on local disk, for aggregates with headers."""
        return session_supplier(name, PERSISTENT, retentionPeriod, durable=True, headers=True)

    @staticmethod
    def inMemorySessionStore(name: str, retentionPeriod: DurationLike) -> SessionBytesStoreSupplier:
        """Return a supplier of session stores in memory."""
        return session_supplier(name, IN_MEMORY, retentionPeriod, durable=False)

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
        return versioned_supplier(
            name, PERSISTENT, historyRetention, segmentInterval, durable=True, cached=cached
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
        return versioned_supplier(
            name, IN_MEMORY, historyRetention, segmentInterval, durable=False, cached=cached
        )

    @staticmethod
    def keyValueStoreBuilder(
        supplier: KeyValueBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[KeyValueStore[Any, Any]]:
        """Return a builder of plain key-value stores."""
        return KeyValueStoreBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedKeyValueStoreBuilder(
        supplier: KeyValueBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[TimestampedKeyValueStore[Any, Any]]:
        """Return a builder of key-value stores with timestamps.

        Over ``persistentKeyValueStore`` the times are not kept: they are read as -1, as in Kafka.
        """
        return TimestampedKeyValueStoreBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedKeyValueStoreWithHeadersBuilder(
        supplier: KeyValueBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[TimestampedKeyValueStoreWithHeaders[Any, Any]]:
        """Return a builder of key-value stores with timestamps and headers.

        What a persistent supplier was not made for is not kept: headers read as none, times as -1.
        """
        return KeyValueStoreWithHeadersBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def windowStoreBuilder(
        supplier: WindowBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[WindowStore[Any, Any]]:
        """Return a builder of plain window stores."""
        return WindowStoreBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedWindowStoreBuilder(
        supplier: WindowBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[TimestampedWindowStore[Any, Any]]:
        """Return a builder of window stores with timestamps."""
        return TimestampedWindowStoreBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def timestampedWindowStoreWithHeadersBuilder(
        supplier: WindowBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[TimestampedWindowStoreWithHeaders[Any, Any]]:
        """Return a builder of window stores with timestamps and headers."""
        return WindowStoreWithHeadersBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def sessionStoreBuilder(
        supplier: SessionBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[SessionStore[Any, Any]]:
        """Return a builder of session stores."""
        return SessionStoreBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def sessionStoreWithHeadersBuilder(
        supplier: SessionBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[SessionStoreWithHeaders[Any, Any]]:
        """Return a builder of session stores with headers."""
        return SessionStoreWithHeadersBuilder(supplier, keySerde, valueSerde)

    @staticmethod
    def versionedKeyValueStoreBuilder(
        supplier: VersionedBytesStoreSupplier,
        keySerde: Serde[Any] | None,
        valueSerde: Serde[Any] | None,
    ) -> StoreBuilder[VersionedKeyValueStore[Any, Any]]:
        """Return a builder of versioned stores."""
        return VersionedKeyValueStoreBuilder(supplier, keySerde, valueSerde)
