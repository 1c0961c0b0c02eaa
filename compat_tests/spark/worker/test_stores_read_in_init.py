"""Stores that a processor reads in its init: a damaged one is repaired, as in a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from compat_tests.kit.good_stores import FileStore
from compat_tests.spark.worker.attempts import Segments
from compat_tests.spark.worker.one_task import arrived, one_task, values
from compat_tests.stores.own_builder import OwnBuilder
from millstream import (
    Processor,
    Serdes,
    StateStore,
    Stores,
    StreamsException,
    Topology,
    TopologyTestDriver,
)
from millstream.plugins import ByteStore, hookimpl
from millstream.plugins.registry import registered
from millstream.stores.construction.suppliers import OurKeyValueSupplier

TEXT = Serdes.String()
BAD = "bad-sector"


class Disk(FileStore):
    """Cannot be read while a file says so, which goes with the directory."""

    name = "bad-disk"

    def get(self, key: bytes) -> bytes | None:
        if (self.directory / BAD).exists():
            raise OSError("bad sector")
        return super().get(key)


class Offers:
    """The plugin."""

    @hookimpl
    def millstream_register_stores(self) -> Sequence[type[ByteStore]]:
        """Offer the store."""
        return [Disk]


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with registered(Offers()):
        yield


class Locked(StateStore):
    """A store of the program that only one task may have open."""

    held: ClassVar[bool] = False

    def name(self) -> str:
        return "locked"

    def init(self, stateStoreContext: Any, root: StateStore) -> None:
        if Locked.held:
            raise OSError("lock held by current process")
        Locked.held = True
        stateStoreContext.register(root, lambda key, value: None)

    def close(self) -> None:
        Locked.held = False

    def persistent(self) -> bool:
        return True

    def isOpen(self) -> bool:
        return Locked.held


class Totals(Processor[str, str, str, str]):
    """Counts all records, and knows the number from its store."""

    def init(self, context: Any) -> None:
        self.context, self.store = context, context.getStateStore("totals")
        self.total = int(self.store.get("all") or 0)

    def process(self, record: Any) -> None:
        self.total += 1
        self.store.put("all", str(self.total))
        self.context.forward(record.withValue(str(self.total)))


class Fails(Totals):
    def init(self, context: Any) -> None:
        raise OSError("no connection")


def totals(processor: type[Processor[str, str, str, str]] = Totals) -> Topology:
    topology = Topology().addSource("source", "in").addProcessor("totals", processor, "source")
    supplier = OurKeyValueSupplier(store="totals", kind=Disk.name, durable=True)
    topology.addStateStore(OwnBuilder("locked", Locked), "totals")
    topology.addStateStore(Stores.keyValueStoreBuilder(supplier, TEXT, TEXT), "totals")
    return topology.addSink("sink", "out", "totals")


def test_a_damaged_store_is_built_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    segments, topology = Segments(), totals()
    task = one_task(topology, tmp_path)
    manifest, _ = task.run(arrived("abc", 0), None, segments)
    manifest, _ = task.run(arrived("de", 3), manifest, segments)
    task.close()
    (written,) = tmp_path.rglob("entries")
    (written.parent / BAD).touch()

    task = one_task(topology, tmp_path)
    _, rows = task.run(arrived("f", 5), manifest, segments)
    assert values(rows) == ["6"]
    assert caplog.text.count("repairing the stores of a task") == 2
    task.close()


def test_a_task_that_cannot_be_made_closes_the_stores_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(StreamsException, match="cannot initialise processor"):
        one_task(totals(Fails), tmp_path).run(arrived("a", 0), None, Segments())
    assert not Locked.held
    entries = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with pytest.raises(StreamsException, match="cannot initialise processor"):
        TopologyTestDriver(totals(Fails), entries)
    assert not Locked.held
