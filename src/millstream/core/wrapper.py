"""``ProcessorWrapper``: a user's class that may wrap every processor of a topology."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.processor import FixedKeyProcessorSupplier, ProcessorSupplier
from millstream.core.readable import Readable
from millstream.core.state import StoreBuilder
from millstream.core.wording import a_kind

KIn = TypeVar("KIn")
VIn = TypeVar("VIn")
KOut = TypeVar("KOut")
VOut = TypeVar("VOut")


class WrappedProcessorSupplier(ProcessorSupplier[KIn, VIn, KOut, VOut]):
    """Marks a supplier as one that a ``ProcessorWrapper`` has seen."""


class WrappedFixedKeyProcessorSupplier(FixedKeyProcessorSupplier[KIn, VIn, VOut]):
    """Marks a supplier as one that a ``ProcessorWrapper`` has seen."""


class _Delegate(Readable):
    _shown = ("_supplier",)

    def __init__(self, supplier: Any) -> None:
        get = None if isinstance(supplier, type) else getattr(supplier, "get", None)
        # Null is taken, as in Kafka, and fails when it is used.
        if supplier is not None and not callable(supplier if get is None else get):
            raise ClassCastException(
                f"processorSupplier cannot be {a_kind(supplier)}",
                hint="Give a callable without arguments, or an object with a method get().",
            )
        self._supplier = supplier
        made: Any = supplier if get is None else get
        self._get: Callable[[], Any] = made

    def _given(self) -> Any:
        if self._supplier is None:
            raise NullPointerException("processorSupplier cannot be null")
        return self._supplier

    def get(self) -> Any:
        """Return a new processor of the supplier."""
        self._given()
        return self._get()

    def stores(self) -> set[StoreBuilder[Any]] | None:
        """Return the supplier's stores; a plain callable has none."""
        given = self._given()
        stores = None if isinstance(given, type) else getattr(given, "stores", None)
        found: set[StoreBuilder[Any]] | None = None if stores is None else stores()
        return found


class _MarkedSupplier(_Delegate, WrappedProcessorSupplier[Any, Any, Any, Any]): ...


class _MarkedFixedKeySupplier(_Delegate, WrappedFixedKeyProcessorSupplier[Any, Any, Any]): ...


class ProcessorWrapper(Readable, ABC, Generic[KIn, VIn, KOut, VOut]):
    """Is given the supplier of every processor, the DSL's included, and may replace it.

    The wrapper is called when a processor is added to the topology (for the DSL's: in ``build``). A
    user's supplier is passed as it is. ``processorSupplier.stores()`` has the builders of the
    operator's stores; the returned supplier may replace them by others of the same names. The
    wrapper is not called for the processors of global and read-only stores.

    Name a subclass as ``processor.wrapper.class`` in the configuration that is given to
    ``StreamsBuilder(TopologyConfig(...))`` or ``Topology(TopologyConfig(...))``; elsewhere the key
    has no effect. A wrapped processor is given records one by one.

    Source: KIP-1112, ``processor.api.ProcessorWrapper``.
    """

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take settings from the configuration."""

    @abstractmethod
    def wrapProcessorSupplier(
        self, processorName: str, processorSupplier: ProcessorSupplier[Any, Any, Any, Any]
    ) -> WrappedProcessorSupplier[Any, Any, Any, Any]:
        """Return the supplier to use; ``asWrapped(processorSupplier)`` changes nothing."""

    @abstractmethod
    def wrapFixedKeyProcessorSupplier(
        self, processorName: str, processorSupplier: FixedKeyProcessorSupplier[Any, Any, Any]
    ) -> WrappedFixedKeyProcessorSupplier[Any, Any, Any]:
        """Return the supplier to use; ``asWrappedFixedKey(processorSupplier)`` changes nothing.

        Called for processors that cannot change keys: ``processValues``, and the DSL's
        ``mapValues``, ``flatMapValues``, ``filter``, ``peek`` and ``KTable.toStream``.
        """

    @staticmethod
    def asWrapped(
        processorSupplier: ProcessorSupplier[KIn, VIn, KOut, VOut],
    ) -> WrappedProcessorSupplier[KIn, VIn, KOut, VOut]:
        """Return the supplier as it is, marked as wrapped."""
        return _MarkedSupplier(processorSupplier)

    @staticmethod
    def asWrappedFixedKey(
        processorSupplier: FixedKeyProcessorSupplier[KIn, VIn, VOut],
    ) -> WrappedFixedKeyProcessorSupplier[KIn, VIn, VOut]:
        """Return the supplier as it is, marked as wrapped."""
        return _MarkedFixedKeySupplier(processorSupplier)


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
