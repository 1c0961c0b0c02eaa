"""Byte store on local disk: RocksDB, by rocksdict."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast
from weakref import WeakSet

from rocksdict import ColumnFamily, DbClosedError, Rdict, WriteBatch
from typing_extensions import Self

from millstream.core.errors import (
    InvalidStateStoreException,
    LockException,
    ProcessorStateException,
)
from millstream.core.store import Entry, Range
from millstream.plugins import ByteStore, StoreTraits, hookimpl
from millstream.stores.byte_stores.rocksdb_settings import configured, meta_settings, nothing

META = "millstream"
VERSION = b"version"
FILES = 65_536
"""How many files a process may open that has a store, if its hard limit allows it."""
_IS_LOCKED = re.compile(r"\block (hold|file)\b", re.IGNORECASE)


class RocksDBStore(ByteStore):
    """RocksDB directory; the version is in a column family of its own.

    The write-ahead log is on and not synced. It costs a tenth of a microsecond an entry and makes
    data and version one atomic step that survives the death of the process; after a crash of the
    machine an older version may be found, which the host then brings up to date.

    All stores of a process share one block cache, which their write buffers count against:
    ``millstream.rocksdb.memory.bytes``, 256 MB unless set. ``rocksdb.config.setter`` sets options;
    a store's name is that of its directory.
    """

    name = "rocksdb"
    traits = StoreTraits(durable=True, snapshot_scans=True, native_ttl=True)

    def __init__(self, db: Rdict, directory: Path, release: Callable[[], None]) -> None:
        self._db: Any = db
        self._directory = directory
        self._place = directory.stat()
        self._release = release
        self._meta: Any = db.get_column_family(META)
        self._meta_handle: ColumnFamily | None = db.get_column_family_handle(META)
        self._scans: WeakSet[Generator[Entry, None, None]] = WeakSet()
        # Called for almost every record: the native method without a Python frame around it.
        self.get = db.get  # type: ignore[method-assign]

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Open or create the database in ``directory``.

        Raises:
            LockException: Another process has it open.
            ProcessorStateException: It cannot be opened; it may be damaged.
        """
        settings, release = configured(directory.name, options)
        _allow_files()
        try:
            db = Rdict(str(directory), settings, {META: meta_settings()})
        except Exception as error:
            release()
            text = str(error)
            if _IS_LOCKED.search(text):
                raise LockException(
                    f'cannot open the RocksDB store in "{directory}": it is in use',
                    detail=text,
                    hint="Stop the other process, or give this one another state.dir.",
                ) from error
            raise ProcessorStateException(
                f'cannot open the RocksDB store in "{directory}"',
                detail=text,
                hint="Allow more open files, for instance with ulimit -n 65536."
                if "Too many open files" in text
                else "Make room on the disk."
                if "No space left" in text
                else "Delete the directory: it is rebuilt from the checkpoint.",
            ) from error
        return cls(db, directory, release)

    def get(self, key: bytes) -> bytes | None:
        return self._db.get(key)  # type: ignore[no-any-return]

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        # RocksDB's multi-get takes longer for keys that are absent or in memory.
        return list(map(self.get, keys))

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch and its version in one RocksDB batch; ranges are dropped first.

        Raises:
            InvalidStateStoreException: The store is closed.
            ProcessorStateException: RocksDB failed, for instance because the disk is full.
        """
        self._check_place()
        changes = WriteBatch(raw_mode=True)
        for lower, upper in dropped:
            changes.delete_range(lower, upper)
        put, delete = changes.put, changes.delete
        for key, value in batch.items():
            if value is None:
                delete(key)
            else:
                put(key, value)
        put(VERSION, version, self._meta_handle)
        try:
            self._db.write(changes)
        except Exception as error:
            raise self._failed("write to", error) from error

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        # rocksdict's own bounds are not used: the lower one sets the upper one as well, and the
        # upper one does not outlive the call.
        try:
            items = self._db.items(backwards=reverse, from_key=upper if reverse else lower)
        except Exception as error:
            raise self._failed("read", error) from error
        scan = self._entries(cast("Iterator[Entry]", items), lower, upper, reverse)
        next(scan)
        self._scans.add(scan)
        return scan

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store.

        Raises:
            ProcessorStateException: It cannot be read, or the directory was deleted.
        """
        self._check_place()
        try:
            return self._meta.get(VERSION)  # type: ignore[no-any-return]
        except Exception as error:
            raise self._failed("read", error) from error

    def size_estimate(self) -> int:
        """Return RocksDB's own estimate of the number of entries."""
        return int(self._db.property_int_value("rocksdb.estimate-num-keys") or 0)

    def close(self) -> None:
        """Write the memory tables out and release the directory.

        Raises:
            ProcessorStateException: They cannot be written; the log still has what was in them.
        """
        # Handles and iterators keep the directory locked as long as they live.
        for scan in list(self._scans):
            scan.close()
        self._meta_handle = None
        release, self._release = self._release, nothing
        try:
            self._meta.close()
            self._db.close()
        except DbClosedError:
            pass
        except Exception as error:
            raise self._failed("close", error) from error
        finally:
            # What could not be closed keeps the directory locked as long as anything refers to it.
            self._db = self._meta = _Closed()
            self.get = self._db.get  # type: ignore[method-assign]
            release()

    def _entries(
        self, items: Iterator[Entry], lower: bytes | None, upper: bytes | None, reverse: bool
    ) -> Generator[Entry, None, None]:
        # Its maker starts it: a generator that was never started holds its arguments when closed.
        yield b"", b""
        last = None
        try:
            for entry in items:
                key = entry[0]
                if reverse:
                    if upper is not None and key >= upper:
                        continue
                    if lower is not None and key < lower:
                        return
                elif upper is not None and key >= upper:
                    return
                last = key
                yield entry
            self._check_end(last, upper if reverse else lower, reverse)
        except Exception as error:
            raise self._failed("read", error) from error

    def _check_end(self, last: bytes | None, start: bytes | None, reverse: bool) -> None:
        """Raise the error that ended a scan, if one did: rocksdict's iterators do not raise it."""
        cursor = self._db.iter()
        seek, outermost, onwards = cursor.seek, cursor.seek_to_first, cursor.next
        if reverse:
            seek, outermost, onwards = cursor.seek_for_prev, cursor.seek_to_last, cursor.prev
        if last is not None:
            seek(last)
            if cursor.valid():
                onwards()
        elif start is not None:
            seek(start)
        else:
            outermost()
        cursor.status()

    def _check_place(self) -> None:
        # RocksDB would go on in a directory that is gone, or write into a new one of that name.
        try:
            there = os.path.samestat(self._place, self._directory.stat())
        except FileNotFoundError:
            there = False
        if not there:
            raise ProcessorStateException(
                f'cannot use the RocksDB store in "{self._directory}": the directory was deleted',
                hint="Nothing but millstream may change what is in state.dir.",
            )

    def _failed(self, doing: str, error: Exception) -> Exception:
        if isinstance(error, DbClosedError):
            return InvalidStateStoreException(
                f'cannot use the RocksDB store in "{self._directory}": it is closed'
            )
        return ProcessorStateException(
            f'cannot {doing} the RocksDB store in "{self._directory}"', detail=str(error)
        )


@cache
def _allow_files() -> None:
    """Let this process open more files, as Java does for itself: a store has up to 256.

    The usual limit is 1,024, although a process may have more if it asks. Workers have Java's; the
    driver, which has a copy of each partition that is queried, and programs with the test driver
    have not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # A sandbox may forbid it.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _Closed:
    """Replacement for a database that has been closed."""

    def __getattr__(self, name: str) -> Any:
        return self._refuse

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise DbClosedError


@hookimpl
def millstream_register_stores() -> list[type[ByteStore]]:
    """Offer the store."""
    return [RocksDBStore]
