"""Files of a RocksDB store: what it does not need any more is deleted."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from rocksdict import BottommostLevelCompaction, CompactOptions, Rdict, WriteBatch

from millstream.core.config.own_keys import ROCKSDB_MEMORY_BYTES
from millstream.core.errors import ProcessorStateException
from millstream.stores.byte_stores import rocksdb
from millstream.stores.byte_stores.rocksdb import RocksDBStore
from millstream.stores.byte_stores.rocksdb_settings import (
    METADATA_BLOCK_BYTES,
    WRITE_BUFFER_BYTES,
    configured,
)

_VALUE = b"x" * 1000


def logs_bytes(directory: Path) -> int:
    total = 0
    for path in directory.glob("*.log"):
        # RocksDB's own threads delete files between the listing and the question.
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


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


def test_a_lookup_reads_no_filter_of_a_whole_file(tmp_path: Path) -> None:
    # A cache that is smaller than the filter of all keys, as it is with millions of keys.
    keys = [b"key-%06d" % number for number in range(200_000)]
    settings, release = configured("store", {ROCKSDB_MEMORY_BYTES: 128 << 10})
    settings.enable_statistics()
    db = Rdict(str(tmp_path), settings, {})
    for start in range(0, len(keys), 20_000):
        batch = WriteBatch(raw_mode=True)
        for key in keys[start : start + 20_000]:
            batch.put(key, b"value")
        db.write(batch)
    db.flush()
    forced = CompactOptions()
    forced.set_bottommost_level_compaction(BottommostLevelCompaction.force())
    db.compact_range(None, None, forced)

    def read_of_filters() -> int:
        text = settings.get_statistics() or ""
        (found,) = re.findall(r"rocksdb\.block\.cache\.filter\.bytes\.insert COUNT : (\d+)", text)
        return int(found)

    before, wanted = read_of_filters(), keys[::2000]
    assert all(db.get(key) == b"value" for key in wanted)
    assert read_of_filters() - before < len(wanted) * 2 * METADATA_BLOCK_BYTES
    db.close()
    release()


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("IO error: While open directory: /a: Too many open files", "Allow more open files"),
        ("IO error: While appending to file: /a: No space left on device", "Make room on the disk"),
        ("Corruption: block checksum mismatch", "Delete the directory"),
    ],
)
def test_what_to_do_about_a_store_that_cannot_be_opened_depends_on_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, hint: str
) -> None:
    def fails(*arguments: object) -> None:
        raise OSError(reason)

    monkeypatch.setattr(rocksdb, "Rdict", fails)
    with pytest.raises(ProcessorStateException) as raised:
        RocksDBStore.open(tmp_path, {})
    assert hint in raised.value.hint


_MANY_STORES = """
import resource, sys
from pathlib import Path
from millstream.stores.byte_stores.rocksdb import RocksDBStore
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
stores = []
for number in range(20):
    directory = Path(sys.argv[1], str(number))
    directory.mkdir()
    stores.append(RocksDBStore.open(directory, {}))
for store in stores:
    store.close()
"""


def test_a_process_may_have_more_stores_than_the_usual_limit_of_files_allows(
    tmp_path: Path,
) -> None:
    """A driver whose limit was 1,024 could not be asked for stores of 150 partitions."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 1024:
        pytest.skip("no process may open so many files here")
    told = [sys.executable, "-c", _MANY_STORES, str(tmp_path)]
    done = subprocess.run(told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
