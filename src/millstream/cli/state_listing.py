"""Contents of a state as values for JSON, for `millstream state list`."""

from __future__ import annotations

from typing import Any

from millstream.topology.savepoints.checksums import joined
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.notes import note_of, owner_of


def listing(manifest: SavepointManifest) -> dict[str, Any]:
    """Return what a state is of, and its stores; parts of a store count as the store's."""
    return {
        "application": manifest.application_id,
        "created": manifest.created_ms,
        "library": manifest.library,
        "checkpoint": manifest.checkpoint,
        "batch": manifest.batch,
        "tasks": dict(manifest.tasks),
        "positions": {topic: dict(each) for topic, each in manifest.positions.items()},
        "stores": [
            _row(manifest, name)
            for name in sorted(manifest.stores)
            if owner_of(manifest, name) == name
        ],
    }


def _row(manifest: SavepointManifest, name: str) -> dict[str, Any]:
    note = note_of(manifest, name)
    store = manifest.stores[name]
    parts = [each for n, each in manifest.stores.items() if owner_of(manifest, n) == name]
    contents = joined(each for part in parts for each in part.partitions.values())
    form = "" if note is None or note.values == "plain" else f" {note.values}"
    return {
        "store": name,
        "type": "?" if note is None else f"{note.type}{form}",
        "key": None if note is None else note.serdes.get("key"),
        "value": None if note is None else note.serdes.get("value"),
        "sub-topology": "global" if store.subtopology is None else store.subtopology,
        "partitions": len({number for part in parts for number in part.partitions}),
        "rows": contents.count,
        "bytes": contents.size,
    }
