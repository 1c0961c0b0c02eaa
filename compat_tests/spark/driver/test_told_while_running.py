"""What an application tells while it runs: records that are gone, and what a batch waits for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from compat_tests.spark.driver.test_lifecycle import PATIENCE_S, App, app
from millstream.testing.broker import wait_for
from millstream.topology.spark.driver import overdue
from millstream.topology.spark.driver.view import ApplicationView
from millstream.topology.spark.job import progress_topic

__all__ = ["app"]


@pytest.mark.parametrize("when", ["while it runs", "as it closes"])
def test_records_that_were_deleted_unread_are_told(
    app: App, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    app.start()
    app.runner.progress = {"batchId": 1, "sources": [{"metrics": {"millstreamGone": "in 0 3 5"}}]}
    if when == "while it runs":
        wait_for(lambda: app.runner.deleted.count, PATIENCE_S)
    app.close()
    assert app.runner.deleted.count == 2
    assert 'Partition 0 of topic "in", offsets 3 to 4' in caplog.text


def test_what_a_batch_waits_for_is_told_and_is_its_reason(
    app: App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(overdue, "PATIENCE_S", 0.0)
    monkeypatch.setattr(overdue, "_PAUSE_S", 0.0)
    there = {progress_topic("app"): SimpleNamespace(partitions={})}
    monkeypatch.setattr(overdue, "all_topics", lambda settings, timeout_s: there)
    app.start()
    app.runner.progress = {"batchId": 1}
    view = ApplicationView(app)
    wait_for(view.waiting, PATIENCE_S)
    said = 'topic "out" to write to does not exist'
    assert (view.waiting() or "").startswith(said)
    assert f"app: a batch waits: {said}" in caplog.text
    app.close()
    assert not app._overdue.reason
