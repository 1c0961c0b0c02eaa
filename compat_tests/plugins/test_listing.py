"""`millstream plugins`: what is installed, and whether it keeps its promises."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from compat_tests.kit.broken_stores import ForwardOnly
from compat_tests.kit.good_stores import PlainStore
from millstream.cli.main import app
from millstream.core.errors import PluginError
from millstream.plugins import ByteStore, hookimpl
from millstream.plugins.kinds import BUFFERS, KINDS, STORES
from millstream.plugins.listing import listed
from millstream.plugins.registry import installed, new_plugin_manager, registered

OURS = f"millstream {version('millstream')}"


class Plugin:
    def __init__(self, *stores: type[ByteStore]) -> None:
        self._stores = stores

    @hookimpl
    def millstream_register_stores(self) -> list[type[ByteStore]]:
        return list(self._stores)


def test_the_list_tells_traits_and_origin() -> None:
    found = {(offer.kind, offer.name): offer for offer in listed(new_plugin_manager())}
    lmdb = found[STORES, "lmdb"]
    assert lmdb.distribution == OURS
    assert lmdb.path == "millstream.stores.byte_stores.lmdb.LMDBStore"
    assert lmdb.promised() == ["durable", "ordered", "snapshot_scans", "native_ttl", "shareable"]
    assert found[BUFFERS, "spill"].promised() == ["spills", "recovers"]
    order = [KINDS.index(kind) for kind, _ in found]
    assert order == sorted(order)


def test_what_was_registered_by_hand_has_no_origin() -> None:
    with registered(Plugin(PlainStore)):
        (offer,) = (each for each in listed(installed()) if each.name == "plain")
    assert offer.distribution == ""


def test_plugins_shows_a_table() -> None:
    done = CliRunner().invoke(app, ["plugins"])
    rows = [line.split() for line in done.output.splitlines()]
    assert rows[0] == ["kind", "name", "traits", "from", "class"]
    assert rows[2] == [
        *("store", "memory", "ordered,", "native_ttl"),
        *(*OURS.split(), "millstream.stores.byte_stores.memory.MemoryStore"),
    ]


def test_a_good_plugin_passes_its_check() -> None:
    done = CliRunner().invoke(app, ["plugins", "check", "files"])
    assert done.exit_code == 0
    assert "  ok   what is written is read\n" in done.output
    assert done.output.endswith("  It keeps its promises.\n")


def test_a_broken_plugin_fails_its_check_and_is_told_why() -> None:
    with registered(Plugin(ForwardOnly)):
        done = CliRunner().invoke(app, ["plugins", "check", "plain", "--kind", "store"])
    assert done.exit_code == 1
    assert isinstance(done.exception, PluginError)
    assert 'store "plain" breaks its contract' in str(done.exception)
    assert (
        "  FAIL keys are unsigned bytes\n"
        "       broken promise: scan yields entries in the order of unsigned bytes, or in reverse\n"
    ) in done.output


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(PluginError, match='no installed plugin offers a thing named "rokcsdb"'):
        CliRunner().invoke(app, ["plugins", "check", "rokcsdb"], catch_exceptions=False)


def test_what_needs_an_example_cannot_be_checked_by_name() -> None:
    with pytest.raises(PluginError, match='cannot check serde "json" by its name alone'):
        CliRunner().invoke(app, ["plugins", "check", "json"], catch_exceptions=False)
