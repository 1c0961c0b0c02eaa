"""Notes of a savepoint's stores: the meaning of their bytes."""

from __future__ import annotations

from millstream.core.typed_json import fitted
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.spark.checkpoint.store_notes import StoreNote


def owner_of(manifest: SavepointManifest, store: str) -> str:
    """Return the store that a part of a store belongs to; a store's own name."""
    stores = manifest.stores
    if store in stores and stores[store].note:
        return store
    # A part is named after its store.
    owners = [name for name, each in stores.items() if each.note and store.startswith(f"{name}-")]
    return max(owners, key=len, default=store)


def note_of(manifest: SavepointManifest, store: str) -> StoreNote | None:
    """Return the note of a store, or of the store that a part belongs to; None if none is known."""
    found = manifest.stores.get(owner_of(manifest, store))
    return fitted(found.note, StoreNote) if found is not None and found.note else None
