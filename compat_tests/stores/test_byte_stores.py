"""Byte stores, alone and under a working copy, do what a dict and a sort do."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from millstream.core.errors import InvalidStateStoreException, LockException
from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import store_class

BYTES = st.binary(max_size=3)
BATCHES = st.dictionaries(BYTES, st.none() | st.binary(max_size=4), max_size=6)
BOUNDS = st.none() | BYTES


def expected_scan(
    model: dict[bytes, bytes], lower: bytes | None, upper: bytes | None, reverse: bool
) -> list[tuple[bytes, bytes]]:
    keys = [
        key
        for key in sorted(model, reverse=reverse)
        if (lower is None or lower <= key) and (upper is None or key < upper)
    ]
    return [(key, model[key]) for key in keys]


class ByteStoreMachine(RuleBasedStateMachine):
    kind: str

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.store: ByteStore = self.opened()
        self.model: dict[bytes, bytes] = {}
        self.version: bytes | None = None
        self.writes = 0

    def opened(self) -> ByteStore:
        return store_class(self.kind).open(Path(self.directory.name), {})

    @rule(batch=BATCHES, dropped=st.lists(st.tuples(BYTES, BYTES), max_size=2))
    def write(self, batch: dict[bytes, bytes | None], dropped: list[tuple[bytes, bytes]]) -> None:
        ranges = [(lower, upper) for lower, upper in dropped if lower < upper]
        self.writes += 1
        self.version = str(self.writes).encode()
        self.store.write(batch, self.version, dropped=ranges)
        for lower, upper in ranges:
            for key in [key for key in self.model if lower <= key < upper]:
                del self.model[key]
        for key, value in batch.items():
            if value is None:
                self.model.pop(key, None)
            else:
                self.model[key] = value

    @rule(key=BYTES)
    def get(self, key: bytes) -> None:
        assert self.store.get(key) == self.model.get(key)
        assert self.store.get_many([key, key]) == [self.model.get(key)] * 2

    @rule(lower=BOUNDS, upper=BOUNDS, reverse=st.booleans())
    def scan(self, lower: bytes | None, upper: bytes | None, reverse: bool) -> None:
        if lower is not None and upper is not None and lower >= upper:
            return
        found = list(self.store.scan(lower, upper, reverse=reverse))
        assert found == expected_scan(self.model, lower, upper, reverse)

    @precondition(lambda self: store_class(self.kind).traits.durable)
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.opened()

    @invariant()
    def version_is_that_of_the_last_write(self) -> None:
        assert self.store.version() == self.version

    def teardown(self) -> None:
        self.store.close()
        self.directory.cleanup()


class MemoryMachine(ByteStoreMachine):
    kind = "memory"


class RocksDBMachine(ByteStoreMachine):
    kind = "rocksdb"


class WorkingCopyMachine(RuleBasedStateMachine):
    """The model is what the batch sees; ``applied`` what is left when the batch is forgotten."""

    kind: str

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        store = store_class(self.kind).open(Path(self.directory.name), {})
        self.copy = WorkingCopy(store)
        self.model: dict[bytes, bytes] = {}
        self.applied: dict[bytes, bytes] = {}
        self.dropped: list[tuple[bytes, bytes]] = []

    @initialize(batch=BATCHES)
    def fill(self, batch: dict[bytes, bytes | None]) -> None:
        for key, value in batch.items():
            self.put(key, value)
        self.apply()

    @rule(key=BYTES, value=st.none() | st.binary(max_size=4))
    def put(self, key: bytes, value: bytes | None) -> None:
        if any(lower <= key < upper for lower, upper in self.dropped):
            return
        self.copy.put(key, value)
        if value is None:
            self.model.pop(key, None)
        else:
            self.model[key] = value

    @rule(lower=BYTES, upper=BYTES)
    def drop(self, lower: bytes, upper: bytes) -> None:
        if lower >= upper:
            return
        self.copy.drop_range(lower, upper)
        self.dropped.append((lower, upper))
        for key in [key for key in self.model if lower <= key < upper]:
            del self.model[key]

    @rule()
    def apply(self) -> None:
        self.copy.apply(b"1")
        self.applied = dict(self.model)
        self.dropped = []

    @rule()
    def forget(self) -> None:
        self.copy.forget()
        self.model = dict(self.applied)
        self.dropped = []

    @rule(key=BYTES)
    def get(self, key: bytes) -> None:
        assert self.copy.get(key) == self.model.get(key)

    @rule(lower=BOUNDS, upper=BOUNDS, reverse=st.booleans())
    def scan(self, lower: bytes | None, upper: bytes | None, reverse: bool) -> None:
        found = list(self.copy.scan(lower, upper, reverse=reverse))
        assert found == expected_scan(self.model, lower, upper, reverse)

    def teardown(self) -> None:
        self.copy.store.close()
        self.directory.cleanup()


class MemoryCopyMachine(WorkingCopyMachine):
    kind = "memory"


class RocksDBCopyMachine(WorkingCopyMachine):
    kind = "rocksdb"


QUICK = settings(max_examples=40, stateful_step_count=25, deadline=None, derandomize=True)
SLOW = settings(max_examples=12, stateful_step_count=25, deadline=None, derandomize=True)

TestMemory: Any = MemoryMachine.TestCase
TestMemory.settings = QUICK
TestRocksDB: Any = RocksDBMachine.TestCase
TestRocksDB.settings = SLOW
TestMemoryCopy: Any = MemoryCopyMachine.TestCase
TestMemoryCopy.settings = QUICK
TestRocksDBCopy: Any = RocksDBCopyMachine.TestCase
TestRocksDBCopy.settings = SLOW


@pytest.fixture
def rocksdb(tmp_path: Path) -> Iterator[ByteStore]:
    store = store_class("rocksdb").open(tmp_path, {})
    yield store
    store.close()


def test_a_rocksdb_directory_belongs_to_one_store(rocksdb: ByteStore, tmp_path: Path) -> None:
    with pytest.raises(LockException, match="it is in use"):
        store_class("rocksdb").open(tmp_path, {})


def test_a_rocksdb_scan_does_not_see_later_writes(rocksdb: ByteStore) -> None:
    rocksdb.write({b"a": b"1"}, b"1")
    scan = rocksdb.scan(None, None)
    rocksdb.write({b"b": b"2"}, b"2")
    assert list(scan) == [(b"a", b"1")]


@pytest.mark.parametrize("kind", ["memory", "rocksdb"])
def test_a_closed_byte_store_refuses_writes(kind: str, tmp_path: Path) -> None:
    store = store_class(kind).open(tmp_path, {})
    store.close()
    with pytest.raises(InvalidStateStoreException, match="it is closed"):
        store.write({b"a": b"1"}, b"1")
    store.close()


def test_only_rocksdb_says_it_is_durable() -> None:
    assert store_class("rocksdb").traits.durable
    assert not store_class("memory").traits.durable


def test_an_unfinished_scan_does_not_keep_rocksdb_open(tmp_path: Path) -> None:
    store = store_class("rocksdb").open(tmp_path, {})
    store.write({b"a": b"1", b"b": b"2"}, b"1")
    begun, untouched = store.scan(None, None), store.scan(None, None)
    next(begun)
    store.close()
    store_class("rocksdb").open(tmp_path, {}).close()
    assert list(untouched) == []


DIES_AFTER_A_WRITE = """
import os, sys
from pathlib import Path
from millstream.stores.rocksdb import RocksDBStore
store = RocksDBStore.open(Path(sys.argv[1]), {})
store.write({b"a": b"1", b"b": b"2"}, b"7")
store.write({b"a": None}, b"8", dropped=[(b"b", b"c")])
os._exit(9)
"""


def test_rocksdb_keeps_data_and_version_when_its_process_dies(tmp_path: Path) -> None:
    died = subprocess.run([sys.executable, "-c", DIES_AFTER_A_WRITE, str(tmp_path)], check=False)
    assert died.returncode == 9
    store = store_class("rocksdb").open(tmp_path, {})
    assert store.version() == b"8"
    assert list(store.scan(None, None)) == []
    store.close()
