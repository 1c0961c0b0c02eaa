"""Options of ``to``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from millstream.core.serdes import Serde
from millstream.topology.callables import PARTITIONED
from millstream.topology.dsl.options.checks import checked_function
from millstream.topology.dsl.options.function_types import Partitioner
from millstream.topology.dsl.options.named import ChangesItself, SerdeOperation
from millstream.topology.dsl.type_vars import K_, V_, K, V


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced(ChangesItself, SerdeOperation[K, V]):
    """Serdes, partitioner and name of a sink; all optional.

    Source: ``kstream.Produced``.
    """

    name: str | None = field(default=None, compare=False)
    key_serde: Serde[K] | None = None
    value_serde: Serde[V] | None = None
    partitioner: Any = None

    def __post_init__(self) -> None:
        SerdeOperation.__post_init__(self)
        checked_function(self.partitioner, "partitions", "partitioner", PARTITIONED)

    @staticmethod
    def with_(
        keySerde: Serde[K_] | None,
        valueSerde: Serde[V_] | None,
        partitioner: Partitioner[K_, V_] = None,
    ) -> Produced[K_, V_]:
        """Return serdes and, if given, a ``StreamPartitioner`` or a callable like it."""
        return Produced(key_serde=keySerde, value_serde=valueSerde, partitioner=partitioner)

    @staticmethod
    def as_(processorName: str) -> Produced[Any, Any]:
        """Return only a name."""
        return Produced(name=processorName)

    @staticmethod
    def keySerde(keySerde: Serde[K_] | None) -> Produced[K_, Any]:
        """Return only a key serde."""
        return Produced(key_serde=keySerde)

    @staticmethod
    def valueSerde(valueSerde: Serde[V_] | None) -> Produced[Any, V_]:
        """Return only a value serde."""
        return Produced(value_serde=valueSerde)

    @staticmethod
    def streamPartitioner(partitioner: Partitioner[K_, V_]) -> Produced[K_, V_]:
        """Return only a partitioner."""
        return Produced(partitioner=partitioner)

    def withStreamPartitioner(self, partitioner: Partitioner[K, V]) -> Produced[K, V]:
        """Set another partitioner; returns this object."""
        return self._with(partitioner=partitioner)
