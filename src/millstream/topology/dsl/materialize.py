"""Builders of tables' stores, made from ``Materialized``."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.durations import LONG_MAX
from millstream.core.errors import IllegalArgumentException
from millstream.core.state import (
    DslKeyValueParams,
    DslSessionParams,
    DslStoreFormat,
    DslWindowParams,
    KeyValueBytesStoreSupplier,
    SessionBytesStoreSupplier,
    StateStore,
    VersionedBytesStoreSupplier,
    WindowBytesStoreSupplier,
    check_supplier,
)
from millstream.core.state.identity import StoreIdentity
from millstream.core.windows import EmitStrategy, StrategyType
from millstream.core.windows.earlier import EarlierWindows
from millstream.topology.dsl.options import Materialized
from millstream.topology.dsl.store_builders import (
    KEY_VALUES,
    SESSIONS,
    VERSIONED,
    WINDOWS,
    DslStoreBuilder,
    Interfaces,
    builder_over,
)
from millstream.topology.graph.graph import GraphBuilder

AnyMaterialized = Materialized[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class ResolvedMaterialized:
    """A table's ``Materialized`` with a name, the user's or a generated one."""

    materialized: AnyMaterialized
    name: str
    queryable: bool
    """The user gave the name."""

    @property
    def versioned(self) -> bool:
        """The store has the past versions of each key."""
        return isinstance(self.materialized.store_supplier, VersionedBytesStoreSupplier)


def store_name(materialized: AnyMaterialized) -> str | None:
    """Return the name that the user gave the store, by itself or through a supplier."""
    supplier = materialized.store_supplier
    return supplier.name() if supplier is not None else materialized.store_name


def resolve_materialized(
    graph: GraphBuilder,
    materialized: AnyMaterialized | None,
    prefix: str,
    *,
    key_serde: Any = None,
    value_serde: Any = None,
) -> ResolvedMaterialized:
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
    return ResolvedMaterialized(
        chosen, graph.names.store(prefix) if name is None else name, name is not None
    )


@dataclass(frozen=True, slots=True, eq=False)
class TableStoreBuilder(DslStoreBuilder):
    """Builder of a table's store.

    Raises:
        ClassCastException: The user's supplier makes stores of another type.
    """

    interfaces: ClassVar[Interfaces]
    supplied_by: ClassVar[tuple[type[Any], ...]]
    """The types of supplier that fit."""

    resolved: ResolvedMaterialized

    def __post_init__(self) -> None:
        supplier = self.resolved.materialized.store_supplier
        if supplier is not None:
            check_supplier(supplier, *self.supplied_by)

    def withCachingEnabled(self) -> Self:
        return self._with(caching_enabled=True)

    def withCachingDisabled(self) -> Self:
        return self._with(caching_enabled=False)

    def logConfig(self) -> dict[str, str]:
        return dict(self.resolved.materialized.topic_config)

    def loggingEnabled(self) -> bool:
        return self.resolved.materialized.logging_enabled

    def name(self) -> str:
        return self.resolved.name

    def build(self) -> StateStore:
        builder = self.plain_builder()
        if self.resolved.materialized.caching_enabled and self.cacheable():
            builder = builder.withCachingEnabled()
        return self._logged(builder).build()  # type: ignore[no-any-return]

    def cacheable(self) -> bool:
        """Return whether the store may have a cache."""
        return not self.resolved.versioned

    def plain_builder(self) -> Any:
        chosen = self.resolved.materialized
        supplier = chosen.store_supplier
        if supplier is None:
            supplier = self.default_supplier()
        interfaces = VERSIONED if self.resolved.versioned else self.interfaces
        return builder_over(supplier, interfaces, chosen.key_serde, chosen.value_serde)

    @abstractmethod
    def default_supplier(self) -> Any:
        """Return the supplier to use where the user gave none."""

    def suppliers(self) -> Any:
        """Return what chooses the store's kind."""
        return self._chosen_suppliers(self.resolved.materialized.dsl_store_suppliers)

    def _with_logging(self, logged: bool, config: dict[str, str]) -> Self:
        return self._with(logging_enabled=logged, topic_config=config)

    def _with(self, **changes: Any) -> Self:
        materialized = replace(self.resolved.materialized, **changes)
        return replace(self, resolved=replace(self.resolved, materialized=materialized))


