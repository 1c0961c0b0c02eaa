"""Plugins are found by entry point and refused loudly."""

from __future__ import annotations

import logging
from importlib.metadata import EntryPoint
from typing import Any

import pluggy
import pytest

from millstream.core.errors import PluginError
from millstream.core.state import (
    DslKeyValueParams,
    DslWindowParams,
    TimestampedKeyValueStore,
    TimestampedWindowStore,
)
from millstream.plugins import ByteStore, hookimpl
from millstream.plugins.kinds import STORES
from millstream.plugins.offers import check_entry_points
from millstream.plugins.registry import (
    collect,
    new_plugin_manager,
    offered,
    registered,
    store_class,
    store_kinds,
)
from millstream.stores.byte_stores.memory import MemoryStore


def test_our_own_stores_come_by_entry_point() -> None:
    assert {"memory", "rocksdb", "lmdb"} <= set(offered(STORES))
    assert store_class("memory") is MemoryStore


def test_a_plugin_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MILLSTREAM_DISABLED_PLUGINS", "memory, kafka-stores")
    manager = new_plugin_manager()
    assert "memory" not in collect(manager, STORES)
    assert manager.hook.millstream_store_kinds() is None


def test_an_unknown_store_gets_a_suggestion() -> None:
    with pytest.raises(PluginError) as caught:
        store_class("rocksbd")
    assert str(caught.value) == (
        'no installed plugin offers a store named "rocksbd"\n'
        "  detail: Installed stores: lmdb, memory, rocksdb.\n"
        '  hint: Did you mean "rocksdb"?'
    )


def test_two_stores_of_one_name_are_both_named() -> None:
    class Impostor(MemoryStore):
        pass

    class Plugin:
        @hookimpl
        def millstream_register_stores(self) -> list[type[ByteStore]]:
            return [MemoryStore, Impostor]

    manager = new_plugin_manager(entry_points=False)
    manager.register(Plugin())
    with pytest.raises(PluginError) as caught:
        collect(manager, STORES)
    assert 'two plugins offer a store named "memory"' in str(caught.value)
    assert "millstream.stores.byte_stores.memory.MemoryStore" in str(caught.value)
    assert "Impostor" in str(caught.value)


def test_a_misspelt_hook_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plugin:
        @hookimpl
        def millstream_register_stroes(self) -> list[Any]:
            return []

    def load(manager: pluggy.PluginManager, group: str) -> int:
        manager.register(Plugin())
        return 1

    monkeypatch.setattr(pluggy.PluginManager, "load_setuptools_entrypoints", load)
    with pytest.raises(PluginError, match="implements a hook that does not exist") as caught:
        new_plugin_manager()
    assert "millstream_register_stroes" in str(caught.value)


def test_a_plugin_that_cannot_be_imported_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(manager: pluggy.PluginManager, group: str) -> int:
        raise ImportError("no module named liblevel")

    monkeypatch.setattr(pluggy.PluginManager, "load_setuptools_entrypoints", load)
    with pytest.raises(PluginError, match="no module named liblevel"):
        new_plugin_manager()


def test_a_plugin_that_exits_when_it_is_imported_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load(manager: pluggy.PluginManager, group: str) -> int:
        raise SystemExit(0)

    monkeypatch.setattr(pluggy.PluginManager, "load_setuptools_entrypoints", load)
    with pytest.raises(PluginError, match="SystemExit"):
        new_plugin_manager()


def test_a_hook_that_is_not_marked_is_an_error() -> None:
    class Plugin:
        def millstream_register_stores(self) -> list[Any]:
            return []

    with pytest.raises(PluginError, match="not marked as a hook") as caught, registered(Plugin()):
        pass
    assert "Plugin.millstream_register_stores" in str(caught.value)


def test_two_entry_points_of_one_name_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [EntryPoint("kv", value, "millstream") for value in ("one", "one", "other")]
    monkeypatch.setattr("millstream.plugins.offers.entry_points", lambda group: found)
    with pytest.raises(PluginError, match='two plugins have the entry point "kv"') as caught:
        check_entry_points(())
    assert "one and other" in str(caught.value)
    check_entry_points(["kv"])


def test_a_plugin_that_is_not_here_may_be_missing_on_a_worker_only() -> None:
    with pytest.raises(PluginError, match="also where its workers run"):
        store_class("elsewhere")


def test_hook_calls_can_be_traced(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MILLSTREAM_TRACE_PLUGINS", "1")
    with caplog.at_level(logging.INFO, "millstream.plugins"):
        collect(new_plugin_manager(), STORES)
    assert "millstream_register_stores" in caplog.text


@pytest.mark.parametrize(
    ("name", "persistent"), [("rocksDB", True), ("ROCKS_DB", True), ("in_memory", False)]
)
def test_the_dsl_finds_stores_by_kafkas_names(name: str, persistent: bool) -> None:
    kinds = store_kinds()
    suppliers = kinds.dsl_suppliers(name)
    table = suppliers.keyValueStore(DslKeyValueParams("t"))
    tables = kinds.builder(TimestampedKeyValueStore, table, None, None)
    assert tables.build().persistent() is persistent
    windows = suppliers.windowStore(DslWindowParams("w", 300_000, 10))
    assert windows.segmentIntervalMs() == (150_000 if persistent else 1)
    windowed = kinds.builder(TimestampedWindowStore, windows, None, None)
    assert windowed.build().persistent() is persistent


def test_an_unknown_choice_for_the_dsl_is_an_error() -> None:
    with pytest.raises(PluginError, match='"rockdb"'):
        store_kinds().dsl_suppliers("rockdb")
