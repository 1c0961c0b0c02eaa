"""The byte store on local disk: RocksDB, by rocksdict."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any, cast
from weakref import WeakSet

from rocksdict import (
    BlockBasedOptions,
    Cache,
    ColumnFamily,
    DbClosedError,
    DBCompressionType,
    Options,
    Rdict,
    WriteBatch,
    WriteBufferManager,
)
from typing_extensions import Self

from millstream.core.errors import (
    InvalidStateStoreException,
    LockException,
    ProcessorStateException,
)
from millstream.core.store import Entry, Range
from millstream.plugins import ByteStore, StoreTraits, hookimpl

META = "millstream"
VERSION = b"version"
MEMORY_OPTION = "millstream.rocksdb.memory.bytes"
DEFAULT_MEMORY_BYTES = 256 << 20
WRITE_BUFFER_BYTES = 16 << 20
BLOOM_BITS = 10


class RocksDBStore(ByteStore):
    """A RocksDB directory; the version lies in a column family of its own.

    The write-ahead log is on and not synced. It costs a tenth of a microsecond an entry and makes
    data and version one atomic step that survives the death of the process; after a crash of the
    machine an older version may be found, which the host then brings up to date.

    All stores of a process share one block cache, which their write buffers count against:
    ``millstream.rocksdb.memory.bytes``, 256 MB unless set.
    """

    name = "rocksdb"
    traits = StoreTraits(durable=True, snapshot_scans=True)

    def __init__(self, db: Rdict, directory: Path) -> None:
        self._db = db
        self._directory = directory
        self._meta = db.get_column_family(META)
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
        memory = int(options.get(MEMORY_OPTION) or DEFAULT_MEMORY_BYTES)
        settings = _settings(memory)
        try:
            db = Rdict(str(directory), settings, {META: _meta_settings()})
        except Exception as error:
            text = str(error)
            if "lock" in text.lower():
                raise LockException(
                    f'cannot open the RocksDB store in "{directory}": it is in use',
                    detail=text,
                    hint="Stop the other process, or give this one another state.dir.",
                ) from error
            raise ProcessorStateException(
                f'cannot open the RocksDB store in "{directory}"',
                detail=text,
                hint="Delete the directory: it is rebuilt from the checkpoint.",
            ) from error
        return cls(db, directory)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""
        return self._db.get(key)

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the value of each key, in order."""
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
        except DbClosedError as error:
            raise self._closed() from error
        except Exception as error:
            raise ProcessorStateException(
                f'cannot write to the RocksDB store in "{self._directory}"', detail=str(error)
            ) from error

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper`` in key order, as they are now."""
        # rocksdict's own bounds are not used: the lower one sets the upper one as well, and the
        # upper one does not outlive the call.
        try:
            items = self._db.items(backwards=reverse, from_key=upper if reverse else lower)
        except DbClosedError as error:
            raise self._closed() from error
        scan = _entries(cast("Iterator[Entry]", items), lower, upper, reverse)
        next(scan)
        self._scans.add(scan)
        return scan

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store."""
        return self._meta.get(VERSION)

    def size_estimate(self) -> int:
        """Return RocksDB's own estimate of the number of entries."""
        return int(self._db.property_int_value("rocksdb.estimate-num-keys") or 0)

    def close(self) -> None:
        """Write the memory tables out and release the directory."""
        # Handles and iterators keep the directory locked as long as they live.
        for scan in list(self._scans):
            scan.close()
        self._meta_handle = None
        with suppress(DbClosedError):
            self._meta.close()
            self._db.close()

    def _closed(self) -> InvalidStateStoreException:
        return InvalidStateStoreException(
            f'cannot use the RocksDB store in "{self._directory}": it is closed'
        )


def _entries(
    items: Iterator[Entry], lower: bytes | None, upper: bytes | None, reverse: bool
) -> Generator[Entry, None, None]:
    # Started by whoever makes it: one that was never started keeps its arguments when closed.
    yield b"", b""
    if reverse:
        if upper is not None:
            items = dropwhile(lambda entry: entry[0] >= upper, items)
        if lower is not None:
            items = takewhile(lambda entry: entry[0] >= lower, items)
    elif upper is not None:
        items = takewhile(lambda entry: entry[0] < upper, items)
    yield from items


@cache
def _shared(memory_bytes: int) -> tuple[Cache, WriteBufferManager]:
    """Return the memory of this process's stores: half of the block cache may be write buffers."""
    block_cache = Cache(memory_bytes)
    return block_cache, WriteBufferManager.new_write_buffer_manager_with_cache(
        memory_bytes // 2, False, block_cache
    )


def _settings(memory_bytes: int) -> Options:
    block_cache, write_buffers = _shared(memory_bytes)
    blocks = BlockBasedOptions()
    blocks.set_block_cache(block_cache)
    blocks.set_bloom_filter(BLOOM_BITS, False)
    blocks.set_cache_index_and_filter_blocks(True)
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(True)
    settings = Options(raw_mode=True)
    settings.create_if_missing(True)
    settings.create_missing_column_families(True)
    settings.set_block_based_table_factory(blocks)
    settings.set_write_buffer_manager(write_buffers)
    settings.set_write_buffer_size(WRITE_BUFFER_BYTES)
    # Most reads of a window store ask for what is not there; these filters answer them in memory.
    settings.set_memtable_whole_key_filtering(True)
    settings.set_memtable_prefix_bloom_ratio(0.1)
    settings.set_compression_type(DBCompressionType.lz4())
    settings.set_bottommost_compression_type(DBCompressionType.zstd())
    settings.set_keep_log_file_num(1)
    settings.set_max_open_files(256)
    return settings


def _meta_settings() -> Options:
    settings = Options(raw_mode=True)
    settings.set_write_buffer_size(64 << 10)
    return settings


@hookimpl
def millstream_register_stores() -> list[type[ByteStore]]:
    """Offer the store."""
    return [RocksDBStore]
