"""Compliance tests of the SQLite store."""

from millstream_sqlite import SqliteStore

from millstream.testing.kit import ByteStoreTests


class TestSqlite(ByteStoreTests):
    """Every test of the kit, for this store."""

    store_class = SqliteStore
