"""The driver's copy of a store that is damaged, or cannot be built, is built anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from compat_tests.kit.good_stores import FileStore
from compat_tests.spark.queries.world import TEXT, Idle, World
from millstream import KeyQuery, StateQueryRequest, Stores, Topology
from millstream.core.errors import TaskCorruptedException
from millstream.plugins import ByteStore, hookimpl
from millstream.plugins.registry import registered
from millstream.stores.construction.suppliers import OurKeyValueSupplier

BAD = "bad-sector"


class Disk(FileStore):
    """Fails while a file says so, which goes with the directory; or so many times in all."""

    name = "bad-copy"
    fails = 0

    def get(self, key: bytes) -> bytes | None:
        self._look()
        return super().get(key)

    def write(self, batch: Any, version: bytes, *, dropped: Any = ()) -> None:
        self._look()
        super().write(batch, version, dropped=dropped)

    def close(self) -> None:
        super().close()
        self._look()

    def _look(self) -> None:
        if "driver" not in self.directory.parts:
            return
        if (self.directory / BAD).exists():
            raise OSError("bad sector")
        if Disk.fails:
            Disk.fails -= 1
            raise OSError("no space left on device")


class Offers:
    """The plugin."""

    @hookimpl
    def millstream_register_stores(self) -> Sequence[type[ByteStore]]:
        """Offer the store."""
        return [Disk]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(Disk, "fails", 0)
    topology = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    for name in ("kv", "other"):
        supplier = OurKeyValueSupplier(store=name, kind=Disk.name, durable=True)
        topology.addStateStore(Stores.keyValueStoreBuilder(supplier, TEXT, TEXT), "p")
    with registered(Offers()):
        made = World(tmp_path, topology)
        made.commit(0, "kv", {"a": "1", "b": "1"})
        made.commit(0, "other", {"x": "9"})
        yield made
        made.close()


def damage(world: World, store: str) -> None:
    root = Path(world.worker.state_dir).parent / "driver"
    for written in root.rglob(f"{store}/entries"):
        (written.parent / BAD).touch()


def query(world: World) -> Any:
    request: Any = StateQueryRequest.inStore("kv").withQuery(KeyQuery.withKey("a"))
    return world.queries.query(request).getPartitionResults()[0]


def test_a_copy_that_turns_out_to_be_damaged(world: World) -> None:
    assert world.view().get("a") == "1"
    damage(world, "kv")
    assert world.view().get("a") == "1"
    damage(world, "kv")
    assert query(world).getResult() == "1"
    damage(world, "kv")
    world.commit(0, "kv", {"c": "1"})
    assert [entry.key for entry in world.view().all()] == ["a", "b", "c"]


def test_one_that_fails_again_and_again_is_told_and_tried_anew(world: World) -> None:
    view = world.view()
    assert view.get("a") == "1"
    Disk.fails = 1000
    with pytest.raises(TaskCorruptedException, match="no space left on device"):
        view.get("a")
    Disk.fails = 0
    assert view.get("a") == "1"
    Disk.fails = 1000
    with pytest.raises(TaskCorruptedException, match="no space left on device"):
        query(world)
    Disk.fails = 0
    assert query(world).getResult() == "1"


def test_a_copy_that_cannot_be_built_takes_no_other_one_with_it(world: World) -> None:
    view = world.view()
    assert view.get("a") == "1"
    Disk.fails = 1000
    with pytest.raises(TaskCorruptedException):
        world.view("other")
    Disk.fails = 0
    # It would begin empty, and take the next changes for all there are.
    assert view.get("a") == "1"
    world.commit(0, "kv", {"a": "2"})
    assert [(entry.key, entry.value) for entry in view.all()] == [("a", "2"), ("b", "1")]
    assert world.view("other").get("x") == "9"


def test_what_closing_a_copy_raises_ends_nothing_else(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    assert world.view().get("a") == "1"
    Disk.fails = 1
    world.queries.close()
    assert "a copy for queries cannot be closed" in caplog.text
    assert Disk.fails == 0
