"""Records of a savepoint's stores: each entry as its key, value, time and window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from millstream.core.buffered_log import from_log
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import header_pairs
from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord, Header
from millstream.core.state.logged_rows import from_row
from millstream.plugins.registry import store_kinds
from millstream.topology.savepoints.notes import note_of
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.spark.checkpoint.store_notes import StoreNote

_TIME = 8
_WINDOW_END, _SESSION_END = 12, 16

Window = tuple[int, "int | None"]
"""Start and end, epoch milliseconds; the end of a session is its last record's time."""
_Split = tuple[bytes, "Window | None", "int | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """An entry of a store."""

    partition: int
    key: bytes
    value: bytes | None
    """None: from its time on the key had no value, in a versioned store."""
    timestamp: int | None = None
    window: Window | None = None
    headers: tuple[Header, ...] = ()


class RowReader:
    """Reader of a store's rows, wherever they come from.

    Args:
        store: The store's name.
        note: What its bytes mean.

    Raises:
        IllegalArgumentException: The meaning of its bytes is not known.
    """

    def __init__(self, store: str, note: StoreNote) -> None:
        self.note = note
        self.format: ChangelogFormat | None = None
        """Format of its rows; None if they are what a user's own store has logged."""
        if not note.opaque:
            self.format = store_kinds().changelog_format(store, note)
        self._split = _splitter(note)

    def records(
        self, partition: int, rows: Iterable[tuple[bytes, bytes]]
    ) -> Iterator[StoredRecord]:
        """Yield the records of all rows of a partition, in no order."""
        found = _logged(rows) if self.format is None else self.format.records(rows)
        for record in found:
            key, window, time = self._split(record.key)
            value = record.value
            if self.note.type == "suppression buffer" and value is not None:
                value = from_log(value).new
            yield StoredRecord(
                partition=partition,
                key=key,
                value=value,
                timestamp=record.timestamp if time is None else time,
                window=window,
                headers=tuple(record.headers),
            )


class StoreRecords:
    """The records of one store, whatever its type.

    A versioned store has a record for each version; a store of a user's own type has what it
    logged; lists of records that wait for a partner are one record each.

    Args:
        savepoint: The savepoint.
        store: The store; not a part of one.

    Raises:
        IllegalArgumentException: There is no such store, or the meaning of its bytes is not known.
    """

    def __init__(self, savepoint: Savepoint, store: str) -> None:
        self.savepoint = savepoint
        self.store = store
        self.note = self._note()
        self._reader = RowReader(store, self.note)
        self.format: ChangelogFormat | None = self._reader.format
        """Format of its rows; None if they are what a user's own store has logged."""

    @property
    def partitions(self) -> list[int]:
        """The partitions with entries, of all parts of the store."""
        stores = self.savepoint.manifest.stores
        return sorted({number for name in self.parts for number in stores[name].partitions})

    @property
    def parts(self) -> list[str]:
        """The store and its parts, such as what a buffer has on disk."""
        stores = self.savepoint.manifest.stores
        return [n for n in stores if n == self.store or (not stores[n].note and self._is_part(n))]

    def records(self, partition: int) -> Iterator[StoredRecord]:
        """Return the records of a partition, in no order.

        Raises:
            ProcessorStateException: The savepoint is damaged.
        """
        rows = (
            row
            for part in self.parts
            if partition in self.savepoint.manifest.stores[part].partitions
            for row in self.savepoint.entries(part, partition)
        )
        return self._reader.records(partition, rows)

    def all(self) -> Iterator[StoredRecord]:
        """Yield the records of all partitions.

        Raises:
            ProcessorStateException: The savepoint is damaged.
        """
        for partition in self.partitions:
            yield from self.records(partition)

    def _is_part(self, name: str) -> bool:
        return note_of(self.savepoint.manifest, name) == self.note and name.startswith(self.store)

    def _note(self) -> StoreNote:
        stores = self.savepoint.manifest.stores
        if self.store not in stores:
            raise IllegalArgumentException(
                f'savepoint "{self.savepoint.root}" has no store "{self.store}"',
                detail=f"It has: {', '.join(sorted(stores)) or 'none'}.",
            )
        note = note_of(self.savepoint.manifest, self.store)
        if note is None:
            raise IllegalArgumentException(
                f'the bytes of store "{self.store}" cannot be read',
                detail="The savepoint does not say what type of store it is.",
                hint="Start the application once with this version, and make a new savepoint.",
            )
        return note


def _logged(rows: Iterable[tuple[bytes, bytes]]) -> Iterator[ChangelogRecord]:
    """Yield the records of a user's own store: what it has logged."""
    for key, data in rows:
        value, time, headers = from_row(data)
        yield ChangelogRecord(key, value, time, header_pairs(headers))


def _splitter(note: StoreNote) -> Callable[[bytes], _Split]:
    """Return what takes the key of a changelog record apart: key, window, time."""
    if note.type == "window":
        size = note.sizes.get("window")

        def window(key: bytes) -> _Split:
            start = _number(key[-_WINDOW_END:-4])
            return key[:-_WINDOW_END], (start, None if size is None else start + size), None

        return window
    if note.type == "session":

        def session(key: bytes) -> _Split:
            end = _number(key[-_SESSION_END:-_TIME])
            return key[:-_SESSION_END], (_number(key[-_TIME:]), end), None

        return session
    if note.type == "unmatched records":
        return lambda key: (key[_TIME + 1 :], None, _number(key[:_TIME]))
    if note.type == "waiting records":
        return lambda key: (key[_TIME + 1 : -4], None, _number(key[1 : _TIME + 1]))
    return lambda key: (key, None, None)


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)
