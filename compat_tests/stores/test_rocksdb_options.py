"""``rocksdb.config.setter``: RocksDB's options under Java's names, on a real store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rocksdict import Cache, DBCompressionType, Options

from compat_tests.properties.line import LineOfTasks
from compat_tests.stores.test_faults import counted, counting
from millstream import BlockBasedTableConfig, RocksDBConfigSetter, RocksDBOptions
from millstream.core.errors import ConfigException
from millstream.stores.byte_stores.rocksdb import RocksDBStore

SEEN: list[tuple[str, str]] = []


class Setter(RocksDBConfigSetter):
    """Many small files and no compression, all by Java's names."""

    def setConfig(
        self, storeName: str, options: RocksDBOptions, configs: Mapping[str, Any]
    ) -> None:
        SEEN.append(("set", storeName))
        self.cache = Cache(1 << 20)
        table = options.tableFormatConfig().setBlockSize(2048).setBlockCache(self.cache)
        table.setFilterPolicy(12).setCacheIndexAndFilterBlocks(False)
        options.setTableFormatConfig(table).setWriteBufferSize(configs["buffer"])
        options.setMaxWriteBufferNumber(2).setLevel0FileNumCompactionTrigger(100)
        options.setCompressionType("NO_COMPRESSION").setCompactionStyle("UNIVERSAL")
        options.setIncreaseParallelism(2).setMaxBackgroundJobs(2)

    def close(self, storeName: str, options: RocksDBOptions) -> None:
        SEEN.append(("close", storeName))


@pytest.mark.parametrize("setter", [Setter, Setter(), f"{__name__}.Setter"])
def test_a_setter_changes_what_the_store_does(setter: Any, tmp_path: Path) -> None:
    SEEN.clear()
    (tmp_path / "counts").mkdir()
    options = {"rocksdb.config.setter": setter, "buffer": 64 << 10}
    store = RocksDBStore.open(tmp_path / "counts", options)
    for number in range(20):
        store.write({b"%03d-%d" % (each, number): b"v" * 400 for each in range(100)}, b"1")
    assert SEEN == [("set", "counts")]
    store.close()
    assert SEEN == [("set", "counts"), ("close", "counts")]
    store.close()
    assert SEEN == [("set", "counts"), ("close", "counts")]

    written = (tmp_path / "counts").glob("OPTIONS-*")
    text = max(written, key=lambda path: path.name).read_text()
    for line in (
        "write_buffer_size=65536",
        "max_write_buffer_number=2",
        "level0_file_num_compaction_trigger=100",
        "compression=kNoCompression",
        "compaction_style=kCompactionStyleUniversal",
        "block_size=2048",
        "cache_index_and_filter_blocks=false",
    ):
        assert line in text, line
    reopened = RocksDBStore.open(tmp_path / "counts", {})
    assert reopened.get(b"007-7") == b"v" * 400
    reopened.close()


def test_rocksdicts_own_names_and_values_work_too() -> None:
    table = BlockBasedTableConfig()
    options = RocksDBOptions(Options(raw_mode=True), table.target)
    options.set_max_open_files(10).setCompressionType(DBCompressionType.zstd())
    assert options.tableFormatConfig().setFormatVersion(5) is options.tableFormatConfig()


def test_an_unknown_setter_or_choice_is_an_error() -> None:
    options = RocksDBOptions(Options(raw_mode=True), BlockBasedTableConfig().target)
    with pytest.raises(AttributeError, match='nothing for "setMagic"'):
        options.setMagic(1)
    with pytest.raises(ConfigException, match='"XZ" is no choice of RocksDB here'):
        options.setCompressionType("XZ")


def test_a_setter_that_cannot_be_found_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigException, match="could not be found"):
        RocksDBStore.open(tmp_path, {"rocksdb.config.setter": "nowhere.Setter"})


class SetsOnly:
    """Inherits nothing; Java's interface has a default for ``close``."""

    def setConfig(self, storeName: str, options: Any, configs: Mapping[str, Any]) -> None:
        options.setMaxWriteBufferNumber(2)


def test_a_setter_need_not_close(tmp_path: Path) -> None:
    RocksDBStore.open(tmp_path, {"rocksdb.config.setter": SetsOnly}).close()


@pytest.mark.parametrize("wrong", [dict, lambda *given: None])
def test_a_setter_that_sets_nothing_is_an_error(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(ConfigException, match=r"rocksdb.config.setter: it has no method setConf"):
        RocksDBStore.open(tmp_path, {"rocksdb.config.setter": wrong})


class Failing(RocksDBConfigSetter):
    """Calls a setter that RocksDB does not have, while it is told to."""

    fails = True

    def setConfig(
        self, storeName: str, options: RocksDBOptions, configs: Mapping[str, Any]
    ) -> None:
        if self.fails:
            options.setMaxWriteBuferNumber(3)


def test_a_setter_that_fails_is_named_with_its_store(tmp_path: Path) -> None:
    with pytest.raises(ConfigException, match=r"value Failing for .*config\.setter") as caught:
        RocksDBStore.open(tmp_path / "counts", {"rocksdb.config.setter": Failing})
    assert 'Store "counts"; AttributeError' in caught.value.detail
    assert "setMaxWriteBuferNumber" in caught.value.detail


def test_a_setter_that_fails_does_not_cost_the_local_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The stores were deleted as damaged, and restored when the setter was mended."""
    path = f"{__name__}.Failing"
    monkeypatch.setattr(Failing, "fails", False)
    with LineOfTasks(counting("rocksdb", **{"rocksdb.config.setter": path})) as line:
        for batch in (1, 2):
            assert counted(line)["b"] == batch
        line.restart(0, lose=False)
        monkeypatch.setattr(Failing, "fails", True)
        with pytest.raises(ConfigException, match="its setConfig"):
            counted(line)
        line.restart(0, lose=False)
        monkeypatch.setattr(Failing, "fails", False)
        assert counted(line)["b"] == 3
        assert not line.live[0, 0].rebuilt()
