"""A byte store whose version cannot be read, or that cannot be emptied, is named and closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from millstream.core.errors import TaskCorruptedException
from millstream.core.store import ByteStore, StoreTraits
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest


@dataclass
class Locked:
    """Opens a store that is locked until it is closed, and fails in one method."""

    fails: str
    held: set[str] = field(default_factory=set)

    def open(self, store: str, kind: str) -> ByteStore:
        assert store not in self.held, f"lock held by current process: {store}"
        self.held.add(store)
        made = MemoryStore()
        own = {"traits": StoreTraits(durable=True), "close": lambda: self.held.discard(store)}
        vars(made).update(own, **{self.fails: self._fail})
        return made

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise OSError("bad sector")


@pytest.mark.parametrize("fails", ["version", "scan", "write"])
def test_a_store_that_cannot_be_taken_up_is_named_and_closed(fails: str) -> None:
    machine = Locked(fails)
    for _ in range(2):
        changelog = Changelog(machine.open)
        changelog.catch_up(Manifest(), {})
        with pytest.raises(TaskCorruptedException) as caught:
            changelog.working_copy("counts", "disk")
        assert 'store "counts" cannot be trusted any more' in str(caught.value)
        assert f"the {fails}() of its byte store raised" in str(caught.value)
        assert not machine.held
