"""What the bytes of our stores mean: see ``StoreIdentity``."""

from __future__ import annotations

from typing import Any

from millstream.core.state import DslStoreFormat, HeadersBytesStoreSupplier
from millstream.core.state.identity import StoreIdentity
from millstream.stores.construction.suppliers import (
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurVersionedSupplier,
    OurWindowSupplier,
)
from millstream.stores.session.store import SerdeSessionStore
from millstream.stores.typed import OpenedStore, TypedStore
from millstream.stores.versioned.store import SerdeVersionedStore
from millstream.stores.window.store import SerdeWindowStore

_OURS = (OurKeyValueSupplier, OurWindowSupplier, OurSessionSupplier, OurVersionedSupplier)


def identity_of(
    store: type[OpenedStore[Any]], supplier: Any, key_serde: Any, value_serde: Any
) -> StoreIdentity:
    """Return the identity of a store of that class over what ``supplier`` makes."""
    ours = isinstance(supplier, _OURS)
    return StoreIdentity(
        type=_type(store),
        values=_kept(store, supplier) if ours else "supplied",
        kind=supplier.kind if ours else None,
        layout=_layout(supplier) if ours else {},
        sizes=_sizes(store, supplier),
        serdes={"key": key_serde, "value": value_serde},
    )


def _type(store: type[OpenedStore[Any]]) -> str:
    if issubclass(store, SerdeVersionedStore):
        return "versioned"
    if issubclass(store, SerdeWindowStore):
        return "window"
    return "session" if issubclass(store, SerdeSessionStore) else "key-value"


def _kept(store: type[OpenedStore[Any]], supplier: Any) -> str:
    """Return what is left of a value below the adapter that ``builders`` puts there."""
    if not issubclass(store, TypedStore):
        return "plain"
    wanted = store.codec_class.format
    if not supplier.durable or wanted is DslStoreFormat.PLAIN:
        return wanted.name.lower()
    if wanted is DslStoreFormat.HEADERS and isinstance(supplier, HeadersBytesStoreSupplier):
        return "headers"
    return "timestamped" if getattr(supplier, "timestamped", False) else "plain"


def _layout(supplier: Any) -> dict[str, Any]:
    if isinstance(supplier, OurWindowSupplier):
        return {
            "segment interval": supplier.segment_interval,
            "duplicates": supplier.duplicates,
            "order by time": supplier.emits_final,
        }
    if isinstance(supplier, OurSessionSupplier):
        return {
            "segment interval": supplier.segment_interval,
            "order by time": supplier.emits_final,
        }
    if isinstance(supplier, OurVersionedSupplier):
        return {"segment interval": supplier.segment_interval}
    return {}


def _sizes(store: type[OpenedStore[Any]], supplier: Any) -> dict[str, int]:
    if not issubclass(store, SerdeWindowStore):
        return {}
    return {"window": supplier.windowSize()}
