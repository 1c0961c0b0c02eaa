"""Deduplication that goes on, after a restart, with another interval."""

from __future__ import annotations

import pytest

from compat_tests.topology.test_deduplicate import Tasks, restarted


def shortened(tasks: Tasks) -> Tasks:
    """The tasks, restarted with the plan of the same program with an interval of 10."""
    shorter = Tasks(lambda s: s.deduplicateByKey(10))
    tasks.plan = shorter.plan
    return restarted(tasks)


@pytest.mark.parametrize("by_chunks", [False, True])
def test_a_shorter_interval_forgets_what_a_longer_one_has_left(by_chunks: bool) -> None:
    tasks = Tasks(lambda s: s.deduplicateByKey(1000))
    assert tasks.feed((0, "a", 0), (1, "b", 100), by_chunks=by_chunks) == ["a"]

    again = shortened(tasks)

    rows = [(number, str(number), 98 + number) for number in range(2, 20)]
    # Both would be forwarded for ever: the entry of time 0 is known, and too far away.
    assert again.feed(*rows, by_chunks=by_chunks) == ["2", "13"]
    assert len(again.stored()) == 2


def test_a_newer_entry_of_an_id_is_kept() -> None:
    tasks = Tasks(lambda s: s.deduplicateByKey(1000))
    tasks.feed((0, "a", 0), (1, "b", 5000), by_chunks=False)
    (store,) = tasks.task.stores.values()
    store.put(b"\x01" + bytes(8) + store_id(tasks), b"")

    again = shortened(tasks)

    assert again.feed((2, "c", 5001), by_chunks=False) == []
    assert len(again.stored()) == 2


def store_id(tasks: Tasks) -> bytes:
    return next(key[1:] for key in tasks.stored() if key[:1] == b"\x00")
