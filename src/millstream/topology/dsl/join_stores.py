"""Builders of the stores of joins: each stream's records, and records without a partner yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from typing_extensions import Self

from millstream.core.errors import StreamsException
from millstream.core.serdes import Serdes
from millstream.core.state import (
    DslKeyValueParams,
    DslStoreFormat,
    DslWindowParams,
    KeyValueStore,
    StateStore,
    WindowBytesStoreSupplier,
    check_supplier,
)
from millstream.core.state.identity import StoreIdentity
from millstream.core.windows import JoinWindows
from millstream.plugins.registry import store_kinds
from millstream.topology.dsl.materialize import kept_ms
from millstream.topology.dsl.options import StreamJoined
from millstream.topology.dsl.store_builders import (
    WINDOWS,
    DslStoreBuilder,
    builder_over,
    inner_identity,
)
from millstream.topology.operators.time_buffer import TimeBuffer
from millstream.topology.operators.unmatched import UnmatchedRecords

AnyStreamJoined = StreamJoined[Any, Any, Any]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JoinStoreBuilder(DslStoreBuilder):
    """Base of these builders: a name, a changelog, and no cache."""

    store: str
    suppliers: Any = None
    """What chooses the kind of store, unless it is left to the configuration."""
    logged: bool = True
    topic_config: Mapping[str, str] = field(default_factory=dict)

    def logConfig(self) -> dict[str, str]:
        return dict(self.topic_config)

    def loggingEnabled(self) -> bool:
        return self.logged

    def name(self) -> str:
        return self.store

    def _with_logging(self, logged: bool, config: dict[str, str]) -> Self:
        return replace(self, logged=logged, topic_config=config)

    def _suppliers(self) -> Any:
        return self._chosen_suppliers(self.suppliers)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SideStoreBuilder(JoinStoreBuilder):
    """Builder of the store of one side's records, in which the other side looks for partners."""

    windows: JoinWindows
    key_serde: Any
    value_serde: Any

    def retentionPeriod(self) -> int:
        """Return how long records are kept, in milliseconds of stream time."""
        return kept_ms(self.store, self.windows.size(), self.windows.gracePeriodMs())

    def plain_builder(self) -> Any:
        supplier = self._suppliers().windowStore(
            DslWindowParams(
                self.store,
                self.retentionPeriod(),
                self.windows.size(),
                retainDuplicates=True,
                dslStoreFormat=self._format(DslStoreFormat.PLAIN),
            )
        )
        return side_builder(supplier, self.key_serde, self.value_serde)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UnmatchedStoreBuilder(JoinStoreBuilder):
    """Builder of the store of both sides' records that have found no partner so far."""

    key_serde: Any
    left_serde: Any
    right_serde: Any
    durable: bool | None = None
    """As the user's own store of the left side; None: as configured."""

    def build(self) -> StateStore:
        return UnmatchedRecords(
            self._logged(self.plain_builder()).build(),
            key_serde=self.key_serde,
            left_serde=self.left_serde,
            right_serde=self.right_serde,
        )

    def identity(self) -> StoreIdentity | None:
        serdes = {"key": self.key_serde, "left": self.left_serde, "right": self.right_serde}
        return identity_of_operator("unmatched records", self.plain_builder(), serdes)

    def plain_builder(self) -> Any:
        suppliers = self._suppliers()
        if self.durable is not None:
            suppliers = store_kinds().dsl_suppliers("rocksDB" if self.durable else "in_memory")
        supplier = suppliers.keyValueStore(DslKeyValueParams(self.store, DslStoreFormat.PLAIN))
        values = Serdes.ListSerde(list, Serdes.ByteArray())
        return store_kinds().builder(KeyValueStore, supplier, Serdes.ByteArray(), values)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TimeBufferBuilder(JoinStoreBuilder):
    """Builder of the store of records that wait for a table; always on disk, as in Kafka."""

    grace_ms: int
    key_serde: Any
    value_serde: Any

    def build(self) -> StateStore:
        return TimeBuffer(
            self.plain_builder().withLoggingDisabled().build(),
            grace_ms=self.grace_ms,
            logged=self.logged,
            key_serde=self.key_serde,
            value_serde=self.value_serde,
        )

    def identity(self) -> StoreIdentity | None:
        serdes = {"key": self.key_serde, "value": self.value_serde}
        return identity_of_operator("waiting records", self.plain_builder(), serdes)

    def plain_builder(self) -> Any:
        params = DslKeyValueParams(self.store, DslStoreFormat.PLAIN)
        supplier = store_kinds().dsl_suppliers("rocksDB").keyValueStore(params)
        data = Serdes.ByteArray()
        return store_kinds().builder(KeyValueStore, supplier, data, data)


