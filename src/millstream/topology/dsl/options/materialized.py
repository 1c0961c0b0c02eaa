"""Options of a table's store."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.serdes import Serde
from millstream.core.serdes.checks import checked_serde
from millstream.core.state import (
    DslKeyValueParams,
    DslSessionParams,
    DslWindowParams,
    KeyValueBytesStoreSupplier,
    SessionBytesStoreSupplier,
    WindowBytesStoreSupplier,
    changelog_settings,
)
from millstream.core.wording import a_kind
from millstream.plugins.registry import store_kinds
from millstream.topology.dsl.options.checks import is_dsl_store_suppliers, required
from millstream.topology.dsl.options.function_types import MakesStore, MakesStores
from millstream.topology.dsl.options.named import ChangesItself, validate_name
from millstream.topology.dsl.type_vars import K_, V_, K, S, V


class StoreType(enum.Enum):
    """The kinds of store that Kafka Streams ships, by their names in ``default.dsl.store``."""

    ROCKS_DB = "rocksDB"
    IN_MEMORY = "in_memory"

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Do nothing: these stores need no configuration."""

    def keyValueStore(self, params: DslKeyValueParams) -> KeyValueBytesStoreSupplier:
        """Return the supplier of a key-value store."""
        return store_kinds().dsl_suppliers(self.value).keyValueStore(params)

    def windowStore(self, params: DslWindowParams) -> WindowBytesStoreSupplier:
        """Return the supplier of a window store."""
        return store_kinds().dsl_suppliers(self.value).windowStore(params)

    def sessionStore(self, params: DslSessionParams) -> SessionBytesStoreSupplier:
        """Return the supplier of a session store."""
        return store_kinds().dsl_suppliers(self.value).sessionStore(params)


@dataclass(frozen=True, slots=True, kw_only=True)
class Materialized(ChangesItself, Generic[K, V, S]):
    """Name, kind, serdes, cache, changelog and retention of a table's store; all optional.

    Attributes:
        store_name: What to query the store by; None, and no ``store_supplier``: not queryable.
        store_supplier: Makes exactly this store, and names it.
        dsl_store_suppliers: Makes stores of a kind, or one of ``StoreType``.
        retention_ms: How long windows are kept; None for as long as they take events.
        topic_config: Settings of the changelog topic, by their Kafka names.

    Source: ``kstream.Materialized``.
    """

    StoreType: ClassVar = StoreType

    store_name: str | None = None
    store_supplier: Any = None
    dsl_store_suppliers: Any = None
    key_serde: Serde[K] | None = None
    value_serde: Serde[V] | None = None
    retention_ms: int | None = None
    logging_enabled: bool = True
    caching_enabled: bool = True
    topic_config: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_serde(self.key_serde, "keySerde")
        checked_serde(self.value_serde, "valueSerde")
        if self.store_name is not None:
            object.__setattr__(self, "store_name", validate_name(self.store_name))

    @staticmethod
    def as_(store: str | MakesStore | MakesStores) -> Materialized[Any, Any, Any]:
        """Return a store's name, a supplier of one store, or of a kind of stores.

        Args:
            store: A name; a key-value, window or session store supplier of ``Stores``; a
                ``DslStoreSuppliers`` or ``Materialized.StoreType``.

        Raises:
            TopologyException: The name breaks the rules for topics' names.
        """
        required(store, "store name or supplier can't be null")
        if isinstance(store, str):
            return Materialized(store_name=store)
        if _is_store_type(store):
            return Materialized(dsl_store_suppliers=store)
        if callable(getattr(store, "get", None)) and callable(getattr(store, "name", None)):
            return Materialized(store_supplier=store)
        raise ClassCastException(
            f"Materialized cannot be made of {a_kind(store)}",
            hint="Give a name, a store supplier or a DslStoreSuppliers.",
        )

    @staticmethod
    def with_(
        keySerde: Serde[K_] | None, valueSerde: Serde[V_] | None
    ) -> Materialized[K_, V_, Any]:
        """Return only serdes."""
        return Materialized(key_serde=keySerde, value_serde=valueSerde)

    def withKeySerde(self, keySerde: Serde[K] | None) -> Materialized[K, V, S]:
        """Set another key serde; this and the other methods return this object."""
        return self._with(key_serde=keySerde)

    def withValueSerde(self, valueSerde: Serde[V] | None) -> Materialized[K, V, S]:
        """Set another value serde."""
        return self._with(value_serde=valueSerde)

    def withLoggingEnabled(self, config: Mapping[str, str] | None) -> Materialized[K, V, S]:
        """Set topic settings of the changelog."""
        return self._with(logging_enabled=True, topic_config=changelog_settings(config or {}))

    def withLoggingDisabled(self) -> Materialized[K, V, S]:
        """Have no changelog: the store is lost when a task moves or restarts."""
        return self._with(logging_enabled=False, topic_config={})

    def withCachingEnabled(self) -> Materialized[K, V, S]:
        """Pass on only the last update of a key between two commits."""
        return self._with(caching_enabled=True)

    def withCachingDisabled(self) -> Materialized[K, V, S]:
        """Pass on every update."""
        return self._with(caching_enabled=False)

    def withRetention(self, retention: DurationLike) -> Materialized[K, V, S]:
        """Keep windows that long, at least size plus grace.

        Raises:
            IllegalArgumentException: It is negative.
        """
        retention_ms = to_millis(retention, "retention")
        if retention_ms < 0:
            raise IllegalArgumentException(
                "Retention must not be negative.", detail=f"It is {retention_ms} ms."
            )
        return self._with(retention_ms=retention_ms)

    def withStoreType(self, storeSuppliers: MakesStores) -> Materialized[K, V, S]:
        """Have a store of another kind.

        Raises:
            IllegalArgumentException: There is a supplier of exactly one store already.
        """
        required(storeSuppliers, "store type can't be null")
        if self.store_supplier is not None:
            raise IllegalArgumentException(
                "Cannot set store type when store supplier is pre-configured."
            )
        return self._with(dsl_store_suppliers=checked_store_type(storeSuppliers))


Kind = StoreType


def _is_store_type(value: Any) -> bool:
    return isinstance(value, Kind) or is_dsl_store_suppliers(value)


def checked_store_type(value: Any) -> Any:
    """Return what makes the DSL's stores, or one of ``Materialized.StoreType``.

    Raises:
        ClassCastException: It is neither, such as a class of the former.
    """
    if _is_store_type(value):
        return value
    kind = f"the class {value.__name__}" if isinstance(value, type) else a_kind(value)
    raise ClassCastException(
        f"a store type cannot be {kind}",
        hint=f"Write {value.__name__}(), with parentheses."
        if isinstance(value, type)
        else "Give a DslStoreSuppliers or one of Materialized.StoreType.",
    )
