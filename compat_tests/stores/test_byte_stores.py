"""The built-in byte stores pass the kit, and do under a working copy what a dict and a sort do."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from millstream.core.errors import InvalidStateStoreException, LockException
from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import open_store, store_class
from millstream.testing.kit import ByteStoreTests
from millstream.testing.kit.store_machine import Model

BYTES = st.binary(max_size=3)
BATCHES = st.dictionaries(BYTES, st.none() | st.binary(max_size=4), max_size=6)
BOUNDS = st.none() | BYTES


class TestMemory(ByteStoreTests):
    store_class = store_class("memory")


class TestRocksDB(ByteStoreTests):
    store_class = store_class("rocksdb")
    histories = 8  # it takes a tenth of a second to open


class TestLMDB(ByteStoreTests):
    store_class = store_class("lmdb")


class WorkingCopyMachine(RuleBasedStateMachine):
    """The model is what the batch sees; ``applied`` what is left when the batch is forgotten."""

    kind: str

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        store = open_store(self.kind, Path(self.directory.name), {})
        self.copy = WorkingCopy(store)
        self.model = Model()
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
        self.model.write({key: value}, [])

    @rule(lower=BYTES, upper=BYTES)
    def drop(self, lower: bytes, upper: bytes) -> None:
        if lower >= upper:
            return
        self.copy.drop_range(lower, upper)
        self.dropped.append((lower, upper))
        self.model.write({}, [(lower, upper)])

    @rule()
    def apply(self) -> None:
        self.copy.apply(b"1")
        self.applied = dict(self.model.entries)
        self.dropped = []

    @rule()
    def forget(self) -> None:
        self.copy.forget()
        self.model.entries = dict(self.applied)
        self.dropped = []

    @rule(key=BYTES)
    def get(self, key: bytes) -> None:
        assert self.copy.get(key) == self.model.entries.get(key)

    @rule(lower=BOUNDS, upper=BOUNDS, reverse=st.booleans())
    def scan(self, lower: bytes | None, upper: bytes | None, reverse: bool) -> None:
        found = list(self.copy.scan(lower, upper, reverse=reverse))
        assert found == self.model.scan(lower, upper, reverse=reverse)

    def teardown(self) -> None:
        self.copy.store.close()
        self.directory.cleanup()


class MemoryCopyMachine(WorkingCopyMachine):
    kind = "memory"


class RocksDBCopyMachine(WorkingCopyMachine):
    kind = "rocksdb"


class LMDBCopyMachine(WorkingCopyMachine):
    kind = "lmdb"


QUICK = settings(max_examples=40, stateful_step_count=25, deadline=None, derandomize=True)
SLOW = settings(max_examples=12, stateful_step_count=25, deadline=None, derandomize=True)

TestMemoryCopy: Any = MemoryCopyMachine.TestCase
TestMemoryCopy.settings = QUICK
TestRocksDBCopy: Any = RocksDBCopyMachine.TestCase
TestRocksDBCopy.settings = SLOW
TestLMDBCopy: Any = LMDBCopyMachine.TestCase
TestLMDBCopy.settings = QUICK


@pytest.fixture
def rocksdb(tmp_path: Path) -> Iterator[ByteStore]:
    store = store_class("rocksdb").open(tmp_path, {})
    yield store
    store.close()


def test_a_rocksdb_directory_belongs_to_one_store(rocksdb: ByteStore, tmp_path: Path) -> None:
    with pytest.raises(LockException, match="it is in use"):
        store_class("rocksdb").open(tmp_path, {})


@pytest.mark.parametrize("kind", ["memory", "rocksdb", "lmdb"])
def test_a_closed_byte_store_says_so(kind: str, tmp_path: Path) -> None:
    store = store_class(kind).open(tmp_path, {})
    store.close()
    with pytest.raises(InvalidStateStoreException, match="it is closed"):
        store.write({b"a": b"1"}, b"1")


def test_the_built_in_stores_promise_what_they_should() -> None:
    durable = {"durable", "snapshot_scans"}
    assert promised("memory") == set()
    assert promised("rocksdb") == durable
    assert promised("lmdb") == {*durable, "shareable"}


def promised(kind: str) -> set[str]:
    found = asdict(store_class(kind).traits)
    assert found.pop("ordered")
    assert found.pop("native_ttl")
    return {trait for trait, kept in found.items() if kept}


def test_a_scan_of_the_memory_store_is_steady_as_the_runtime_opens_it(tmp_path: Path) -> None:
    store = open_store("memory", tmp_path, {})
    store.write({b"%03d" % each: b"old" for each in range(100)}, b"1")
    scans = [store.scan(None, None, reverse=reverse) for reverse in (False, True)]
    firsts = [next(scan) for scan in scans]
    store.write({b"050": b"new", b"0500": b"new"}, b"2", dropped=[(b"060", b"070")])
    assert firsts == [(b"000", b"old"), (b"099", b"old")]
    assert [value for scan in scans for _, value in scan] == [b"old"] * 198