def identity_of_operator(
    type_: str, builder: Any, serdes: Mapping[str, Any]
) -> StoreIdentity | None:
    """Return what an operator's own bytes mean, in the stores of a builder."""
    inner = inner_identity(builder)
    return None if inner is None else replace(inner, type=type_, serdes=serdes)


def side_store(
    name: str, windows: JoinWindows, joined: AnyStreamJoined, supplier: Any, value_serde: Any
) -> Any:
    """Return the builder of one side's store: the user's own, or one called ``name``."""
    if supplier is not None:
        _check_supplier(supplier, windows)
        return side_builder(supplier, joined.key_serde, value_serde)
    return SideStoreBuilder(
        store=f"{name}-store",
        windows=windows,
        suppliers=joined.dsl_store_suppliers,
        logged=joined.logging_enabled,
        topic_config=joined.topic_config,
        key_serde=joined.key_serde,
        value_serde=value_serde,
    )


def side_builder(supplier: Any, key_serde: Any, value_serde: Any) -> Any:
    """Return the builder of one side's store; its changelog has headers in any store format."""
    builder: Any = builder_over(supplier, WINDOWS, key_serde, value_serde)
    return builder.with_headers_logged()


def unmatched_store(
    number: str, joined: AnyStreamJoined, suppliers: Any, *, outer: bool
) -> UnmatchedStoreBuilder:
    """Return the builder of the store for records without a partner.

    Args:
        number: The join's number, for the name if the user gave none.
        joined: The user's options.
        suppliers: The choice of store in ``joined``, or else that of the ``StreamsBuilder``.
        outer: Both sides may be without a partner, not only the left one.
    """
    suffix = "-outer-shared-join" if outer else "-left-shared-join"
    own = joined.this_store_supplier
    durable = None
    if own is not None and own.name():
        name = own.name() + suffix
    elif joined.store_name is not None:
        name = joined.store_name + suffix
    else:
        name = f"KSTREAM-OUTERSHARED-{number}"
    if own is not None and joined.dsl_store_suppliers is None:
        durable = getattr(own, "durable", None)
    return UnmatchedStoreBuilder(
        store=f"{name}-store",
        suppliers=suppliers,
        logged=joined.logging_enabled,
        topic_config=joined.topic_config,
        key_serde=joined.key_serde,
        left_serde=joined.value_serde,
        right_serde=joined.other_value_serde,
        durable=durable,
    )


def check_names_differ(joined: AnyStreamJoined) -> None:
    """Refuse two stores of the user's own with one name.

    Raises:
        StreamsException: They have.
    """
    this, other = joined.this_store_supplier, joined.other_store_supplier
    if this is not None and other is not None and this.name() == other.name():
        raise StreamsException(
            "Both StoreSuppliers have the same name.  StoreSuppliers must provide unique names",
            detail=f'Both stores of the join are called "{this.name()}".',
            hint="Give the two suppliers different names.",
        )


def _check_supplier(supplier: Any, windows: JoinWindows) -> None:
    check_supplier(supplier, WindowBytesStoreSupplier)
    name = supplier.name()
    if not supplier.retainDuplicates():
        raise StreamsException(
            "The StoreSupplier must set retainDuplicates=true, found retainDuplicates=false",
            detail=f'Store "{name}" keeps only one record per key and time.',
            hint="Make its supplier with retainDuplicates=True: a join needs all of them.",
        )
    retention_ms = windows.size() + windows.gracePeriodMs()
    found = supplier.retentionPeriod(), supplier.windowSize()
    if found != (retention_ms, windows.size()):
        raise StreamsException(
            f"Window settings mismatch. WindowBytesStoreSupplier settings {supplier} must match "
            f"JoinWindows settings {windows} for the window size and retention period",
            detail=f'Store "{name}" has a retention of {found[0]} ms and a window size of '
            f"{found[1]} ms; the join needs {retention_ms} and {windows.size()}: before plus "
            "after, and grace.",
        )