class KeyValueTableBuilder(TableStoreBuilder):
    """Builder of the store of a table by key."""

    __slots__ = ()
    interfaces = KEY_VALUES
    supplied_by = (KeyValueBytesStoreSupplier, VersionedBytesStoreSupplier)

    def historyRetention(self) -> int | None:
        """Return how far back versions go, in milliseconds; None: the store is not versioned."""
        if not self.resolved.versioned:
            return None
        supplier: VersionedBytesStoreSupplier = self.resolved.materialized.store_supplier
        return supplier.historyRetentionMs()

    def default_supplier(self) -> Any:
        """Return the supplier that the application's configuration chooses."""
        params = DslKeyValueParams(self.name(), self._format(DslStoreFormat.TIMESTAMPED))
        return self.suppliers().keyValueStore(params)


@dataclass(frozen=True, slots=True, eq=False)
class WindowTableBuilder(TableStoreBuilder):
    """Builder of the store of a table by key and window."""

    interfaces: ClassVar[Interfaces] = WINDOWS
    supplied_by: ClassVar[tuple[type[Any], ...]] = (WindowBytesStoreSupplier,)
    sliding: ClassVar[bool] = False

    windows: Any = None
    emit: EmitStrategy | None = None

    def __post_init__(self) -> None:
        # super() would look for the class that dataclass() has replaced by one with slots.
        TableStoreBuilder.__post_init__(self)
        needed_ms = self.span() + self.windows.gracePeriodMs()
        # No retention is longer than 64 bits say: by then nothing is forgotten.
        if min(needed_ms, LONG_MAX) > self.retentionPeriod():
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
        """Return the size of the windows, as suppliers receive it."""
        return int(self.windows.size())

    def advance(self) -> int | None:
        """Return how often windows begin, in milliseconds; 0: with records, None: not known."""
        return getattr(self.windows, "advanceMs", None)

    def identity(self) -> StoreIdentity | None:
        """Return what the bytes mean: of which windows they are, too."""
        found, advance_ms = TableStoreBuilder.identity(self), self.advance()
        if found is None or advance_ms is None:
            return found
        return replace(found, sizes={**found.sizes, "advance": advance_ms})

    def retentionPeriod(self) -> int:
        """Return how long windows are kept, in milliseconds of stream time."""
        retention_ms = self.resolved.materialized.retention_ms
        if retention_ms is None and isinstance(self.windows, EarlierWindows):
            retention_ms = self.windows.retention_ms
        if retention_ms is not None:
            return int(retention_ms)
        return kept_ms(self.name(), self.span(), self.windows.gracePeriodMs())

    def default_supplier(self) -> Any:
        """Return the supplier that the application's configuration chooses."""
        return self.suppliers().windowStore(
            DslWindowParams(
                self.name(),
                self.retentionPeriod(),
                self.window_size(),
                emitStrategy=self.emit,
                isSlidingWindow=self.sliding,
                dslStoreFormat=self._format(DslStoreFormat.TIMESTAMPED),
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
        """Return whether every update is a result."""
        return not emits_on_close(self.emit)

    def window_size(self) -> int:
        """Return the time difference, as Kafka does."""
        return int(self.windows.timeDifferenceMs())

    def advance(self) -> int | None:
        return 0


class SessionTableBuilder(WindowTableBuilder):
    """Builder of the store of a table by key and session."""

    __slots__ = ()
    interfaces = SESSIONS
    supplied_by = (SessionBytesStoreSupplier,)

    def span(self) -> int:
        """Return the gap: a session may grow until then."""
        return int(self.windows.inactivityGap())

    def cacheable(self) -> bool:
        """Return whether every update is a result."""
        return not emits_on_close(self.emit)

    def default_supplier(self) -> Any:
        params = DslSessionParams(
            self.name(),
            self.retentionPeriod(),
            emitStrategy=self.emit,
            storeFormat=self._format(DslStoreFormat.PLAIN),
        )
        return self.suppliers().sessionStore(params)


def kept_ms(store: str, length_ms: int, grace_ms: int) -> int:
    """Return how long a store keeps windows of that length and grace.

    Raises:
        IllegalArgumentException: That does not fit into 64 bits.
    """
    if length_ms + grace_ms > LONG_MAX:
        raise IllegalArgumentException(
            "retentionPeriod cannot be negative",
            detail=f'Store "{store}" has windows of {length_ms} ms with a grace of {grace_ms} ms: '
            "together more milliseconds than 64 bits can say.",
            hint="Give a shorter grace: one of a thousand years drops no record either.",
        )
    return int(length_ms + grace_ms)


def emits_on_close(strategy: EmitStrategy | None) -> bool:
    """Return whether windows are emitted once, at their end."""
    return strategy is not None and strategy.type() is StrategyType.ON_WINDOW_CLOSE


def idle_timeout(strategy: EmitStrategy | None) -> int | None:
    """Return after how many milliseconds without records the wall clock may close windows."""
    return None if strategy is None else strategy.idle_ms
