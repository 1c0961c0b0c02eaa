"""Search of one key in a store: in the task that its partitioner names, then in all."""

from __future__ import annotations

from millstream.cli.state_entries import OpenStore
from millstream.cli.state_places import Copies
from millstream.cli.state_serdes import SerdeChoice, serdes_of
from millstream.cli.target import LoadedTarget
from millstream.core.partitioning import default_partition
from millstream.topology.savepoints.placing import unplaced
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoredRecord, StoreRecords

_BY_KEY = ("key-value", "window", "session", "versioned")


def open_store(savepoint: Savepoint, store: str, choice: SerdeChoice) -> OpenStore:
    """Return a store with its serdes.

    Raises:
        IllegalArgumentException: There is no such store, or its serdes are not known.
    """
    records = StoreRecords(savepoint, store)
    return OpenStore(records, *serdes_of(store, records.note, choice))


def entries_of_key(
    copies: Copies, store: str, key: str, choice: SerdeChoice
) -> tuple[OpenStore, list[StoredRecord]]:
    """Return a store, and its entries of a key.

    Where the program says that the key decides the partition, that one is read, and the others
    only if it has nothing: a producer may have another partitioner.

    Args:
        copies: The state.
        store: The store.
        key: The key as text.
        choice: The serdes, and the program if it is known.

    Raises:
        IllegalArgumentException: There is no such store, or the text is none of the key's type.
    """
    outline = open_store(copies(()), store, choice)
    data = outline.key_bytes(key)
    first = None if choice.app is None else _partition(choice.app, outline, data)
    if first is not None:
        opened = open_store(copies({store}, first), store, choice)
        if found := opened.of_key(data, first):
            return opened, found
    opened = open_store(copies({store}), store, choice)
    return opened, opened.of_key(data)


def _partition(app: LoadedTarget, store: OpenStore, key: bytes) -> int | None:
    """Return the only partition that may have a key; None if that is not certain."""
    note, manifest = store.records.note, store.records.savepoint.manifest
    part = manifest.stores[store.records.store].subtopology
    if part is None or note.opaque or note.type not in _BY_KEY or note.layout:
        return None
    if str(app.topology.describe()) != manifest.topology:
        return None
    if store.records.store in unplaced(app.topology.plan(), manifest, [part]):
        return None
    return default_partition(key, manifest.tasks.get(part, 1))
