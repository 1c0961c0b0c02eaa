"""What a standby update listener hears of the copies that executors report."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import StandbyUpdateListener, TaskId, TopicPartition
from millstream.topology.spark.driver.standby_updates import StandbyUpdates
from millstream.topology.spark.state.standby_files import CopyReport, ExecutorReport

TASK = TaskId(0, 3)
PLACE = TopicPartition("app-counts-changelog", 3)


class Hears(StandbyUpdateListener):
    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def onUpdateStart(self, *given: Any) -> None:
        self.heard.append(("start", *given))

    def onBatchLoaded(self, *given: Any) -> None:
        self.heard.append(("loaded", *given))

    def onUpdateSuspended(self, *given: Any) -> None:
        self.heard.append(("suspended", *given))

    def taken(self) -> list[tuple[Any, ...]]:
        heard, self.heard = self.heard, []
        return heard


def report(executor: str, seq: int, end: int, entries: int) -> ExecutorReport:
    copy = CopyReport(
        task=repr(TASK), seq=seq, end=end, ready=seq == end, entries={"counts": entries}
    )
    return ExecutorReport(instance="i", executor=executor, copies=(copy,))


def nothing(executor: str) -> ExecutorReport:
    return ExecutorReport(instance="i", executor=executor)


def test_a_copy_is_told_from_its_start_to_its_promotion() -> None:
    hears = Hears()
    updates = StandbyUpdates(hears, "app")
    updates.look([nothing("2")], {TASK: "1"})
    assert hears.taken() == []
    updates.look([report("2", 5, 9, 700)], {TASK: "1"})
    assert hears.taken() == [
        ("start", PLACE, "counts", 0),
        ("loaded", PLACE, "counts", TASK, 5, 700, 9),
    ]
    updates.look([report("2", 5, 9, 700)], {TASK: "1"})
    assert hears.taken() == []
    updates.look([report("2", 9, 9, 800)], {TASK: "1"})
    assert hears.taken() == [("loaded", PLACE, "counts", TASK, 9, 100, 9)]
    updates.look([nothing("2")], {TASK: "2"})
    promoted = StandbyUpdateListener.SuspendReason.PROMOTED
    assert hears.taken() == [("suspended", PLACE, "counts", 9, 9, promoted)]


def test_a_copy_that_is_given_up_has_migrated() -> None:
    hears = Hears()
    updates = StandbyUpdates(hears, "app")
    updates.look([report("2", 9, 9, 800), report("3", 4, 9, 10)], {TASK: "1"})
    hears.taken()
    updates.look([report("3", 4, 9, 10)], {TASK: "1"})
    migrated = StandbyUpdateListener.SuspendReason.MIGRATED
    assert hears.taken() == [("suspended", PLACE, "counts", 9, 9, migrated)]


def test_a_listener_that_fails_is_logged_and_called_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Fails(Hears):
        def onUpdateStart(self, *given: Any) -> None:
            raise ValueError("no")

    hears = Fails()
    updates = StandbyUpdates(hears, "app")
    updates.look([report("2", 9, 9, 800)], {})
    assert [each[0] for each in hears.taken()] == ["loaded"]
    assert 'a standby update listener (store "counts") failed' in caplog.text
