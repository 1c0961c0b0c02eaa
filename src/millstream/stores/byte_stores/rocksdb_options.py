"""``RocksDBConfigSetter`` and the options that it receives."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from rocksdict import BlockBasedOptions, DBCompactionStyle, DBCompressionType, Options

from millstream.core.errors import ConfigException
from millstream.core.readable import Readable

SETTER_CONFIG = "rocksdb.config.setter"

RENAMED = {
    "setIncreaseParallelism": "increase_parallelism",
    "setLevel0FileNumCompactionTrigger": "set_level_zero_file_num_compaction_trigger",
    "setLevel0SlowdownWritesTrigger": "set_level_zero_slowdown_writes_trigger",
    "setLevel0StopWritesTrigger": "set_level_zero_stop_writes_trigger",
    "setLevelZeroFileNumCompactionTrigger": "set_level_zero_file_num_compaction_trigger",
    "setLevelZeroSlowdownWritesTrigger": "set_level_zero_slowdown_writes_trigger",
    "setLevelZeroStopWritesTrigger": "set_level_zero_stop_writes_trigger",
    "setLevelCompactionDynamicLevelBytes": "set_level_compaction_dynamic_level_bytes",
    "setMaxWriteBufferNumberToMaintain": "set_max_write_buffer_size_to_maintain",
    "setMemTableConfig": "set_memtable_factory",
    "setPinTopLevelIndexAndFilter": "set_pin_top_level_index_and_filter",
    "setRateLimiter": "set_ratelimiter",
    "setBlockRestartInterval": "set_block_restart_interval",
}
"""Java's setters whose names in rocksdict are more than another spelling."""

_COMPRESSION = {
    "NO_COMPRESSION": "none",
    "SNAPPY_COMPRESSION": "snappy",
    "ZLIB_COMPRESSION": "zlib",
    "BZLIB2_COMPRESSION": "bz2",
    "LZ4_COMPRESSION": "lz4",
    "LZ4HC_COMPRESSION": "lz4hc",
    "ZSTD_COMPRESSION": "zstd",
}
_COMPACTION = {"LEVEL": "level", "UNIVERSAL": "universal", "FIFO": "fifo"}


class RocksDBConfigSetter(Readable, ABC):
    """Sets options of RocksDB, store by store; named by ``rocksdb.config.setter``.

    An object of it is made for each store that is opened. What it sets itself, such as a block
    cache, is outside the memory that millstream's stores share.

    Example:
        >>> class SmallBlocks(RocksDBConfigSetter):
        ...     def setConfig(self, storeName, options, configs):
        ...         table = options.tableFormatConfig().setBlockSize(2048)
        ...         options.setTableFormatConfig(table).setMaxWriteBufferNumber(2)

    Source: ``state.RocksDBConfigSetter``.
    """

    @abstractmethod
    def setConfig(
        self, storeName: str, options: RocksDBOptions, configs: Mapping[str, Any]
    ) -> None:
        """Set options before the store is opened.

        Args:
            storeName: The store.
            options: With millstream's settings to begin with.
            configs: The application's configuration.
        """

    def close(self, storeName: str, options: RocksDBOptions) -> None:
        """Release what ``setConfig`` has made; called after the store is closed."""


class _Renamed(Readable):
    """An object of rocksdict under the names of RocksDB's Java classes.

    A setter ``setMaxOpenFiles`` calls ``set_max_open_files``; rocksdict's own names work too.
    Setters return the object, as Java's do.
    """

    def __init__(self, target: Any) -> None:
        self.target = target
        """The object of rocksdict."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        method = getattr(self.target, RENAMED.get(name, snake), None)
        if name.startswith("_") or method is None:
            kind = type(self.target).__name__
            raise AttributeError(
                f'rocksdict\'s {kind} has nothing for "{name}"; `dir(options.target)` lists it'
            )

        def call(*arguments: Any, **keywords: Any) -> Any:
            found = method(*arguments, **keywords)
            return self if found is None else found

        return call


class BlockBasedTableConfig(_Renamed):
    """The format of a store's files.

    Source: RocksDB's ``BlockBasedTableConfig``.
    """

    def __init__(self, target: BlockBasedOptions | None = None) -> None:
        super().__init__(BlockBasedOptions() if target is None else target)

    def setFilterPolicy(self, bits_per_key: float) -> BlockBasedTableConfig:
        """Use a bloom filter with so many bits for a key; Java's ``BloomFilter(bits)``."""
        self.target.set_bloom_filter(bits_per_key, False)
        return self


class RocksDBOptions(_Renamed):
    """RocksDB's options under their Java names, as a ``RocksDBConfigSetter`` receives them.

    Source: RocksDB's ``Options``.
    """

    def __init__(self, target: Options, table: BlockBasedOptions) -> None:
        super().__init__(target)
        self._table = BlockBasedTableConfig(table)

    def tableFormatConfig(self) -> BlockBasedTableConfig:
        """Return the files' format; pass it to ``setTableFormatConfig`` after a change."""
        return self._table

    def setTableFormatConfig(self, config: BlockBasedTableConfig) -> RocksDBOptions:
        """Set the files' format."""
        self._table = config
        self.target.set_block_based_table_factory(config.target)
        return self

    def setCompressionType(self, kind: Any) -> RocksDBOptions:
        """Set the compression: rocksdict's, or Java's name of it (``"LZ4_COMPRESSION"``)."""
        self.target.set_compression_type(_chosen(kind, _COMPRESSION, DBCompressionType))
        return self

    def setBottommostCompressionType(self, kind: Any) -> RocksDBOptions:
        """Set the compression of the last level, where most of the data is."""
        self.target.set_bottommost_compression_type(_chosen(kind, _COMPRESSION, DBCompressionType))
        return self

    def setCompactionStyle(self, style: Any) -> RocksDBOptions:
        """Set the compaction: rocksdict's, or Java's name of it (``"UNIVERSAL"``)."""
        self.target.set_compaction_style(_chosen(style, _COMPACTION, DBCompactionStyle))
        return self


def _chosen(value: Any, names: Mapping[str, str], choices: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value not in names:
        raise ConfigException(
            f'"{value}" is no choice of RocksDB here', detail=f"There are {', '.join(names)}."
        )
    return getattr(choices, names[value])()
