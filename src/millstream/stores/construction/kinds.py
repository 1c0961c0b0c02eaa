"""Kafka's kinds of stores, offered to the DSL as a plugin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.arguments import of_type, required
from millstream.core.serdes import Serde
from millstream.core.state import (
    AnyStoreBuilder,
    DslKeyValueParams,
    DslSessionParams,
    DslStoreFormat,
    DslStoreSuppliers,
    DslWindowParams,
    KeyValueBytesStoreSupplier,
    SessionBytesStoreSupplier,
    StoreKinds,
    WindowBytesStoreSupplier,
)
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.core.windows import EmitStrategy
from millstream.plugins import hookimpl
from millstream.plugins.registry import store_class
from millstream.stores.changelogs.formats import format_of
from millstream.stores.construction.builders import store_builder
from millstream.stores.construction.suppliers import (
    OurHeadersKeyValueSupplier,
    OurHeadersSessionSupplier,
    OurHeadersWindowSupplier,
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurWindowSupplier,
)
from millstream.stores.conversions import RowConversion

KAFKA_NAMES = {"rocks_db": "rocksdb", "rocksdb": "rocksdb", "in_memory": "memory"}


class PluginDslStoreSuppliers(DslStoreSuppliers):
    """The stores of the DSL over one byte store."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def keyValueStore(self, params: DslKeyValueParams) -> KeyValueBytesStoreSupplier:
        _checked(params, DslKeyValueParams)
        wanted = params.dslStoreFormat()
        supplier = OurHeadersKeyValueSupplier if self._headers(wanted) else OurKeyValueSupplier
        return supplier(
            store=params.name(),
            kind=self.kind,
            durable=self._durable(),
            timestamped=wanted is not DslStoreFormat.PLAIN,
        )

    def windowStore(self, params: DslWindowParams) -> WindowBytesStoreSupplier:
        _checked(params, DslWindowParams)
        wanted = params.dslStoreFormat()
        supplier = OurHeadersWindowSupplier if self._headers(wanted) else OurWindowSupplier
        return supplier(
            store=params.name(),
            kind=self.kind,
            durable=self._durable(),
            timestamped=wanted is not DslStoreFormat.PLAIN,
            retention=params.retentionPeriod(),
            size=params.windowSize(),
            duplicates=params.retainDuplicates(),
            emits_final=_emits_final(params.emitStrategy()),
            sliding=params.isSlidingWindow(),
        )

    def sessionStore(self, params: DslSessionParams) -> SessionBytesStoreSupplier:
        _checked(params, DslSessionParams)
        headers = self._headers(params.storeFormat())
        supplier = OurHeadersSessionSupplier if headers else OurSessionSupplier
        return supplier(
            store=params.name(),
            kind=self.kind,
            durable=self._durable(),
            retention=params.retentionPeriod(),
            emits_final=_emits_final(params.emitStrategy()),
        )

    def _headers(self, wanted: DslStoreFormat) -> bool:
        """Tell whether the bytes keep headers; as in Kafka, stores in memory keep none."""
        return wanted is DslStoreFormat.HEADERS and self._durable()

    def _durable(self) -> bool:
        return store_class(self.kind).traits.durable


def _checked(params: object, kind: type) -> None:
    of_type(required(params, "params"), kind, "params", f"Give {kind.__name__}(name, ...).")


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
        kind = KAFKA_NAMES.get(name.lower(), name)
        store_class(kind)
        return PluginDslStoreSuppliers(kind)

    def builder(
        self,
        store: type[Any],
        supplier: Any,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> AnyStoreBuilder:
        return store_builder(store, supplier, key_serde, value_serde)

    def changelog_format(
        self, store: str, note: Any, retention: int | None = None
    ) -> ChangelogFormat:
        return format_of(store, note, retention)

    def row_conversion(
        self,
        store: str,
        names: tuple[str, ...],
        before: Any,
        after: Any,
        word: Callable[[bytes], Any] | None = None,
    ) -> RowConversion:
        return RowConversion(store, names, before, after, word)


def _emits_final(strategy: EmitStrategy | None) -> bool:
    return strategy is not None and strategy.type() is EmitStrategy.StrategyType.ON_WINDOW_CLOSE


@hookimpl
def millstream_store_kinds() -> StoreKinds:
    """Offer the kinds."""
    return OurStoreKinds()
