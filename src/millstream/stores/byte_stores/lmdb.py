"""Byte store in one memory-mapped file that all workers of a machine can read: LMDB."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import lmdb
from typing_extensions import Self

from millstream.core.errors import (
    InvalidStateStoreException,
    LockException,
    ProcessorStateException,
)
from millstream.core.store import Entry, Range
from millstream.plugins import ByteStore, StoreTraits, hookimpl
from millstream.stores.byte_stores.lmdb_keys import (
    PREFIX,
    changed_buckets,
    drop_range,
    expanded,
    is_plain,
    unpack,
)
from millstream.stores.byte_stores.lmdb_scans import Scan, downwards, upwards, with_empty
from millstream.stores.byte_stores.lmdb_seal import Seal

logger = logging.getLogger("millstream.stores.byte_stores.lmdb")

T = TypeVar("T")

DATA, META = b"data", b"meta"
VERSION, EMPTY, LONG = b"version", b"empty", b"long"
MAP_BYTES = 1 << 30
"""Address space to begin with, not disk or memory; doubled when the entries need more."""
MAX_READERS = 1024


class LMDBStore(ByteStore):
    """One B+tree in one file; the version is in a tree of its own and changes in the same commit.

    Reading costs no lock and no copy beyond the value: the file's pages are the operating system's
    cache, shared by every process that has the file open. One process writes at a time.

    Commits are not synced, as the write-ahead log of ``rocksdb`` is not: data and version survive
    the death of the process together. LMDB has no checksums, and unsynced pages may be torn by
    a crash of the machine; see `Seal` for how such a file is recognised.

    No page is written anew that a reader may still read. One reader that stays, in another process
    or of one that died, would let the file grow with every commit. So none is kept between turns,
    and each turn begins with a look for dead ones.

    A dropped range costs something per key, unless it is all there is.
    """

    name = "lmdb"
    traits = StoreTraits(durable=True, snapshot_scans=True, native_ttl=True, shareable=True)

    def __init__(self, environment: lmdb.Environment, directory: Path, seal: Seal) -> None:
        self._directory = directory
        self._environment = environment
        self._seal = seal
        self._open = True
        self._scans: WeakSet[Scan] = WeakSet()
        self._reader: Any = None
        self._data = self._reading(lambda: environment.open_db(DATA))
        self._meta = self._reading(lambda: environment.open_db(META))
        self._reading(self._renew)

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        """Open or create the file in ``directory``; other processes may have it open.

        Raises:
            LockException: This process has it open already.
            ProcessorStateException: The file is damaged, or was changed by other software.
        """
        seal = Seal(directory)
        try:
            with seal.broken():
                return cls(_environment(directory), directory, seal)
        except BaseException:
            seal.close()
            raise

    def get(self, key: bytes) -> bytes | None:
        try:
            if self._plain or is_plain(key):
                return self._get(key)
        except lmdb.BadValsizeError:
            pass
        except lmdb.Error as error:
            raise self._trouble("read", error) from error
        return self._reading(lambda: self._unusual(key))

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        keys = list(keys)
        if self._plain:
            try:
                return list(map(self._get, keys))
            except lmdb.Error:
                pass  # one key at a time, to treat the one that is special or to say what failed
        return list(map(self.get, keys))

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch and its version in one transaction; ranges are dropped first.

        Raises:
            InvalidStateStoreException: The store is closed.
            ProcessorStateException: LMDB failed, for instance because the disk is full.
        """
        self._check_open()
        while True:
            try:
                with self._seal.broken():
                    self._write(batch, version, dropped)
                    break
            except lmdb.MapFullError:
                self._resize(2 * self._environment.info()["map_size"])
            except lmdb.MapResizedError:
                self._resize(0)
            except (lmdb.Error, OSError) as error:
                raise self._trouble("write to", error) from error
        self._reading(self._renew)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order, as they are now."""
        scan = Scan(self._reading(lambda: self._entries(lower, upper, reverse)), self._trouble)
        self._scans.add(scan)
        return scan

    def version(self) -> bytes | None:
        """Return the version that this or another process wrote last; reads are of it from now on.

        Raises:
            ProcessorStateException: The file was changed or deleted by other software.
        """
        self._check_open()
        self._seal.check()
        self._reading(self._environment.reader_check)
        self._reading(self._renew)
        return self._version

    def size_estimate(self) -> int:
        """Return how many entries there are; long keys that begin alike count once."""
        return self._reading(lambda: int(self._now().stat(self._data)["entries"]))

    def rest(self) -> None:
        """Keep no reader until the next ``version``; a read before it has one of its own."""
        self._reader, self._get = None, self._read_once
        # Another process may write long keys.
        self._plain = False

    def close(self) -> None:
        """Release the file."""
        self._open = False
        for scan in list(self._scans):
            scan.close()
        self._environment.close()
        self._seal.close()

    def _write(
        self, batch: Mapping[bytes, bytes | None], version: bytes, dropped: Sequence[Range]
    ) -> None:
        with self._environment.begin(write=True, db=self._data) as writer:
            for lower, upper in dropped:
                if lower <= b"":
                    writer.delete(EMPTY, db=self._meta)
                drop_range(writer, self._data, lower, upper)
            deleted = [key for key, value in batch.items() if value is None]
            kept: Iterable[Any] = batch.items()
            if deleted:
                kept = [entry for entry in kept if entry[1] is not None]
            # In key order, neighbours find their page in the processor's cache.
            kept = sorted(kept)
            if not self._plain or not all(map(is_plain, batch)):
                deleted, kept = self._set_unusual(writer, batch)
            for key in deleted:
                writer.delete(key)
            writer.cursor().putmulti(kept)
            writer.put(VERSION, version, db=self._meta)

    def _set_unusual(
        self, writer: Any, batch: Mapping[bytes, bytes | None]
    ) -> tuple[list[bytes], list[Entry]]:
        """Write the empty key; return deletions and entries, long keys in their buckets."""
        if b"" in batch:
            empty = batch[b""]
            if empty is None:
                writer.delete(EMPTY, db=self._meta)
            else:
                writer.put(EMPTY, empty, db=self._meta)
        long = {key: value for key, value in batch.items() if len(key) >= PREFIX}
        if long:
            writer.put(LONG, b"", db=self._meta)
        changed = {key: value for key, value in batch.items() if is_plain(key)}
        changed.update(changed_buckets(writer.get, long))
        deleted = [key for key, value in changed.items() if value is None]
        return deleted, sorted((k, value) for k, value in changed.items() if value is not None)

    def _entries(self, lower: bytes | None, upper: bytes | None, reverse: bool) -> Iterator[Entry]:
        reader = self._now()
        cursor = reader.cursor(self._data)
        entries = (downwards if reverse else upwards)(cursor, lower, upper)
        if not self._plain:
            entries = expanded(entries, lower, upper, reverse)
        empty = None if lower else reader.get(EMPTY, db=self._meta)
        if empty is None or upper == b"":
            return entries
        return with_empty(entries, empty, reverse)

    def _unusual(self, key: bytes) -> bytes | None:
        """Return the value of the empty key, or of one too long for LMDB."""
        if not key:
            return self._get(EMPTY, db=self._meta)
        bucket = self._get(key[:PREFIX])
        return None if bucket is None else unpack(bucket).get(key[PREFIX:])

    def _renew(self) -> None:
        """Read from now on what is there now; scans keep what they read from."""
        self._reader = self._begun()
        self._get = self._reader.get
        self._version: bytes | None = self._get(VERSION, db=self._meta)
        self._plain = self._get(LONG, db=self._meta) is None

    def _begun(self) -> Any:
        try:
            return self._environment.begin(db=self._data)
        except lmdb.MapResizedError:
            self._resize(0)
            return self._environment.begin(db=self._data)

    def _now(self) -> Any:
        return self._begun() if self._reader is None else self._reader

    def _read_once(self, key: bytes, **where: Any) -> bytes | None:
        found: bytes | None = self._begun().get(key, **where)
        return found

    def _resize(self, size: int) -> None:
        """Change the map's size; 0 adopts what another process has made it."""
        # LMDB allows it only while this process has no transaction.
        for scan in list(self._scans):
            scan.drain()
        if self._reader is not None:
            self._reader.abort()
        self._environment.set_mapsize(size)
        if size:
            logger.debug('grew the map of "%s" bytes=%d', self._directory, size)
            self._renew()

    def _reading(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except lmdb.Error as error:
            raise self._trouble("read", error) from error

    def _trouble(self, doing: str, error: Exception) -> Exception:
        self._check_open()
        return _failed(doing, self._directory, error)

    def _check_open(self) -> None:
        if not self._open:
            raise InvalidStateStoreException(
                f'cannot use the LMDB store in "{self._directory}": it is closed'
            )


def _failed(doing: str, directory: Path, error: Exception) -> ProcessorStateException:
    return ProcessorStateException(
        f'cannot {doing} the LMDB store in "{directory}"',
        detail=f"{error}.",
        hint="Delete the directory: it is rebuilt from the checkpoint.",
    )


def _environment(directory: Path) -> lmdb.Environment:
    try:
        environment = lmdb.open(
            str(directory),
            map_size=MAP_BYTES,
            max_dbs=2,
            max_readers=MAX_READERS,
            max_spare_txns=4,
            sync=False,
            metasync=False,
        )
        # There is room for so many readers only, dead ones too.
        environment.reader_check()
    except lmdb.Error as error:
        if "already open" in str(error):
            raise LockException(
                f'cannot open the LMDB store in "{directory}": it is in use',
                detail=f"{error}.",
                hint="Close the other store of this process first.",
            ) from error
        raise _failed("open", directory, error) from error
    return environment


@hookimpl
def millstream_register_stores() -> list[type[ByteStore]]:
    """Offer the store."""
    return [LMDBStore]
