"""A processor wrapper (KIP-1112) that notes what it is shown, and changes nothing."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance.api import public


def noting(shown: list[list[str]]) -> type:
    """A wrapper's class whose objects add to `shown`."""
    base = public("ProcessorWrapper")

    class Noting(base):  # type: ignore[misc, valid-type]
        def wrapProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
            shown.append(["processor", processorName, *_stores(processorSupplier)])
            return base.asWrapped(processorSupplier)

        def wrapFixedKeyProcessorSupplier(self, processorName: str, processorSupplier: Any) -> Any:
            shown.append(["fixed-key", processorName, *_stores(processorSupplier)])
            return base.asWrappedFixedKey(processorSupplier)

    return Noting


def _stores(supplier: Any) -> list[str]:
    return sorted(builder.name() for builder in supplier.stores() or ())
