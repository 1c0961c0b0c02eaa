"""``ProcessorWrapper``: a user's class that may wrap every processor of a topology."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from millstream.core.processor import (
    FixedKeyProcessorSupplier,
    ProcessorSupplier,
)
from millstream.core.state import StoreBuilder

KIn = TypeVar("KIn")
VIn = TypeVar("VIn")
KOut = TypeVar("KOut")
VOut = TypeVar("VOut")


class WrappedProcessorSupplier(ProcessorSupplier[KIn, VIn, KOut, VOut]):
    """Marks a supplier as one that a ``ProcessorWrapper`` has seen."""


class WrappedFixedKeyProcessorSupplier(FixedKeyProcessorSupplier[KIn, VIn, VOut]):
    """Marks a supplier as one that a ``ProcessorWrapper`` has seen."""


class _Unchanged:
    """The supplier that it was given."""

    def __init__(self, supplier: Any) -> None:
        self._supplier = supplier

    def get(self) -> Any:
        """Return what the supplier returns."""
        return self._supplier.get()

    def stores(self) -> set[StoreBuilder[Any]] | None:
        """Return the supplier's stores."""
        found: set[StoreBuilder[Any]] | None = self._supplier.stores()
        return found


class _Passed(_Unchanged, WrappedProcessorSupplier[Any, Any, Any, Any]):
    """A supplier of processors that may change keys."""


class _PassedFixedKey(_Unchanged, WrappedFixedKeyProcessorSupplier[Any, Any, Any]):
    """A supplier of processors that cannot change keys."""


class ProcessorWrapper(ABC, Generic[KIn, VIn, KOut, VOut]):
    """Sees the supplier of every processor, the DSL's included, and may put another in its place.

    It is shown a supplier when the processor comes into the topology (the DSL's: in ``build``); a
    user's own supplier it is shown as the object that it is. ``processorSupplier.stores()`` has the
    builders of the operator's stores, which the returned supplier may exchange for others of the
    same names.
    What fills global and read-only stores from their topics is not shown.

    Name a subclass as ``processor.wrapper.class`` in the configuration that is given to
    ``StreamsBuilder(TopologyConfig(...))`` or ``Topology(TopologyConfig(...))``; elsewhere the key
    has no effect. A wrapped processor takes records one by one.

    Source: KIP-1112, ``processor.api.ProcessorWrapper``.
    """

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take what is needed from the configuration."""

    @abstractmethod
    def wrapProcessorSupplier(
        self, processorName: str, processorSupplier: ProcessorSupplier[Any, Any, Any, Any]
    ) -> WrappedProcessorSupplier[Any, Any, Any, Any]:
        """Return a supplier instead; ``asWrapped(processorSupplier)`` to change nothing."""

    @abstractmethod
    def wrapFixedKeyProcessorSupplier(
        self, processorName: str, processorSupplier: FixedKeyProcessorSupplier[Any, Any, Any]
    ) -> WrappedFixedKeyProcessorSupplier[Any, Any, Any]:
        """Return a supplier instead; ``asWrappedFixedKey(processorSupplier)`` changes nothing.

        Called for processors that cannot change keys: ``processValues``, and the DSL's
        ``mapValues``, ``flatMapValues``, ``filter``, ``peek`` and ``KTable.toStream``.
        """

    @staticmethod
    def asWrapped(
        processorSupplier: ProcessorSupplier[KIn, VIn, KOut, VOut],
    ) -> WrappedProcessorSupplier[KIn, VIn, KOut, VOut]:
        """Return the supplier as it is, marked as wrapped."""
        return _Passed(processorSupplier)

    @staticmethod
    def asWrappedFixedKey(
        processorSupplier: FixedKeyProcessorSupplier[KIn, VIn, VOut],
    ) -> WrappedFixedKeyProcessorSupplier[KIn, VIn, VOut]:
        """Return the supplier as it is, marked as wrapped."""
        return _PassedFixedKey(processorSupplier)


class NoOpProcessorWrapper(ProcessorWrapper[Any, Any, Any, Any]):
    """Wraps nothing: the default of ``processor.wrapper.class``."""

    def wrapProcessorSupplier(
        self, processorName: str, processorSupplier: ProcessorSupplier[Any, Any, Any, Any]
    ) -> WrappedProcessorSupplier[Any, Any, Any, Any]:
        """Return the supplier, marked as wrapped."""
        return ProcessorWrapper.asWrapped(processorSupplier)

    def wrapFixedKeyProcessorSupplier(
        self, processorName: str, processorSupplier: FixedKeyProcessorSupplier[Any, Any, Any]
    ) -> WrappedFixedKeyProcessorSupplier[Any, Any, Any]:
        """Return the supplier, marked as wrapped."""
        return ProcessorWrapper.asWrappedFixedKey(processorSupplier)
