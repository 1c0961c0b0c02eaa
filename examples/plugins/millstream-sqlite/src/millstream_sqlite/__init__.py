"""A byte store for millstream that keeps each store in an SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from millstream.plugins import ByteStore, StoreTraits, hookimpl

TABLES = """
create table if not exists entries (key blob primary key, value blob not null) without rowid;
create table if not exists meta (id integer primary key check (id = 0), version blob not null);
"""


class SqliteStore(ByteStore):
    """A table of keys and values, and the version beside it, in the same transaction."""

    name = "sqlite"
    traits = StoreTraits(durable=True, snapshot_scans=True, native_ttl=True)

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> SqliteStore:
        """Open or create the file in ``directory``."""
        database = sqlite3.connect(directory / "store.db", check_same_thread=False)
        # A commit then survives the death of the process, and needs no sync of the disk.
        database.execute("pragma journal_mode = wal")
        database.execute("pragma synchronous = normal")
        database.executescript(TABLES)
        return cls(database)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""
        row = self._database.execute("select value from entries where key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        """Apply one batch in one transaction."""
        gone = [(key,) for key, value in batch.items() if value is None]
        kept = [(key, value) for key, value in batch.items() if value is not None]
        with self._database as transaction:
            transaction.executemany("delete from entries where key >= ? and key < ?", dropped)
            transaction.executemany("delete from entries where key = ?", gone)
            transaction.executemany("insert or replace into entries values (?, ?)", kept)
            transaction.execute("insert or replace into meta values (0, ?)", (version,))

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield the entries of a range, as they are now."""
        query = "select key, value from entries where key >= ? and (? is null or key < ?)"
        order = " order by key desc" if reverse else " order by key"
        return iter(self._database.execute(query + order, (lower or b"", upper, upper)).fetchall())

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store."""
        row = self._database.execute("select version from meta").fetchone()
        return None if row is None else row[0]

    def size_estimate(self) -> int:
        """Return how many entries there are."""
        (count,) = self._database.execute("select count(*) from entries").fetchone()
        return int(count)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


@hookimpl
def millstream_register_stores() -> list[type[ByteStore]]:
    """Offer the store."""
    return [SqliteStore]
