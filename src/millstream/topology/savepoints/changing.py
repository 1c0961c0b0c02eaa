"""Changes of single entries of a store: a new savepoint, made of another one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from millstream.core.errors import UnsupportedOperationException
from millstream.core.partitioning import default_partition
from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.records import StoredRecord, StoreRecords
from millstream.topology.savepoints.writer import SavepointWriter

_TYPES = ("key-value", "window", "session")


@dataclass(slots=True)
class StoreChanges:
    """Entries to set and to delete in one store.

    Args:
        store: The store in the savepoint that is changed.

    Raises:
        UnsupportedOperationException: Single entries of such a store cannot be changed.
    """

    store: StoreRecords
    _rows: dict[int, dict[bytes, bytes | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        note = self.store.note
        derived = note.layout.get("subscriptions") or note.layout.get("duplicates")
        if self.store.format is None or note.type not in _TYPES or derived:
            raise UnsupportedOperationException(
                f'the entries of store "{self.store.store}" cannot be changed one by one',
                detail=f"Its type is {note.type}; {', '.join(_TYPES)} stores can be changed, if "
                "they are the package's own and have one entry for each key.",
            )

    @property
    def tasks(self) -> int:
        """How many partitions the store has."""
        manifest = self.store.savepoint.manifest
        part = manifest.stores[self.store.store].subtopology
        return 1 if part is None else manifest.tasks.get(part, 1)

    def partition_of(self, key: bytes) -> int:
        """Return the partition that Kafka's default partitioner chooses for a record's key."""
        return default_partition(key, self.tasks)

    def put(self, record: StoredRecord) -> None:
        """Set an entry; a value of None deletes it."""
        layout = self._format
        changed = ChangelogRecord(
            self._changelog_key(record), record.value, record.timestamp, record.headers
        )
        rows = self._rows.setdefault(record.partition, {})
        if record.value is None:
            # The rows that any entry of the key has.
            rows.update({k: None for k, _ in layout.rows_of(changed._replace(value=b""))})
        else:
            rows.update(layout.rows_of(changed))

    def write(self, location: str | os.PathLike[str], *, replace: bool) -> SavepointManifest:
        """Write the savepoint with the changes to another directory; return its manifest.

        Args:
            location: A directory that is empty or does not exist.
            replace: Leave out all entries of the store that have not been put.

        Raises:
            StreamsException: The savepoint is damaged, or the new one cannot be written.
        """
        savepoint, own = self.store.savepoint, self.store.store
        with SavepointWriter(location) as writer:
            for name, store in savepoint.manifest.stores.items():
                if name != own:
                    for number in store.partitions:
                        writer.add(name, number, savepoint.entries(name, number))
                    continue
                for number in sorted(store.partitions.keys() | self._rows.keys()):
                    writer.add(own, number, self._changed(number, replace=replace))
            return writer.finish(savepoint.manifest)

    def _changed(self, partition: int, *, replace: bool) -> Iterator[tuple[bytes, bytes]]:
        layout, changes = self._format, self._rows.get(partition, {})
        summaries = []
        for keys, values in self.store.savepoint.columns(self.store.store, partition):
            rows = dict(zip(keys, values, strict=True))
            shared = {key: value for key, value in rows.items() if layout.is_summary(key)}
            summaries.append(layout.summary_of(shared.items() if replace else rows.items()))
            if not replace:
                kept = rows.keys() - shared.keys() - changes.keys()
                yield from ((key, rows[key]) for key in rows if key in kept)
        new = _present(changes)
        yield from new.items()
        summaries.append(layout.summary_of(new.items()))
        yield from layout.summary_rows(layout.merged(summaries))

    @property
    def _format(self) -> ChangelogFormat:
        assert self.store.format is not None
        return self.store.format

    def _changelog_key(self, record: StoredRecord) -> bytes:
        """Return the key of an entry in the store's changelog topic."""
        start, end = record.window or (0, 0)
        if self.store.note.type == "window":
            return record.key + start.to_bytes(8, "big") + bytes(4)
        if self.store.note.type == "session":
            return record.key + (end or 0).to_bytes(8, "big") + start.to_bytes(8, "big")
        return record.key


def _present(changes: Mapping[bytes, bytes | None]) -> dict[bytes, bytes]:
    found: Iterable[tuple[bytes, bytes | None]] = changes.items()
    return {key: value for key, value in found if value is not None}
