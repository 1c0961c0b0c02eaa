"""Options of the three kinds of join: with a table, with a stream, by foreign key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, overload

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import ClassCastException
from millstream.core.java_shapes import java_value
from millstream.core.serdes import Serde
from millstream.core.serdes.checks import checked_serde
from millstream.core.state import changelog_settings
from millstream.core.wording import a_kind
from millstream.topology.callables import PARTITIONED
from millstream.topology.dsl.options.checks import (
    checked_function,
    is_dsl_store_suppliers,
)
from millstream.topology.dsl.options.function_types import MakesStore, MakesStores, Partitioner
from millstream.topology.dsl.options.materialized import checked_store_type
from millstream.topology.dsl.options.named import NamedOperation, validate_name
from millstream.topology.dsl.type_vars import K_, KO, KO_, V1, V1_, V2, V2_, K


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(NamedOperation, Generic[K, V1, V2]):
    """Serdes, name and grace period of a join of a stream with a table.

    Attributes:
        grace_ms: How long, in stream time, a record waits for the table to catch up; the table
            must be versioned. None joins at once.

    Source: ``kstream.Joined``.
    """

    name: str | None = None
    key_serde: Serde[K] | None = None
    value_serde: Serde[V1] | None = None
    other_value_serde: Serde[V2] | None = None
    grace_ms: int | None = None

    def __post_init__(self) -> None:
        NamedOperation.__post_init__(self)
        _check_serdes(self)

    @staticmethod
    def with_(
        keySerde: Serde[K_] | None,
        leftValueSerde: Serde[V1_] | None,
        rightValueSerde: Serde[V2_] | None,
        name: str | None = None,
        gracePeriod: DurationLike | None = None,
    ) -> Joined[K_, V1_, V2_]:
        """Return serdes and, if given, a name and a grace period."""
        return Joined(
            name=name,
            key_serde=keySerde,
            value_serde=leftValueSerde,
            other_value_serde=rightValueSerde,
            grace_ms=_optional_millis(gracePeriod),
        )

    @staticmethod
    def as_(name: str) -> Joined[Any, Any, Any]:
        """Return only a name."""
        return Joined(name=name)

    @staticmethod
    def keySerde(keySerde: Serde[K_] | None) -> Joined[K_, Any, Any]:
        """Return only a key serde."""
        return Joined(key_serde=keySerde)

    @staticmethod
    def valueSerde(leftValueSerde: Serde[V1_] | None) -> Joined[Any, V1_, Any]:
        """Return only a serde for the stream's values."""
        return Joined(value_serde=leftValueSerde)

    @staticmethod
    def otherValueSerde(rightValueSerde: Serde[V2_] | None) -> Joined[Any, Any, V2_]:
        """Return only a serde for the table's values."""
        return Joined(other_value_serde=rightValueSerde)

    def withKeySerde(self, keySerde: Serde[K] | None) -> Joined[K, V1, V2]:
        """Return a copy with another key serde."""
        return self._with(key_serde=keySerde)

    def withValueSerde(self, leftValueSerde: Serde[V1] | None) -> Joined[K, V1, V2]:
        """Return a copy with another serde for the stream's values."""
        return self._with(value_serde=leftValueSerde)

    def withOtherValueSerde(self, rightValueSerde: Serde[V2] | None) -> Joined[K, V1, V2]:
        """Return a copy with another serde for the table's values."""
        return self._with(other_value_serde=rightValueSerde)

    def withGracePeriod(self, gracePeriod: DurationLike | None) -> Joined[K, V1, V2]:
        """Return a copy with another grace period; None joins at once."""
        return self._with(grace_ms=_optional_millis(gracePeriod))


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamJoined(NamedOperation, Generic[K, V1, V2]):
    """Serdes, names and stores of a join of two streams.

    Source: ``kstream.StreamJoined``.
    """

    name: str | None = None
    store_name: str | None = None
    key_serde: Serde[K] | None = None
    value_serde: Serde[V1] | None = None
    other_value_serde: Serde[V2] | None = None
    this_store_supplier: Any = None
    other_store_supplier: Any = None
    dsl_store_suppliers: Any = None
    logging_enabled: bool = True
    topic_config: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        NamedOperation.__post_init__(self)
        _check_serdes(self)
        _check_supplier(self.this_store_supplier, "thisStoreSupplier")
        _check_supplier(self.other_store_supplier, "otherStoreSupplier")
        if self.store_name is not None:
            object.__setattr__(self, "store_name", validate_name(self.store_name))

    @overload
    @staticmethod
    def with_(
        keySerde: Serde[K_] | None = None,
        valueSerde: Serde[V1_] | None = None,
        otherValueSerde: Serde[V2_] | None = None,
    ) -> StreamJoined[K_, V1_, V2_]: ...
    @overload
    @staticmethod
    def with_(
        storeSupplier: MakesStore, otherStoreSupplier: MakesStore | None
    ) -> StreamJoined[Any, Any, Any]: ...
    @overload
    @staticmethod
    def with_(dslStoreSuppliers: MakesStores) -> StreamJoined[Any, Any, Any]: ...
    @staticmethod
    def with_(*arguments: Any, **keywords: Any) -> StreamJoined[Any, Any, Any]:
        """Return serdes, or stores.

        ``with_(keySerde, valueSerde, otherValueSerde)``, ``with_(storeSupplier,
        otherStoreSupplier)`` or ``with_(dslStoreSuppliers)``.
        """
        if len(arguments) == 1 and is_dsl_store_suppliers(arguments[0]):
            return StreamJoined(dsl_store_suppliers=arguments[0])
        shapes = {
            2: ("storeSupplier", "otherStoreSupplier"),
            3: ("keySerde", "valueSerde", "otherValueSerde"),
        }
        names = shapes.get(len(arguments), shapes[3][: len(arguments)])
        given = dict(zip(names, arguments, strict=True)) | keywords
        return StreamJoined(**{WITH_PARAMETERS.get(name, name): given[name] for name in given})

    @staticmethod
    def as_(storeName: str) -> StreamJoined[Any, Any, Any]:
        """Return only a base for the stores' names."""
        return StreamJoined(store_name=storeName)

    def withStoreName(self, storeName: str | None) -> StreamJoined[K, V1, V2]:
        """Return a copy with another base for the stores' names."""
        return self._with(store_name=storeName)

    def withKeySerde(self, keySerde: Serde[K] | None) -> StreamJoined[K, V1, V2]:
        """Return a copy with another key serde."""
        return self._with(key_serde=keySerde)

    def withValueSerde(self, valueSerde: Serde[V1] | None) -> StreamJoined[K, V1, V2]:
        """Return a copy with another serde for this stream's values."""
        return self._with(value_serde=valueSerde)

    def withOtherValueSerde(self, otherValueSerde: Serde[V2] | None) -> StreamJoined[K, V1, V2]:
        """Return a copy with another serde for the other stream's values."""
        return self._with(other_value_serde=otherValueSerde)

    def withDslStoreSuppliers(
        self, dslStoreSuppliers: MakesStores | None
    ) -> StreamJoined[K, V1, V2]:
        """Return a copy whose stores are of another kind; None for the application's.

        Raises:
            ClassCastException: They are none.
        """
        if dslStoreSuppliers is not None:
            checked_store_type(dslStoreSuppliers)
        return self._with(dsl_store_suppliers=dslStoreSuppliers)

    def withThisStoreSupplier(
        self, thisStoreSupplier: MakesStore | None
    ) -> StreamJoined[K, V1, V2]:
        """Return a copy with a store of its own for this stream's records."""
        return self._with(this_store_supplier=thisStoreSupplier)

    def withOtherStoreSupplier(
        self, otherStoreSupplier: MakesStore | None
    ) -> StreamJoined[K, V1, V2]:
        """Return a copy with a store of its own for the other stream's records."""
        return self._with(other_store_supplier=otherStoreSupplier)

    def withLoggingEnabled(self, config: Mapping[str, str] | None) -> StreamJoined[K, V1, V2]:
        """Return a copy whose changelogs have these topic settings."""
        return self._with(logging_enabled=True, topic_config=changelog_settings(config or {}))

    def withLoggingDisabled(self) -> StreamJoined[K, V1, V2]:
        """Return a copy whose stores are lost when a task moves or restarts."""
        return self._with(logging_enabled=False, topic_config={})

    def __str__(self) -> str:
        return (
            f"StreamJoin{{keySerde={java_value(self.key_serde)}, "
            f"valueSerde={java_value(self.value_serde)}, "
            f"otherValueSerde={java_value(self.other_value_serde)}, "
            f"thisStoreSupplier={java_value(self.this_store_supplier)}, "
            f"otherStoreSupplier={java_value(self.other_store_supplier)}, "
            f"name='{java_value(self.name)}', storeName='{java_value(self.store_name)}', "
            f"loggingEnabled={java_value(self.logging_enabled)}, "
            f"topicConfig={java_value(self.topic_config)}}}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableJoined(NamedOperation, Generic[K, KO]):
    """Name and partitioners of a join of two tables by foreign key.

    Attributes:
        partitioner: How the left table is partitioned; it gets None for the value.
        other_partitioner: How the right table is.

    Source: ``kstream.TableJoined`` (KIP-775).
    """

    name: str | None = None
    partitioner: Any = None
    other_partitioner: Any = None

    def __post_init__(self) -> None:
        NamedOperation.__post_init__(self)
        checked_function(self.partitioner, "partitions", "partitioner", PARTITIONED)
        checked_function(self.other_partitioner, "partitions", "otherPartitioner", PARTITIONED)

    @staticmethod
    def with_(
        partitioner: Partitioner[K_, Any], otherPartitioner: Partitioner[KO_, Any]
    ) -> TableJoined[K_, KO_]:
        """Return both partitioners; None is the default one."""
        return TableJoined(partitioner=partitioner, other_partitioner=otherPartitioner)

    @staticmethod
    def as_(name: str) -> TableJoined[Any, Any]:
        """Return only a name."""
        return TableJoined(name=name)

    def withPartitioner(self, partitioner: Partitioner[K, Any]) -> TableJoined[K, KO]:
        """Return a copy with another partitioner of the left table."""
        return self._with(partitioner=partitioner)

    def withOtherPartitioner(self, otherPartitioner: Partitioner[KO, Any]) -> TableJoined[K, KO]:
        """Return a copy with another partitioner of the right table."""
        return self._with(other_partitioner=otherPartitioner)


WITH_PARAMETERS = {
    "keySerde": "key_serde",
    "valueSerde": "value_serde",
    "otherValueSerde": "other_value_serde",
    "storeSupplier": "this_store_supplier",
    "otherStoreSupplier": "other_store_supplier",
    "dslStoreSuppliers": "dsl_store_suppliers",
}


def _check_serdes(options: Joined[Any, Any, Any] | StreamJoined[Any, Any, Any]) -> None:
    checked_serde(options.key_serde, "keySerde")
    checked_serde(options.value_serde, "valueSerde")
    checked_serde(options.other_value_serde, "otherValueSerde")


def _check_supplier(supplier: Any, parameter: str) -> None:
    if supplier is not None and (isinstance(supplier, type) or not _makes_windows(supplier)):
        raise ClassCastException(
            f"{parameter} cannot be {a_kind(supplier)}",
            hint="Give a supplier of window stores, such as Stores.persistentWindowStore(...).",
        )


def _makes_windows(supplier: Any) -> bool:
    return all(callable(getattr(supplier, name, None)) for name in ("get", "name", "windowSize"))


def _optional_millis(duration: DurationLike | None) -> int | None:
    return None if duration is None else to_millis(duration, "gracePeriod")
