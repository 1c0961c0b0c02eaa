"""Kafka's kinds of stores, offered to the DSL as a plugin."""

from __future__ import annotations

from typing import Any

from millstream.core.state import (
    DslKeyValueParams,
    DslSessionParams,
    DslStoreFormat,
    DslStoreSuppliers,
    DslWindowParams,
    KeyValueBytesStoreSupplier,
    KeyValueStore,
    SessionBytesStoreSupplier,
    SessionStore,
    SessionStoreWithHeaders,
    StoreBuilder,
    StoreKinds,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedBytesStoreSupplier,
    VersionedKeyValueStore,
    WindowBytesStoreSupplier,
    WindowStore,
)
from millstream.core.windows import EmitStrategy
from millstream.plugins import hookimpl
from millstream.plugins.registry import store_class
from millstream.stores.construction.factories import Stores
from millstream.stores.construction.make_suppliers import (
    key_value_supplier,
    session_supplier,
    window_supplier,
)

KAFKA_NAMES = {"rocks_db": "rocksdb", "rocksdb": "rocksdb", "in_memory": "memory"}


class PluginDslStoreSuppliers(DslStoreSuppliers):
    """The stores of the DSL over one byte store."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def keyValueStore(self, params: DslKeyValueParams) -> KeyValueBytesStoreSupplier:
        """Return the supplier of a key-value store."""
        return key_value_supplier(
            params.name(),
            self.kind,
            durable=self._durable(),
            **self._kept(params.dslStoreFormat()),
        )

    def windowStore(self, params: DslWindowParams) -> WindowBytesStoreSupplier:
        """Return the supplier of a window store."""
        return window_supplier(
            params.name(),
            self.kind,
            params.retentionPeriod(),
            params.windowSize(),
            params.retainDuplicates(),
            durable=self._durable(),
            **self._kept(params.dslStoreFormat()),
            emits_final=_emits_final(params.emitStrategy()),
            sliding=params.isSlidingWindow(),
        )

    def sessionStore(self, params: DslSessionParams) -> SessionBytesStoreSupplier:
        """Return the supplier of a session store."""
        return session_supplier(
            params.name(),
            self.kind,
            params.retentionPeriod(),
            durable=self._durable(),
            headers=self._kept(params.storeFormat())["headers"],
            emits_final=_emits_final(params.emitStrategy()),
        )

    def _kept(self, wanted: DslStoreFormat) -> dict[str, bool]:
        """Return what values carry; as in Kafka, no headers in stores in memory."""
        headers = wanted is DslStoreFormat.HEADERS and self._durable()
        return {"timestamped": wanted is not DslStoreFormat.PLAIN, "headers": headers}

    def _durable(self) -> bool:
        return store_class(self.kind).traits.durable


class BuiltInDslStoreSuppliers:
    """Kafka's two choices for the stores of the DSL.

    Source: KIP-954, ``state.BuiltInDslStoreSuppliers``.
    """

    class RocksDBDslStoreSuppliers(PluginDslStoreSuppliers):
        """Stores on local disk: the default."""

        def __init__(self) -> None:
            super().__init__("rocksdb")

    class InMemoryDslStoreSuppliers(PluginDslStoreSuppliers):
        """Stores in memory."""

        def __init__(self) -> None:
            super().__init__("memory")

    ROCKS_DB: DslStoreSuppliers = RocksDBDslStoreSuppliers()
    IN_MEMORY: DslStoreSuppliers = InMemoryDslStoreSuppliers()


class OurStoreKinds(StoreKinds):
    """The stores of this package."""

    def dsl_suppliers(self, name: str) -> DslStoreSuppliers:
        """Return the suppliers called ``name``."""
        kind = KAFKA_NAMES.get(name.lower(), name)
        store_class(kind)
        return PluginDslStoreSuppliers(kind)

    def key_value(
        self, supplier: KeyValueBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[KeyValueStore[Any, Any]]:
        """Return a builder of plain key-value stores."""
        return Stores.keyValueStoreBuilder(supplier, key_serde, value_serde)

    def timestamped_key_value(
        self, supplier: KeyValueBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedKeyValueStore[Any, Any]]:
        """Return a builder of key-value stores with timestamps."""
        return Stores.timestampedKeyValueStoreBuilder(supplier, key_serde, value_serde)

    def window(
        self, supplier: WindowBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[WindowStore[Any, Any]]:
        """Return a builder of plain window stores."""
        return Stores.windowStoreBuilder(supplier, key_serde, value_serde)

    def timestamped_window(
        self, supplier: WindowBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedWindowStore[Any, Any]]:
        """Return a builder of window stores with timestamps."""
        return Stores.timestampedWindowStoreBuilder(supplier, key_serde, value_serde)

    def session(
        self, supplier: SessionBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[SessionStore[Any, Any]]:
        """Return a builder of session stores."""
        return Stores.sessionStoreBuilder(supplier, key_serde, value_serde)

    def timestamped_key_value_with_headers(
        self, supplier: KeyValueBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedKeyValueStoreWithHeaders[Any, Any]]:
        """Return a builder of key-value stores with timestamps and headers."""
        return Stores.timestampedKeyValueStoreWithHeadersBuilder(supplier, key_serde, value_serde)

    def timestamped_window_with_headers(
        self, supplier: WindowBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedWindowStoreWithHeaders[Any, Any]]:
        """Return a builder of window stores with timestamps and headers."""
        return Stores.timestampedWindowStoreWithHeadersBuilder(supplier, key_serde, value_serde)

    def session_with_headers(
        self, supplier: SessionBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[SessionStoreWithHeaders[Any, Any]]:
        """Return a builder of session stores with headers."""
        return Stores.sessionStoreWithHeadersBuilder(supplier, key_serde, value_serde)

    def versioned(
        self, supplier: VersionedBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[VersionedKeyValueStore[Any, Any]]:
        """Return a builder of versioned stores."""
        return Stores.versionedKeyValueStoreBuilder(supplier, key_serde, value_serde)


def _emits_final(strategy: EmitStrategy | None) -> bool:
    return strategy is not None and strategy.type() is EmitStrategy.StrategyType.ON_WINDOW_CLOSE


@hookimpl
def millstream_store_kinds() -> StoreKinds:
    """Offer the kinds."""
    return OurStoreKinds()
