"""A plugin's store in memory need not know its version: its entries stay from batch to batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from compat_tests.kit.good_stores import PlainStore
from compat_tests.properties.line import LineOfTasks
from compat_tests.stores.test_faults import counted, counting
from millstream.plugins import ByteStore, hookimpl
from millstream.plugins.registry import registered


class Plain(PlainStore):
    """Counts what is written, and fails in the middle of a write if a test says so."""

    name = "without-version"
    written = 0
    fails = 0

    def put(self, batch: Mapping[bytes, bytes | None]) -> None:
        Plain.written += len(batch)
        if Plain.fails and len(batch) > 1:
            Plain.fails -= 1
            super().put(dict(list(batch.items())[:1]))
            raise OSError("no memory for the rest")
        super().put(batch)


class Offers:
    """The plugin."""

    @hookimpl
    def millstream_register_stores(self) -> Sequence[type[ByteStore]]:
        """Offer the store."""
        return [Plain]


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(Plain, "written", 0)
    with registered(Offers()), LineOfTasks(counting(Plain.name)) as made:
        yield made


def test_a_batch_writes_what_the_batch_before_has_changed(line: LineOfTasks) -> None:
    written = []
    for batch in range(1, 7):
        before = Plain.written
        assert counted(line) == {"a": 2 * batch, "b": batch, "c": batch}
        written.append(Plain.written - before)
    assert written == [0, 3, 3, 3, 3, 3]


def test_what_a_failed_write_has_left_is_not_taken_for_a_version(
    line: LineOfTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for batch in range(1, 6):
        monkeypatch.setattr(Plain, "fails", int(batch == 3))
        assert counted(line) == {"a": 2 * batch, "b": batch, "c": batch}
    assert Plain.fails == 0
