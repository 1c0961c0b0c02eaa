"""Stores of the program with files in ``stateDir()``: a new task finds nothing old in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.worker.attempts import Segments
from compat_tests.spark.worker.one_task import arrived, one_task, values
from compat_tests.stores.file_store import file_tally
from millstream import Processor, StreamsException, Topology


class Counts(Processor[str, str, str, str]):
    """Counts records by key in the store; a capital letter deletes, and "!" fails if told to."""

    fails = False

    def init(self, context: Any) -> None:
        self.context, self.store = context, context.getStateStore("counts")

    def process(self, record: Any) -> None:
        key = record.key()
        if key == "!" and self.fails:
            raise OSError("no answer")
        if key.isupper():
            self.store.put(key.lower(), None)
            return
        self.store.put(key, str(int(self.store.get(key) or 0) + 1))
        self.context.forward(record.withValue(f"{key}{self.store.get(key)}"))


def counting() -> Topology:
    topology = Topology().addSource("source", "in").addProcessor("counts", Counts, "source")
    topology.addStateStore(file_tally("counts"), "counts")
    return topology.addSink("sink", "out", "counts")


def test_a_batch_that_failed_leaves_nothing_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segments = Segments()
    manifest, _ = one_task(counting(), tmp_path).run(arrived("a", 0), None, segments)
    monkeypatch.setattr(Counts, "fails", True)
    with pytest.raises(StreamsException, match="no answer"):
        one_task(counting(), tmp_path).run(arrived("ab!", 1), manifest, Segments(segments))
    monkeypatch.setattr(Counts, "fails", False)
    _, rows = one_task(counting(), tmp_path).run(arrived("ab!", 1), manifest, segments)
    assert values(rows) == ["a2", "b1", "!1"]


def test_what_another_worker_has_deleted_does_not_come_back(tmp_path: Path) -> None:
    segments, here = Segments(), one_task(counting(), tmp_path / "here")
    manifest, _ = here.run(arrived("aab", 0), None, segments)
    elsewhere = one_task(counting(), tmp_path / "elsewhere")
    manifest, _ = elsewhere.run(arrived("A", 3), manifest, segments)
    _, rows = here.run(arrived("ab", 4), manifest, segments)
    assert values(rows) == ["a1", "b2"]
