"""Restore listeners: calls for stores that workers rebuild."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from millstream.topology.spark.driver.restores import RebuiltStores, tell
from millstream.topology.spark.state.changelog import Rebuilt


class Listener:
    """Notes what it is told."""

    def __init__(self, *, fails: bool = False, error: BaseException | None = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._fails = fails
        self._error = error or ValueError("no")

    def onRestoreStart(self, place: Any, store: str, first: int, end: int) -> None:
        self.calls.append((str(place), store, first, end))
        if self._fails:
            raise self._error

    def onBatchRestored(self, place: Any, store: str, end: int, count: int) -> None:
        self.calls.append((str(place), store, end, count))

    def onRestoreEnd(self, place: Any, store: str, total: int) -> None:
        self.calls.append((str(place), store, total))


def test_a_restore_listener_hears_of_start_batches_and_end() -> None:
    rebuilt = Rebuilt(store="s", partition=2, first=3, steps=((3, 10), (5, 1)), end=6)
    heard: Any = Listener()
    tell(heard, "app", rebuilt)
    place = "app-s-changelog-2"
    assert heard.calls == [
        (place, "s", 3, 6),
        (place, "s", 3, 10),
        (place, "s", 5, 1),
        (place, "s", 11),
    ]
    failing: Any = Listener(fails=True)
    tell(failing, "app", rebuilt)
    assert len(failing.calls) == 1


def test_a_restore_listener_that_calls_exit_ends_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    leaving: Any = Listener(fails=True, error=SystemExit(1))

    tell(leaving, "app", Rebuilt(store="s", first=0, steps=(), end=1))

    assert 'a restore listener (store "s") called sys.exit()' in caplog.text


def test_reports_of_workers_are_put_aside_on_the_driver_only() -> None:
    rebuilt = [Rebuilt(store="s", first=0, steps=(), end=1)]
    driver = RebuiltStores()
    worker = pickle.loads(pickle.dumps(driver))
    assert worker.addInPlace(worker.addInPlace([], rebuilt), rebuilt) == rebuilt * 2
    assert worker.taken() == []
    assert driver.addInPlace([], rebuilt) == []
    assert (driver.taken(), driver.taken()) == (rebuilt, [])
