"""Versioned stores of bytes that a user's own supplier makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.stores.context import StoreTestContext
from millstream import Consumed, Materialized, StreamsBuilder, TopologyTestDriver
from millstream.core.errors import ClassCastException, UnsupportedOperationException
from millstream.core.serdes import Serdes
from millstream.core.state import VersionedBytesStore, VersionedBytesStoreSupplier, VersionedRecord
from millstream.stores import Stores
from millstream.stores.versioned.bytes_stores import OurVersionedBytes


class CountingBytes(OurVersionedBytes):
    """A user's own versioned store of bytes: counts what is put into it."""

    puts = 0

    def put(self, key: bytes, value: bytes | None, timestamp: Any = None) -> Any:
        self.puts += 1
        return super().put(key, value, timestamp)


class CountingSupplier(VersionedBytesStoreSupplier):
    """Makes it, and remembers the last one."""

    made: CountingBytes
    kind = CountingBytes

    def name(self) -> str:
        return "v"

    def metricsScope(self) -> str:
        return "mine"

    def historyRetentionMs(self) -> int:
        return 100

    def get(self) -> VersionedBytesStore:
        inner: Any = Stores.persistentVersionedKeyValueStore("v", 100).get()
        self.made = self.kind(inner._store)
        return self.made


def test_a_store_works_over_a_users_versioned_bytes(tmp_path: Path) -> None:
    supplier = CountingSupplier()
    builder = Stores.versionedKeyValueStoreBuilder(supplier, Serdes.String(), Serdes.String())
    store: Any = builder.build()
    context = StoreTestContext(tmp_path)
    store.init(context, store)
    assert store.put("a", "1", 5) == -1
    assert store.put("a", "2", 9) == -1
    assert store.put("a", "0", 3) == 5
    assert store.get("a") == VersionedRecord("2", 9)
    assert store.get("a", 6) == VersionedRecord("1", 5)
    assert store.get("a", 2) is None
    assert store.delete("a", 10) == VersionedRecord("2", 9)
    assert store.get("a") is None
    assert supplier.made.puts == 4
    assert context.logged() == [("a", "1", 5), ("a", "2", 9), ("a", "0", 3), ("a", None, 10)]
    store.close()
    assert not supplier.made.isOpen()


@pytest.mark.parametrize("answer", [None, "-1", True, 1.5])
def test_a_put_that_does_not_say_until_when_its_version_holds_is_refused(
    answer: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None counted a late version as the latest, in what is grouped from the table; the others none.
    monkeypatch.setattr(CountingBytes, "put", lambda *_: answer)
    builder = Stores.versionedKeyValueStoreBuilder(
        CountingSupplier(), Serdes.String(), Serdes.String()
    )
    store: Any = builder.build()
    store.init(StoreTestContext(tmp_path), store)
    with pytest.raises(ClassCastException, match=r'put\(\) of store "v" returned') as refused:
        store.put("a", "1", 5)
    assert "PUT_RETURN_CODE_VALID_TO_UNDEFINED" in str(refused.value)


class RestoredBytes(CountingBytes):
    """Asks for its changes at a restart."""

    def init(self, stateStoreContext: Any, root: Any) -> None:
        stateStoreContext.register(root, lambda key, value: None)


@pytest.mark.parametrize(("kind", "warnings"), [(CountingBytes, 0), (RestoredBytes, 1)])
def test_a_warning_says_that_versions_do_not_come_back(
    kind: type[CountingBytes], warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    supplier = CountingSupplier()
    supplier.kind = kind
    builder = StreamsBuilder()
    text = Serdes.String()
    stored = Materialized.as_(supplier).withKeySerde(text).withValueSerde(text)
    builder.table("in", Consumed.with_(text, text), stored)
    with TopologyTestDriver(builder.build()):
        said = [each.getMessage() for each in caplog.records if "versions are lost" in each.msg]
    assert len(said) == warnings
    assert all('versioned store "v"' in each for each in said)


def test_ours_reads_as_time_and_value(tmp_path: Path) -> None:
    bytes_store: Any = Stores.persistentVersionedKeyValueStore("v", 100).get()
    assert isinstance(bytes_store, VersionedBytesStore)
    bytes_store.init(StoreTestContext(tmp_path), bytes_store)
    assert bytes_store.put(b"a", b"on", 258) == -1
    assert bytes_store.get(b"a") == bytes.fromhex("0000000000000102 6f6e")
    assert bytes_store.get(b"a", 257) is None
    assert bytes_store.delete(b"a", 300) == bytes.fromhex("0000000000000102 6f6e")
    assert bytes_store.get(b"a") is None


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("put", (b"a", b"1")),
        ("delete", (b"a",)),
        ("putIfAbsent", (b"a", b"1")),
        ("putAll", ([],)),
        ("range", (None, None)),
        ("reverseRange", (None, None)),
        ("all", ()),
        ("reverseAll", ()),
        ("prefixScan", ("a", Serdes.String().serializer())),
        ("approximateNumEntries", ()),
    ],
)
def test_what_has_no_time_is_refused(method: str, arguments: tuple[Any, ...]) -> None:
    store = Stores.persistentVersionedKeyValueStore("v", 100).get()
    with pytest.raises(UnsupportedOperationException, match="versioned key-value stores"):
        getattr(store, method)(*arguments)
