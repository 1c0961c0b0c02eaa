"""Builders of tables' stores, made from ``Materialized``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.errors import IllegalArgumentException
from millstream.core.loading import load_instance
from millstream.core.state import (
    AnyStoreBuilder,
    DslKeyValueParams,
    DslSessionParams,
    DslStoreFormat,
    DslWindowParams,
    HeadersBytesStoreSupplier,
    SessionStore,
    SessionStoreWithHeaders,
    StateStore,
    StoreBuilder,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedBytesStoreSupplier,
    VersionedKeyValueStore,
)
from millstream.core.state.identity import StoreIdentity
from millstream.core.windows import EmitStrategy, StrategyType
from millstream.core.windows.earlier import EarlierWindows
from millstream.plugins.registry import store_kinds
from millstream.topology.dsl.options import Materialized
from millstream.topology.dsl.options.materialized import StoreType
from millstream.topology.graph.graph import GraphBuilder

_SUPPLIERS_CLASS = "dsl.store.suppliers.class"

AnyMaterialized = Materialized[Any, Any, Any]

Interfaces = tuple[type[Any], type[Any]]
"""A store's interface, and that over a supplier whose stores keep headers."""

KEY_VALUES: Interfaces = (TimestampedKeyValueStore, TimestampedKeyValueStoreWithHeaders)
WINDOWS: Interfaces = (TimestampedWindowStore, TimestampedWindowStoreWithHeaders)
SESSIONS: Interfaces = (SessionStore, SessionStoreWithHeaders)
VERSIONED: Interfaces = (VersionedKeyValueStore, VersionedKeyValueStore)


@dataclass(frozen=True, slots=True)
class Kept:
    """A table's ``Materialized`` with a name, the user's or a generated one."""

    materialized: AnyMaterialized
    name: str
    queryable: bool
    """The user gave the name."""

    @property
    def versioned(self) -> bool:
        """The store keeps the past of each key."""
        return isinstance(self.materialized.store_supplier, VersionedBytesStoreSupplier)


def store_name(materialized: AnyMaterialized) -> str | None:
    """Return the name that the user gave the store, by itself or through a supplier."""
    supplier = materialized.store_supplier
    return supplier.name() if supplier is not None else materialized.store_name


def resolved(
    graph: GraphBuilder,
    materialized: AnyMaterialized | None,
    prefix: str,
    *,
    key_serde: Any = None,
    value_serde: Any = None,
) -> Kept:
    """Fill in what the user left out; takes a number only where a name has to be made.

    Args:
        graph: Hands out the name.
        materialized: The user's choice, if any.
        prefix: Of a generated name.
        key_serde: Used unless ``materialized`` has one.
        value_serde: Used unless ``materialized`` has one.
    """
    chosen = materialized or Materialized()
    chosen = replace(
        chosen,
        key_serde=key_serde if chosen.key_serde is None else chosen.key_serde,
        value_serde=value_serde if chosen.value_serde is None else chosen.value_serde,
    )
    if chosen.dsl_store_suppliers is None and graph.settings is not None:
        suppliers = graph.settings.resolveDslStoreSuppliers()
        chosen = replace(chosen, dsl_store_suppliers=suppliers)
    name = store_name(chosen)
    return Kept(chosen, graph.names.store(prefix) if name is None else name, name is not None)


