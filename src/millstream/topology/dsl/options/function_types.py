"""Types of the functions that options take; an object with the interface's method does as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

from millstream.core.kafka import ConsumerRecord

K_contra = TypeVar("K_contra", contravariant=True)
V_contra = TypeVar("V_contra", contravariant=True)


class _HasPartitions(Protocol[K_contra, V_contra]):
    """An object with the method of ``StreamPartitioner``."""

    def partitions(
        self, topic: str, key: K_contra, value: V_contra, numPartitions: int, /
    ) -> object: ...


class _HasExtract(Protocol):
    """An object with the method of ``TimestampExtractor``."""

    def extract(self, record: ConsumerRecord[Any, Any], partitionTime: int, /) -> object: ...


class _HasApply(Protocol[K_contra, V_contra]):
    """An object with the method of ``KeyValueMapper``."""

    def apply(self, key: K_contra, value: V_contra, /) -> object: ...


class MakesStore(Protocol):
    """A supplier of a store of any kind: what ``Stores`` gives, or a user's own."""

    def name(self) -> str: ...
    def get(self) -> Any: ...


class MakesStores(Protocol):
    """What makes the DSL's stores: ``Materialized.StoreType``, or ``DslStoreSuppliers``."""

    def keyValueStore(self, params: Any, /) -> Any: ...
    def windowStore(self, params: Any, /) -> Any: ...
    def sessionStore(self, params: Any, /) -> Any: ...


MapsBoth: TypeAlias = Callable[[K_contra, V_contra], object] | _HasApply[K_contra, V_contra]
Partitioner: TypeAlias = (
    Callable[[str, K_contra, V_contra, int], object] | _HasPartitions[K_contra, V_contra] | None
)
Extractor: TypeAlias = Callable[[ConsumerRecord[Any, Any], int], object] | _HasExtract | None
