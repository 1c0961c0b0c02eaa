"""Processes that are forked from one whose application runs."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from compat_tests.spark.applications.test_checks_before_start import pass_through
from compat_tests.spark.driver.test_lifecycle import PATIENCE_S, App, app
from compat_tests.spark.driver.test_stopped_session import ENTRIES, context, session
from millstream import IllegalStateException, StreamsConfig, StreamsException
from millstream.topology.spark.driver.runner import Runner

__all__ = ["app"]


def forked(call: Callable[[], object]) -> int:
    """Call a function in a forked process; return its status."""
    pid = os.fork()
    if pid == 0:
        try:
            call()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - nothing of the test may go on in this process
            traceback.print_exc(file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_forked_process_does_not_close_the_application(app: App, tmp_path: Path) -> None:
    def leave() -> None:
        app.__exit__(None, None, None)
        assert app.close() is False
        (tmp_path / "stopped").write_text(" ".join([*app.runner.stopped, str(app.runner.released)]))

    with app:
        assert forked(leave) == 0
        assert app.state().name == "RUNNING"
    assert (tmp_path / "stopped").read_text() == "False"
    assert app.states[-1] == "NOT_RUNNING"


def test_a_forked_process_cannot_wait_for_the_application(app: App) -> None:
    def use() -> None:
        calls: list[Callable[[], object]] = [app.wait, app.pause, app.resume]
        for what, call in zip(("wait", "pause", "resume"), calls, strict=True):
            with pytest.raises(IllegalStateException, match=f"cannot {what}: another process"):
                call()

    with app:
        assert forked(use) == 0


def test_a_forked_process_can_start_what_was_only_made_before(app: App) -> None:
    def use() -> None:
        app.start()
        assert app.close() is True

    assert forked(use) == 0
    app.start()
    assert app.close() is True


def test_a_session_of_the_process_that_was_forked_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)
    runner = Runner(
        pass_through("in", "out"), StreamsConfig(ENTRIES), session(context(lambda: False))
    )
    with pytest.raises(StreamsException, match="belongs to the process that this one was forked"):
        runner._session()


def test_a_forked_process_does_not_keep_the_jvm_of_the_other_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ends when nobody has its input open any more; so does this stand-in."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as jvm:
        monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=jvm))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
        try:
            assert jvm.stdin is not None
            jvm.stdin.close()
            assert jvm.wait(PATIENCE_S) == 0
        finally:
            for each in (read, write):
                os.close(each)
            os.waitpid(child, 0)
