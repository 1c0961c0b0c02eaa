"""Byte stores: in memory, RocksDB, LMDB."""
