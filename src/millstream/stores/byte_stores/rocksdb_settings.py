"""Options of a RocksDB store, and the memory that all stores of a process share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from rocksdict import (
    BlockBasedIndexType,
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    Options,
    WriteBufferManager,
)

from millstream.core.config.instances import adapted
from millstream.core.config.own_keys import OWN_KEYS, ROCKSDB_MEMORY_BYTES
from millstream.core.errors import ConfigException
from millstream.core.loading import load_instance
from millstream.core.wording import said
from millstream.stores.byte_stores.rocksdb_options import (
    SETTER_CONFIG,
    RocksDBConfigSetter,
    RocksDBOptions,
)

WRITE_BUFFER_BYTES = 16 << 20
BLOOM_BITS = 10
METADATA_BLOCK_BYTES = 16 << 10
LOG_BYTES = 1 << 20
"""Size at which RocksDB's own log of a store begins anew."""


def configured(store: str, configs: Mapping[str, Any]) -> tuple[Options, Callable[[], None]]:
    """Return a store's options, and what to call when it is closed.

    Raises:
        ConfigException: The setter of the configuration failed.
    """
    memory_bytes = OWN_KEYS[ROCKSDB_MEMORY_BYTES].value_in(configs)
    blocks = _blocks(memory_bytes)
    settings = _settings(memory_bytes, blocks)
    chosen = configs.get(SETTER_CONFIG)
    if chosen is None:
        return settings, nothing
    setter: RocksDBConfigSetter = adapted(SETTER_CONFIG, load_instance(chosen, SETTER_CONFIG))
    options = RocksDBOptions(settings, blocks)
    try:
        setter.setConfig(store, options, configs)
    except Exception as error:
        kind = type(getattr(setter, "made", setter)).__name__
        raise ConfigException(
            f"Invalid value {kind} for configuration {SETTER_CONFIG}: its setConfig() failed",
            detail=f'Store "{store}"; {said(error)}.',
            hint="No file of the store was opened or changed.",
        ) from error
    # As in Java's interface, which has a default.
    close = getattr(setter, "close", None)
    return settings, nothing if close is None else partial(close, store, options)


def meta_settings() -> Options:
    """Return the options of the column family that holds the version."""
    settings = Options(raw_mode=True)
    settings.set_write_buffer_size(64 << 10)
    return settings


def nothing() -> None:
    """Release nothing."""


@cache
def _shared(memory_bytes: int) -> tuple[Cache, WriteBufferManager]:
    """Return the memory of this process's stores: half of the block cache may be write buffers."""
    # Its parts are larger than those of RocksDB's older cache. One that is smaller than a block
    # does not keep it: a filter of some million keys was read from the file again by each lookup.
    block_cache = Cache.new_hyper_clock_cache(memory_bytes, 0)
    return block_cache, WriteBufferManager.new_write_buffer_manager_with_cache(
        memory_bytes // 2, False, block_cache
    )


def _blocks(memory_bytes: int) -> BlockBasedOptions:
    blocks = BlockBasedOptions()
    blocks.set_block_cache(_shared(memory_bytes)[0])
    blocks.set_bloom_filter(BLOOM_BITS, False)
    blocks.set_cache_index_and_filter_blocks(True)
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(True)
    # Filters and indexes grow with a file's keys; in blocks of their own, a lookup needs one.
    blocks.set_index_type(BlockBasedIndexType.two_level_index_search())
    blocks.set_partition_filters(True)
    blocks.set_metadata_block_size(METADATA_BLOCK_BYTES)
    blocks.set_pin_top_level_index_and_filter(True)
    return blocks


def _settings(memory_bytes: int, blocks: BlockBasedOptions) -> Options:
    settings = Options(raw_mode=True)
    settings.create_if_missing(True)
    settings.create_missing_column_families(True)
    settings.set_block_based_table_factory(blocks)
    settings.set_write_buffer_manager(_shared(memory_bytes)[1])
    settings.set_write_buffer_size(WRITE_BUFFER_BYTES)
    # Most reads of a window store ask for what is not there; these filters answer them in memory.
    settings.set_memtable_whole_key_filtering(True)
    settings.set_memtable_prefix_bloom_ratio(0.1)
    settings.set_compression_type(DBCompressionType.lz4())
    settings.set_bottommost_compression_type(DBCompressionType.zstd())
    # Without it the version's column family, which is written to disk once in some hundred batches,
    # would keep the write-ahead logs of all data since then.
    settings.set_atomic_flush(True)
    # RocksDB writes statistics into its own log every ten minutes, without a bound.
    settings.set_stats_dump_period_sec(0)
    settings.set_max_log_file_size(LOG_BYTES)
    settings.set_keep_log_file_num(1)
    settings.set_max_open_files(256)
    return settings
