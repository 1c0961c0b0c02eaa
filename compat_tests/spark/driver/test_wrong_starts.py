"""Starts that are refused: a second one, and one after the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.spark.driver.test_lifecycle import App, app
from millstream import IllegalStateException, KafkaStreams, LockException, Topology
from millstream.topology.spark.state.slots import (
    DirectoryLock,
    claimed_slot,
    locked,
    release_slot,
)

__all__ = ["app"]


def test_a_second_start_is_refused_and_changes_nothing(app: App) -> None:
    app.start()
    with pytest.raises(IllegalStateException, match="cannot start: the application is RUNNING"):
        app.start()
    assert app.state().name == "RUNNING"
    assert app.close() is True


def test_an_application_may_be_closed_before_its_start_and_then_has_ended(app: App) -> None:
    assert app.close() is True
    assert app.states == ["PENDING_SHUTDOWN", "NOT_RUNNING"]
    assert app.close() is True
    with pytest.raises(IllegalStateException, match="cannot start: the application is NOT_RUNN"):
        app.start()


def test_a_refused_instance_leaves_the_slot_of_the_one_that_runs_in_this_process(
    tmp_path: Path,
) -> None:
    entries = {
        "application.id": "app",
        "bootstrap.servers": "127.0.0.1:9",
        "state.dir": str(tmp_path),
    }
    topology = Topology().addSource("source", "in").addSink("sink", "out", "source")
    running = DirectoryLock(tmp_path / "app")
    assert running.acquire()
    copies = claimed_slot(tmp_path / "app")
    try:
        with pytest.raises(LockException, match="another instance"):
            KafkaStreams(topology, entries).start()
        assert KafkaStreams(topology, entries).close() is True
        assert locked(copies) is None
    finally:
        running.close()
        release_slot(tmp_path / "app")
