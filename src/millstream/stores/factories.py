"""The factories of stores that users call."""

from __future__ import annotations

from typing import Any

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.serdes import Serde
from millstream.core.state import (
    KeyValueBytesStoreSupplier,
    KeyValueStore,
    StoreBuilder,
    TimestampedKeyValueStore,
    TimestampedWindowStore,
    WindowBytesStoreSupplier,
    WindowStore,
)
from millstream.stores.builders import (
    KeyValueStoreBuilder,
    TimestampedKeyValueStoreBuilder,
    TimestampedWindowStoreBuilder,
    WindowStoreBuilder,
)
from millstream.stores.suppliers import OurKeyValueSupplier, OurWindowSupplier
from millstream.stores.window_keys import default_segment_interval

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


def key_value_supplier(
    name: str,
    kind: str,
    *,
    durable: bool,
    timestamped: bool,
    max_entries: int | None = None,
) -> OurKeyValueSupplier:
    """Return a supplier of key-value stores over the byte store called ``kind``."""
    return OurKeyValueSupplier(
        store=_named(name),
        kind=kind,
        durable=durable,
        timestamped=timestamped,
        max_entries=max_entries,
    )


def window_supplier(
    name: str,
    kind: str,
    retention: DurationLike,
    size: DurationLike,
    duplicates: bool,
    *,
    durable: bool,
    timestamped: bool,
) -> OurWindowSupplier:
    """Return a supplier of window stores over the byte store called ``kind``."""
    name = _named(name)
    retention_ms = to_millis(retention, "retentionPeriod")
    size_ms = to_millis(size, "windowSize")
    if retention_ms < 0:
        raise IllegalArgumentException(
            "retentionPeriod cannot be negative", detail=f"It is {retention_ms} ms."
        )
    if size_ms < 0:
        raise IllegalArgumentException(
            "windowSize cannot be negative", detail=f"It is {size_ms} ms."
        )
    if size_ms > retention_ms:
        raise IllegalArgumentException(
            f"The retention period of the window store {name} must be no smaller than its window "
            f"size. Got size=[{size_ms}], retention=[{retention_ms}]"
        )
    return OurWindowSupplier(
        store=name,
        kind=kind,
        durable=durable,
        timestamped=timestamped,
        retention=retention_ms,
        size=size_ms,
        duplicates=duplicates,
        segment_interval=default_segment_interval(retention_ms),
    )


def _named(name: str) -> str:
    if name is None:
        raise NullPointerException("name cannot be null")
    return name