@dataclass(frozen=True, slots=True, eq=False)
class TableStoreBuilder(StoreBuilder[StateStore]):
    """Builder of a table's store, whose kind may depend on the application's configuration.

    Frozen: the ``with...`` methods return changed copies.
    """

    interfaces: ClassVar[Interfaces]

    kept: Kept
    configs: Mapping[str, Any] | None = field(default=None, repr=False)
    """Of the application; None until a host has set them."""

    def configured(self, configs: Mapping[str, Any]) -> Self:
        """Return a copy for an application; a host calls it before ``build``."""
        return replace(self, configs=configs)

    def withCachingEnabled(self) -> Self:
        return self._with(caching_enabled=True)

    def withCachingDisabled(self) -> Self:
        return self._with(caching_enabled=False)

    def withLoggingEnabled(self, config: Mapping[str, str]) -> Self:
        return self._with(logging_enabled=True, topic_config=dict(config))

    def withLoggingDisabled(self) -> Self:
        return self._with(logging_enabled=False, topic_config={})

    def logConfig(self) -> dict[str, str]:
        return dict(self.kept.materialized.topic_config)

    def loggingEnabled(self) -> bool:
        return self.kept.materialized.logging_enabled

    def name(self) -> str:
        return self.kept.name

    def build(self) -> StateStore:
        """Return a new store of the kind that user or configuration chose."""
        chosen = self.kept.materialized
        builder = self.plain_builder()
        if chosen.caching_enabled and self.cacheable():
            builder = builder.withCachingEnabled()
        if chosen.logging_enabled:
            builder = builder.withLoggingEnabled(chosen.topic_config)
        else:
            builder = builder.withLoggingDisabled()
        return builder.build()  # type: ignore[no-any-return]

    def identity(self) -> StoreIdentity | None:
        """Return what the store's bytes mean; None if another package makes the stores."""
        return inner_identity(self.plain_builder())

    def cacheable(self) -> bool:
        """Tell whether the store may have a cache."""
        return not self.kept.versioned

    def plain_builder(self) -> Any:
        """Return the builder of the store without cache and changelog."""
        chosen = self.kept.materialized
        supplier = chosen.store_supplier
        if supplier is None:
            supplier = self.default_supplier()
        interfaces = VERSIONED if self.kept.versioned else self.interfaces
        return builder_over(supplier, interfaces, chosen.key_serde, chosen.value_serde)

    @abstractmethod
    def default_supplier(self) -> Any:
        """Return the supplier to use where the user gave none."""

    def suppliers(self) -> Any:
        """Return what chooses the store's kind."""
        return chosen_suppliers(self.kept.materialized.dsl_store_suppliers, self.configs or {})

    def format(self, otherwise: DslStoreFormat) -> DslStoreFormat:
        """Return what values carry: headers if the application is configured so."""
        return chosen_format(self.configs or {}, otherwise)

    def _with(self, **changes: Any) -> Self:
        materialized = replace(self.kept.materialized, **changes)
        return replace(self, kept=replace(self.kept, materialized=materialized))


class KeyValueTableBuilder(TableStoreBuilder):
    """Builder of the store of a table by key."""

    __slots__ = ()
    interfaces = KEY_VALUES

    def historyRetention(self) -> int | None:
        """Return how far back versions are kept, in milliseconds; None: it keeps no versions."""
        if not self.kept.versioned:
            return None
        supplier: VersionedBytesStoreSupplier = self.kept.materialized.store_supplier
        return supplier.historyRetentionMs()

    def default_supplier(self) -> Any:
        """Return the supplier that the application's configuration chooses."""
        params = DslKeyValueParams(self.name(), self.format(DslStoreFormat.TIMESTAMPED))
        return self.suppliers().keyValueStore(params)


@dataclass(frozen=True, slots=True, eq=False)
class WindowTableBuilder(TableStoreBuilder):
    """Builder of the store of a table by key and window."""

    interfaces: ClassVar[Interfaces] = WINDOWS
    sliding: ClassVar[bool] = False

    windows: Any = None
    emit: EmitStrategy | None = None

    def __post_init__(self) -> None:
        needed_ms = self.span() + self.windows.gracePeriodMs()
        if needed_ms > self.retentionPeriod():
            raise IllegalArgumentException(
                f'window store "{self.name()}" would forget windows that still take records',
                detail=f"Windows and their grace take {needed_ms} ms, which is more than the "
                f"retention of {self.retentionPeriod()} ms.",
                hint="Give withRetention() at least that long.",
            )

    def span(self) -> int:
        """Return how far back windows reach that a record in time may change."""
        return int(self.windows.size())

    def window_size(self) -> int:
        """Return the size of the windows, as a supplier is told it."""
        return int(self.windows.size())

    def retentionPeriod(self) -> int:
        """Return how long windows are kept, in milliseconds of stream time."""
        retention_ms = self.kept.materialized.retention_ms
        if retention_ms is None and isinstance(self.windows, EarlierWindows):
            retention_ms = self.windows.retention_ms
        if retention_ms is not None:
            return int(retention_ms)
        return int(self.span() + self.windows.gracePeriodMs())

    def default_supplier(self) -> Any:
        """Return the supplier that the application's configuration chooses."""
        return self.suppliers().windowStore(
            DslWindowParams(
                self.name(),
                self.retentionPeriod(),
                self.window_size(),
                emitStrategy=self.emit,
                isSlidingWindow=self.sliding,
                dslStoreFormat=self.format(DslStoreFormat.TIMESTAMPED),
            )
        )


