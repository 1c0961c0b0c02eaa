"""Options of ``repartition``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millstream.core.arguments import whole
from millstream.core.serdes import Serde
from millstream.topology.callables import PARTITIONED
from millstream.topology.dsl.options.checks import checked_function
from millstream.topology.dsl.options.function_types import Partitioner
from millstream.topology.dsl.options.named import SerdeOperation
from millstream.topology.dsl.type_vars import K_, V_, K, V


@dataclass(frozen=True, slots=True, kw_only=True)
class Repartitioned(SerdeOperation[K, V]):
    """Name, serdes, partitioner and number of partitions of a repartition topic; all optional.

    Source: ``kstream.Repartitioned`` (KIP-221).
    """

    name: str | None = None
    key_serde: Serde[K] | None = None
    value_serde: Serde[V] | None = None
    partitioner: Any = None
    number_of_partitions: int | None = None

    def __post_init__(self) -> None:
        SerdeOperation.__post_init__(self)
        checked_function(self.partitioner, "partitions", "partitioner", PARTITIONED)
        if self.number_of_partitions is not None:
            count = whole(self.number_of_partitions, "numberOfPartitions", 32)
            object.__setattr__(self, "number_of_partitions", count)

    @staticmethod
    def as_(name: str) -> Repartitioned[Any, Any]:
        """Return only a name."""
        return Repartitioned(name=name)

    @staticmethod
    def with_(keySerde: Serde[K_] | None, valueSerde: Serde[V_] | None) -> Repartitioned[K_, V_]:
        """Return only serdes."""
        return Repartitioned(key_serde=keySerde, value_serde=valueSerde)

    @staticmethod
    def streamPartitioner(partitioner: Partitioner[K_, V_]) -> Repartitioned[K_, V_]:
        """Return only a partitioner."""
        return Repartitioned(partitioner=partitioner)

    @staticmethod
    def numberOfPartitions(numberOfPartitions: int) -> Repartitioned[Any, Any]:
        """Return only a number of partitions."""
        return Repartitioned(number_of_partitions=numberOfPartitions)

    def withNumberOfPartitions(self, numberOfPartitions: int) -> Repartitioned[K, V]:
        """Return a copy with another number of partitions."""
        return self._with(number_of_partitions=numberOfPartitions)

    def withStreamPartitioner(self, partitioner: Partitioner[K, V]) -> Repartitioned[K, V]:
        """Return a copy with another partitioner."""
        return self._with(partitioner=partitioner)
