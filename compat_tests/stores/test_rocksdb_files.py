"""Files of a RocksDB store: what it does not need any more is deleted."""

from __future__ import annotations

from pathlib import Path

from millstream.stores.byte_stores.rocksdb import RocksDBStore
from millstream.stores.byte_stores.rocksdb_settings import WRITE_BUFFER_BYTES

_VALUE = b"x" * 1000


def logs_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.glob("*.log"))


def test_the_write_ahead_logs_of_what_is_on_disk_are_deleted(tmp_path: Path) -> None:
    store = RocksDBStore.open(tmp_path, {})
    most = 0
    for number in range(80):
        keys = (b"key-%05d" % key for key in range(1000))
        store.write(dict.fromkeys(keys, _VALUE), b"%024d" % number)
        most = max(most, logs_bytes(tmp_path))
    store.close()
    assert most < 3 * WRITE_BUFFER_BYTES
    again = RocksDBStore.open(tmp_path, {})
    assert again.version() == b"%024d" % 79
    assert again.get(b"key-00007") == _VALUE
    again.close()