class SlidingTableBuilder(WindowTableBuilder):
    """Builder of the store of a table by key and sliding window."""

    __slots__ = ()
    sliding = True

    def span(self) -> int:
        """Return twice the difference: a window's neighbours are looked up as well."""
        return 2 * int(self.windows.timeDifferenceMs())

    def cacheable(self) -> bool:
        """Tell whether every update is a result."""
        return not emits_on_close(self.emit)

    def window_size(self) -> int:
        """Return the time difference, as Kafka does."""
        return int(self.windows.timeDifferenceMs())


class SessionTableBuilder(WindowTableBuilder):
    """Builder of the store of a table by key and session."""

    __slots__ = ()
    interfaces = SESSIONS

    def span(self) -> int:
        """Return the gap: a session may grow until then."""
        return int(self.windows.inactivityGap())

    def cacheable(self) -> bool:
        """Tell whether every update is a result."""
        return not emits_on_close(self.emit)

    def default_supplier(self) -> Any:
        """Return the supplier that the application's configuration chooses."""
        params = DslSessionParams(
            self.name(),
            self.retentionPeriod(),
            emitStrategy=self.emit,
            storeFormat=self.format(DslStoreFormat.PLAIN),
        )
        return self.suppliers().sessionStore(params)


def inner_identity(builder: Any) -> StoreIdentity | None:
    """Return what the bytes of a builder's stores mean; None if it does not say."""
    identity = getattr(builder, "identity", None)
    found: StoreIdentity | None = None if identity is None else identity()
    return found


def builder_over(
    supplier: Any, interfaces: Interfaces, key_serde: Any, value_serde: Any
) -> AnyStoreBuilder:
    """Return the builder of stores over what a supplier makes: with headers if it keeps them."""
    interface = interfaces[isinstance(supplier, HeadersBytesStoreSupplier)]
    return store_kinds().builder(interface, supplier, key_serde, value_serde)


def chosen_format(configs: Mapping[str, Any], otherwise: DslStoreFormat) -> DslStoreFormat:
    """Return what values of the DSL's stores carry: headers if so configured."""
    configured = str(configs.get("dsl.store.format") or "")
    return DslStoreFormat.HEADERS if configured.lower() == "headers" else otherwise


def emits_on_close(strategy: EmitStrategy | None) -> bool:
    """Tell whether windows are emitted once, at their end."""
    return strategy is not None and strategy.type() is StrategyType.ON_WINDOW_CLOSE


def idle_timeout(strategy: EmitStrategy | None) -> int | None:
    """Return after how many milliseconds without records the wall clock may close windows."""
    return None if strategy is None else strategy.idle_ms


def chosen_suppliers(chosen: Any, configs: Mapping[str, Any]) -> Any:
    """Return the suppliers of a table, of the application, or Kafka's default."""
    if chosen is None:
        given = configs.get(_SUPPLIERS_CLASS)
        if given in (None, CONFIG_KEYS[_SUPPLIERS_CLASS].default):
            chosen = _plugin_kind(configs) or StoreType.ROCKS_DB
        else:
            chosen = load_instance(given, _SUPPLIERS_CLASS)
    if isinstance(chosen, StoreType):
        chosen = chosen.value
    if isinstance(chosen, str):
        return store_kinds().dsl_suppliers(chosen)
    chosen.configure(configs)
    return chosen


def _plugin_kind(configs: Mapping[str, Any]) -> str | None:
    """Return the byte store plugin in ``default.dsl.store``.

    Kafka Streams looks there only in a ``TopologyConfig``, so outside of one its own names choose
    nothing.
    """
    name = configs.get("default.dsl.store")
    return None if name in {kind.value for kind in StoreType} else name
